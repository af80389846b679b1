"""Run by Alembic for each command. `longstop.store.schema` hands in the connection, its transaction begun."""

from alembic import context

from longstop.store.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
