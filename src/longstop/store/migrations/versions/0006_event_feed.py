"""One order over the events of all matches, for who follows them all.

Events of before stand in the order in which they were captured. Kept as it was written, even when `tables.py` moves on:
a database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_POSITION = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_EVENTS_OF_BEFORE = """
INSERT INTO event_feed (match_id, seq)
SELECT match_id, seq FROM match_events ORDER BY captured_at, match_id, seq
"""


def upgrade() -> None:
    is_postgres = op.get_bind().dialect.name == "postgresql"
    writer = "((pg_current_xact_id())::text)::bigint" if is_postgres else "0"
    op.create_table(
        "event_feed",
        sa.Column("position", _POSITION, autoincrement=True, nullable=False),
        sa.Column("transaction_id", sa.BigInteger(), nullable=False, server_default=sa.text(writer)),
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_event_feed"),
        sa.UniqueConstraint("match_id", "seq", name="uq_event_feed_match_id_seq"),
    )
    op.create_index("idx_event_feed_order", "event_feed", ["transaction_id", "position"])
    op.execute(_EVENTS_OF_BEFORE)
