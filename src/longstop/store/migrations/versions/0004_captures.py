"""Payloads as they came, before anything was derived from them.

Kept as it was written, even when `tables.py` moves on: a database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(length=27), "sqlite")


def upgrade() -> None:
    op.create_table(
        "captures",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("captured_at", _MOMENT, nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("requested_at", _MOMENT, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("rung", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "captured_at", "purpose", "sha256", name="pk_captures"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_captures_captured_at", "captures", ["captured_at"])
    op.create_index("idx_captures_sha256", "captures", ["sha256"])
    op.create_table(
        "capture_bodies",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("codec", sa.Text(), nullable=False),
        sa.Column("raw_bytes", sa.BigInteger(), nullable=False),
        sa.Column("kept_bytes", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_capture_bodies"),
    )
    op.create_index("idx_capture_bodies_kept_bytes", "capture_bodies", ["kept_bytes"])
