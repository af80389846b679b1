"""What a successor should know, what was done to get well again, and when a match came into its state.

Kept as it was written, even when `tables.py` moves on: a database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(length=27), "sqlite")
_JSON = sa.Text().with_variant(sa.JSON(), "postgresql")


def upgrade() -> None:
    op.add_column("matches", sa.Column("state_at", _MOMENT))
    _create_scraper_states()
    _create_recovery_audit()
    op.create_index("idx_scraper_health_log_timestamp", "scraper_health_log", ["timestamp"])
    op.create_index("idx_scraper_errors_timestamp", "scraper_errors", ["timestamp"])
    op.create_index("idx_scraper_errors_match_timestamp", "scraper_errors", ["match_id", "timestamp"])


def _create_scraper_states() -> None:
    op.create_table(
        "scraper_states",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("scraper_id", sa.Text(), nullable=False),
        sa.Column("saved_at", _MOMENT, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("pace_seconds", sa.Double(), nullable=False),
        sa.Column("changed_at", _MOMENT),
        sa.Column("paused_until", _MOMENT),
        sa.Column("details", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_scraper_states"),
        sqlite_with_rowid=False,
    )


def _create_recovery_audit() -> None:
    op.create_table(
        "recovery_audit",
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("timestamp", _MOMENT, nullable=False),
        sa.Column("action_type", sa.Text(), nullable=False),
        sa.Column("trigger_condition", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text()),
        sa.Column("judged_at", _MOMENT),
        sa.Column("duration_seconds", sa.Double(), nullable=False),
        sa.Column("metadata", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("entry_id", name="pk_recovery_audit"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_recovery_audit_timestamp", "recovery_audit", ["timestamp"])
