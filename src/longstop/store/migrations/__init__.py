"""The steps of the schema, run by Alembic from the program itself; there is no alembic.ini."""
