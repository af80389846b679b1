"""What was known at a moment: the states of gaps, live states and statuses, and when an innings was as it is told.

What older rows still tell of their past is taken over. Kept as it was written, even when `tables.py` moves on: a
database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(length=27), "sqlite")
_JSON = sa.Text().with_variant(sa.JSON(), "postgresql")

_GAPS_THAT_OPENED = """
INSERT INTO gap_states (match_id, gap_id, state, reached_at, innings, first_over, last_over, cause, opened_at,
    closed_at, missing_runs, missing_wickets, missing_balls)
SELECT match_id, gap_id, 'open', opened_at, innings, first_over, last_over, cause, opened_at,
    NULL, missing_runs, missing_wickets, missing_balls FROM gaps
"""
_GAPS_THAT_CLOSED = """
INSERT INTO gap_states (match_id, gap_id, state, reached_at, innings, first_over, last_over, cause, opened_at,
    closed_at, missing_runs, missing_wickets, missing_balls)
SELECT match_id, gap_id, state, coalesce(closed_at, opened_at), innings, first_over, last_over, cause, opened_at,
    closed_at, missing_runs, missing_wickets, missing_balls FROM gaps WHERE state <> 'open'
"""
_LIVE_STATES = """
INSERT INTO live_history (match_id, sequence, captured_at, source_at, scraper_id, update_latency_ms, source, rung,
    payload_sha256, play, complete_through, board)
SELECT match_id, sequence, captured_at, source_at, scraper_id, update_latency_ms, source, rung,
    payload_sha256, play, complete_through, board FROM live_match_data
"""
_STATUSES_THAT_WERE_TOLD = """
INSERT INTO match_statuses (match_id, status, reached_at)
SELECT match_id, detail, min(captured_at) FROM match_events WHERE kind = 'status_changed' GROUP BY match_id, detail
"""
_STATUSES_THAT_ARE = """
INSERT INTO match_statuses (match_id, status, reached_at)
SELECT match_id, status, coalesce(last_scraper_update, discovered_at, '1970-01-01T00:00:00.000000Z') FROM matches
WHERE true ON CONFLICT DO NOTHING
"""


def upgrade() -> None:
    op.add_column("innings", sa.Column("true_at", _MOMENT))
    _create_gap_states()
    _create_live_history()
    op.create_table(
        "match_statuses",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reached_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "status", name="pk_match_statuses"),
        sqlite_with_rowid=False,
    )
    _take_over()


def _create_gap_states() -> None:
    op.create_table(
        "gap_states",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("gap_id", sa.Text(), nullable=False),
        sa.Column("innings", sa.BigInteger(), nullable=False),
        sa.Column("first_over", sa.BigInteger(), nullable=False),
        sa.Column("last_over", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("opened_at", _MOMENT, nullable=False),
        sa.Column("closed_at", _MOMENT),
        sa.Column("missing_runs", sa.BigInteger(), nullable=False),
        sa.Column("missing_wickets", sa.BigInteger(), nullable=False),
        sa.Column("missing_balls", sa.BigInteger(), nullable=False),
        sa.Column("reached_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "gap_id", "state", name="pk_gap_states"),
        sqlite_with_rowid=False,
    )


def _create_live_history() -> None:
    op.create_table(
        "live_history",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("captured_at", _MOMENT, nullable=False),
        sa.Column("source_at", _MOMENT),
        sa.Column("scraper_id", sa.Text(), nullable=False),
        sa.Column("update_latency_ms", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("rung", sa.Text(), nullable=False),
        sa.Column("payload_sha256", sa.Text(), nullable=False),
        sa.Column("play", sa.Text(), nullable=False),
        sa.Column("complete_through", sa.Text()),
        sa.Column("board", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "sequence", "captured_at", name="pk_live_history"),
        sqlite_with_rowid=False,
    )


def _take_over() -> None:
    """A gap that is closed was open before. A status is as old as the event that told it, if one did."""
    op.execute(_GAPS_THAT_OPENED)
    op.execute(_GAPS_THAT_CLOSED)
    op.execute(_LIVE_STATES)
    op.execute(_STATUSES_THAT_WERE_TOLD)
    op.execute(_STATUSES_THAT_ARE)
