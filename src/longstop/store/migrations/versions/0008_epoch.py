"""A number that rises each time an instance takes its place at a PostgreSQL database. SQLite has one in its file."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE SEQUENCE longstop_epoch AS bigint")
