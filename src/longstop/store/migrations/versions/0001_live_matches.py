"""Matches that are live now: their facts, their balls, what happened, what is missing, and how the scrapers fare.

Kept as it was written, even when `tables.py` moves on: a database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(length=27), "sqlite")
_JSON = sa.Text().with_variant(sa.JSON(), "postgresql")
_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_matches()
    _create_match_external_refs()
    _create_live_match_data()
    _create_deliveries()
    _create_innings()
    _create_match_events()
    _create_gaps()
    _create_names()
    _create_scraper_health_log()
    _create_scraper_errors()


def _create_matches() -> None:
    op.create_table(
        "matches",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("team_first", sa.Text(), nullable=False),
        sa.Column("team_second", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=False),
        sa.Column("venue", sa.Text(), nullable=False),
        sa.Column("starts_at", _MOMENT),
        sa.Column("discovered_at", _MOMENT),
        sa.Column("last_scraper_update", _MOMENT),
        sa.Column("data_freshness_seconds", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("scraper_status", sa.Text(), server_default=sa.text("'unknown'"), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.Column("result", _JSON),
        sa.PrimaryKeyConstraint("match_id", name="pk_matches"),
    )
    op.create_index("idx_freshness", "matches", ["data_freshness_seconds"])
    op.create_index("idx_matches_source", "matches", ["source", "status"])
    op.create_index("idx_matches_status", "matches", ["status", "priority"])
    op.create_index("idx_scraper_status", "matches", ["scraper_status"])


def _create_match_external_refs() -> None:
    op.create_table(
        "match_external_refs",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("source_event_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "source", name="pk_match_external_refs"),
        sa.UniqueConstraint("source", "source_event_id", name="uq_match_external_refs_source_source_event_id"),
        sqlite_with_rowid=False,
    )


def _create_live_match_data() -> None:
    op.create_table(
        "live_match_data",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("captured_at", _MOMENT, nullable=False),
        sa.Column("source_at", _MOMENT),
        sa.Column("scraper_id", sa.Text(), nullable=False),
        sa.Column("update_latency_ms", sa.BigInteger(), nullable=False),
        sa.Column("data_source", sa.Text(), server_default=sa.text("'scraper'"), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("rung", sa.Text(), nullable=False),
        sa.Column("payload_sha256", sa.Text(), nullable=False),
        sa.Column("play", sa.Text(), nullable=False),
        sa.Column("complete_through", sa.Text()),
        sa.Column("board", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_live_match_data"),
    )
    op.create_index("idx_scraper", "live_match_data", ["scraper_id"])


def _create_deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("innings", sa.BigInteger(), nullable=False),
        sa.Column("over", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("batter", sa.Text()),
        sa.Column("non_striker", sa.Text()),
        sa.Column("bowler", sa.Text()),
        sa.Column("runs", sa.BigInteger()),
        sa.Column("runs_batter", sa.BigInteger()),
        sa.Column("wides", sa.BigInteger()),
        sa.Column("noballs", sa.BigInteger()),
        sa.Column("byes", sa.BigInteger()),
        sa.Column("legbyes", sa.BigInteger()),
        sa.Column("penalty", sa.BigInteger()),
        sa.Column("wickets", sa.BigInteger()),
        sa.Column("is_legal", sa.Boolean()),
        sa.Column("is_non_boundary", sa.Boolean()),
        sa.Column("bowled_at", _MOMENT),
        sa.Column("details", _JSON),
        sa.Column("true_at", _MOMENT, nullable=False),
        sa.Column("captured_at", _MOMENT, nullable=False),
        sa.Column("payload_sha256", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "innings", "over", "position", "revision", name="pk_deliveries"),
        sqlite_with_rowid=False,
    )


def _create_innings() -> None:
    op.create_table(
        "innings",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("runs", sa.BigInteger(), nullable=False),
        sa.Column("wickets", sa.BigInteger(), nullable=False),
        sa.Column("legal_balls", sa.BigInteger()),
        sa.Column("overs", sa.Text(), nullable=False),
        sa.Column("wides", sa.BigInteger()),
        sa.Column("noballs", sa.BigInteger()),
        sa.Column("byes", sa.BigInteger()),
        sa.Column("legbyes", sa.BigInteger()),
        sa.Column("penalty", sa.BigInteger()),
        sa.Column("is_super_over", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("penalty_before", sa.BigInteger(), nullable=False),
        sa.Column("penalty_after", sa.BigInteger(), nullable=False),
        sa.Column("absent_hurt", _JSON, nullable=False),
        sa.Column("target_runs", sa.BigInteger()),
        sa.Column("target_overs", sa.Text()),
        sa.Column("captured_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "number", "revision", name="pk_innings"),
        sqlite_with_rowid=False,
    )


def _create_match_events() -> None:
    op.create_table(
        "match_events",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("true_at", _MOMENT, nullable=False),
        sa.Column("captured_at", _MOMENT, nullable=False),
        sa.Column("innings", sa.BigInteger()),
        sa.Column("over", sa.BigInteger()),
        sa.Column("position", sa.BigInteger()),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("content", _JSON),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seq", name="pk_match_events"),
        sa.UniqueConstraint("match_id", "key", name="uq_match_events_match_id_key"),
        sqlite_with_rowid=False,
    )


def _create_gaps() -> None:
    op.create_table(
        "gaps",
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
        sa.PrimaryKeyConstraint("match_id", "gap_id", name="pk_gaps"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_gaps_state", "gaps", ["state"])


def _create_names() -> None:
    op.create_table(
        "names",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source", "kind", "code", name="pk_names"),
        sqlite_with_rowid=False,
    )


def _create_scraper_health_log() -> None:
    op.create_table(
        "scraper_health_log",
        sa.Column("id", _ROW_ID, autoincrement=True, nullable=False),
        sa.Column("scraper_id", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Text()),
        sa.Column("timestamp", _MOMENT, nullable=False),
        sa.Column("health_status", sa.Text(), nullable=False),
        sa.Column("error_count", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("memory_mb", sa.Double()),
        sa.Column("cpu_percent", sa.Double()),
        sa.Column("update_latency_ms", sa.BigInteger()),
        sa.Column("polling_interval_seconds", sa.Double()),
        sa.Column("uptime_seconds", sa.BigInteger()),
        sa.Column("last_update_age_seconds", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_scraper_health_log"),
    )
    op.create_index("idx_health_status", "scraper_health_log", ["health_status", "timestamp"])
    op.create_index("idx_match_timestamp", "scraper_health_log", ["match_id", "timestamp"])
    op.create_index("idx_scraper_timestamp", "scraper_health_log", ["scraper_id", "timestamp"], unique=True)


def _create_scraper_errors() -> None:
    op.create_table(
        "scraper_errors",
        sa.Column("id", _ROW_ID, autoincrement=True, nullable=False),
        sa.Column("error_id", sa.Text(), nullable=False),
        sa.Column("scraper_id", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Text()),
        sa.Column("timestamp", _MOMENT, nullable=False),
        sa.Column("error_type", sa.Text(), nullable=False),
        sa.Column("error_message", sa.Text()),
        sa.Column("stack_trace", sa.Text()),
        sa.Column("url", sa.Text()),
        sa.Column("operation", sa.Text()),
        sa.Column("retry_attempt", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("resolved", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("resolution_time", _MOMENT),
        sa.Column("resolution_method", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_scraper_errors"),
        sa.UniqueConstraint("error_id", name="uq_scraper_errors_error_id"),
    )
    op.create_index("idx_error_type", "scraper_errors", ["error_type", "timestamp"])
    op.create_index("idx_scraper_errors_scraper_timestamp", "scraper_errors", ["scraper_id", "timestamp"])
    op.create_index("idx_unresolved", "scraper_errors", ["resolved", "timestamp"])
