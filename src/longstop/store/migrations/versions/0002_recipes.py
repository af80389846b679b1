"""The calls that were learnt from a page, so that a restart needs no browser.

Kept as it was written, even when `tables.py` moves on: a database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(length=27), "sqlite")


def upgrade() -> None:
    op.create_table(
        "recipes",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("learnt_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT),
        sa.PrimaryKeyConstraint("source", "purpose", name="pk_recipes"),
        sqlite_with_rowid=False,
    )
