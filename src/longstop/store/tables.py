"""The schema, told once for both databases. The migrations must lead to exactly this, and a test holds them to it.

Choices that are not obvious:

* Text has no length. PostgreSQL would refuse a long URL, and with it the whole batch; SQLite would take it.
  Keys are bounded in `rows.py`, for both alike, because an index has a limit.
* Whole numbers are 64 bits wide, because SQLite's always are and both must accept the same batches.
* Times: `timestamptz` on PostgreSQL, fixed-width UTC text on SQLite, so that both order and compare to the microsecond.
* JSON is text that may hold an escaped NUL, hence `json` and not `jsonb` on PostgreSQL.
* No foreign keys: a batch may bring the balls of a match before the match itself.
* Index names are the documents' own; where two tables claim one name, the second has the table's name in it.
"""

from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from longstop.store.transactions import TransactionId

HEAD_REVISION: Final = "0009"
VERSION_TABLE: Final = "longstop_version"

Moment = DateTime(timezone=True).with_variant(String(27), "sqlite")
JsonText = Text().with_variant(JSON(), "postgresql")
RowId = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData(naming_convention={"pk": "pk_%(table_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s"})

matches = Table(
    "matches",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("team_first", Text, nullable=False),
    Column("team_second", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("series", Text, nullable=False),
    Column("venue", Text, nullable=False),
    Column("starts_at", Moment),
    Column("discovered_at", Moment),
    Column("last_scraper_update", Moment),
    # The age when the row was written. Readers count from last_scraper_update, which does not grow old unseen.
    Column("data_freshness_seconds", BigInteger, nullable=False, server_default=text("0")),
    Column("scraper_status", Text, nullable=False, server_default=text("'unknown'")),
    Column("priority", BigInteger, nullable=False),
    Column("result", JsonText),
    Column("state_at", Moment),
    Index("idx_freshness", "data_freshness_seconds"),
    Index("idx_scraper_status", "scraper_status"),
    Index("idx_matches_status", "status", "priority"),
    Index("idx_matches_source", "source", "status"),
)

match_external_refs = Table(
    "match_external_refs",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("source_event_id", Text, nullable=False),
    UniqueConstraint("source", "source_event_id"),
    sqlite_with_rowid=False,
)

live_match_data = Table(
    "live_match_data",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("captured_at", Moment, nullable=False),
    Column("source_at", Moment),
    Column("scraper_id", Text, nullable=False),
    Column("update_latency_ms", BigInteger, nullable=False),
    Column("data_source", Text, nullable=False, server_default=text("'scraper'")),
    Column("source", Text, nullable=False),
    Column("rung", Text, nullable=False),
    Column("payload_sha256", Text, nullable=False),
    Column("play", Text, nullable=False),
    Column("complete_through", Text),
    Column("board", JsonText, nullable=False),
    Index("idx_scraper", "scraper_id"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("innings", BigInteger, primary_key=True),
    Column("over", BigInteger, primary_key=True),
    Column("position", BigInteger, primary_key=True),
    Column("revision", BigInteger, primary_key=True),
    Column("withdrawn", Boolean, nullable=False),
    # From here to `details` nothing is known of a withdrawn ball, so that sums over the columns leave it out.
    Column("batter", Text),
    Column("non_striker", Text),
    Column("bowler", Text),
    Column("runs", BigInteger),
    Column("runs_batter", BigInteger),
    Column("wides", BigInteger),
    Column("noballs", BigInteger),
    Column("byes", BigInteger),
    Column("legbyes", BigInteger),
    Column("penalty", BigInteger),
    Column("wickets", BigInteger),
    Column("is_legal", Boolean),
    Column("is_non_boundary", Boolean),
    Column("bowled_at", Moment),
    Column("details", JsonText),
    Column("true_at", Moment, nullable=False),
    Column("captured_at", Moment, nullable=False),
    Column("payload_sha256", Text, nullable=False),
    sqlite_with_rowid=False,
)

innings = Table(
    "innings",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("revision", BigInteger, primary_key=True),
    Column("team", Text, nullable=False),
    Column("runs", BigInteger, nullable=False),
    Column("wickets", BigInteger, nullable=False),
    Column("legal_balls", BigInteger),
    Column("overs", Text, nullable=False),
    Column("wides", BigInteger),
    Column("noballs", BigInteger),
    Column("byes", BigInteger),
    Column("legbyes", BigInteger),
    Column("penalty", BigInteger),
    Column("is_super_over", Boolean, nullable=False),
    Column("state", Text, nullable=False),
    Column("penalty_before", BigInteger, nullable=False),
    Column("penalty_after", BigInteger, nullable=False),
    Column("absent_hurt", JsonText, nullable=False),
    Column("target_runs", BigInteger),
    Column("target_overs", Text),
    Column("captured_at", Moment, nullable=False),
    Column("true_at", Moment),
    sqlite_with_rowid=False,
)

match_events = Table(
    "match_events",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("true_at", Moment, nullable=False),
    Column("captured_at", Moment, nullable=False),
    Column("innings", BigInteger),
    Column("over", BigInteger),
    Column("position", BigInteger),
    Column("revision", BigInteger, nullable=False),
    Column("content", JsonText),
    Column("detail", Text, nullable=False),
    UniqueConstraint("match_id", "key"),
    sqlite_with_rowid=False,
)

# The events of all matches in one order, for who follows them all. Positions are given out when rows are written, and
# on PostgreSQL a later one may be seen before an earlier: only the number of the transaction tells what may still come.
event_feed = Table(
    "event_feed",
    metadata,
    Column("position", RowId, primary_key=True, autoincrement=True),
    Column("transaction_id", BigInteger, nullable=False, server_default=TransactionId()),
    Column("match_id", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    UniqueConstraint("match_id", "seq"),
    Index("idx_event_feed_order", "transaction_id", "position"),
)

gaps = Table(
    "gaps",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("gap_id", Text, primary_key=True),
    Column("innings", BigInteger, nullable=False),
    Column("first_over", BigInteger, nullable=False),
    Column("last_over", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("opened_at", Moment, nullable=False),
    Column("closed_at", Moment),
    Column("missing_runs", BigInteger, nullable=False),
    Column("missing_wickets", BigInteger, nullable=False),
    Column("missing_balls", BigInteger, nullable=False),
    Index("idx_gaps_state", "state"),
    sqlite_with_rowid=False,
)

# What `gaps`, `live_match_data` and `matches` tell of now, as it was at any moment.
gap_states = Table(
    "gap_states",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("gap_id", Text, primary_key=True),
    Column("innings", BigInteger, nullable=False),
    Column("first_over", BigInteger, nullable=False),
    Column("last_over", BigInteger, nullable=False),
    Column("state", Text, primary_key=True),
    Column("cause", Text, nullable=False),
    Column("opened_at", Moment, nullable=False),
    Column("closed_at", Moment),
    Column("missing_runs", BigInteger, nullable=False),
    Column("missing_wickets", BigInteger, nullable=False),
    Column("missing_balls", BigInteger, nullable=False),
    Column("reached_at", Moment, nullable=False),
    sqlite_with_rowid=False,
)

live_history = Table(
    "live_history",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True),
    Column("captured_at", Moment, primary_key=True),
    Column("source_at", Moment),
    Column("scraper_id", Text, nullable=False),
    Column("update_latency_ms", BigInteger, nullable=False),
    Column("source", Text, nullable=False),
    Column("rung", Text, nullable=False),
    Column("payload_sha256", Text, nullable=False),
    Column("play", Text, nullable=False),
    Column("complete_through", Text),
    Column("board", JsonText, nullable=False),
    sqlite_with_rowid=False,
)

match_statuses = Table(
    "match_statuses",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("status", Text, primary_key=True),
    Column("reached_at", Moment, nullable=False),
    sqlite_with_rowid=False,
)

names = Table(
    "names",
    metadata,
    Column("source", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("code", Text, primary_key=True),
    Column("name", Text, nullable=False),
    sqlite_with_rowid=False,
)

recipes = Table(
    "recipes",
    metadata,
    Column("source", Text, primary_key=True),
    Column("purpose", Text, primary_key=True),
    # Tokens and cookies: for the program that wrote it, and for nobody to look at.
    Column("payload", LargeBinary, nullable=False),
    Column("learnt_at", Moment, nullable=False),
    Column("expires_at", Moment),
    sqlite_with_rowid=False,
)

captures = Table(
    "captures",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("captured_at", Moment, primary_key=True),
    Column("purpose", Text, primary_key=True),
    Column("sha256", Text, primary_key=True),
    Column("requested_at", Moment, nullable=False),
    Column("source", Text, nullable=False),
    Column("rung", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("status", BigInteger, nullable=False),
    Column("asked", Text, nullable=False),
    Index("idx_captures_captured_at", "captured_at"),
    Index("idx_captures_sha256", "sha256"),
    sqlite_with_rowid=False,
)

# Large rows, so on SQLite a table with row ids: the other kind keeps them in its index.
capture_bodies = Table(
    "capture_bodies",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("codec", Text, nullable=False),
    Column("raw_bytes", BigInteger, nullable=False),
    Column("kept_bytes", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("idx_capture_bodies_kept_bytes", "kept_bytes"),
)

scraper_states = Table(
    "scraper_states",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("scraper_id", Text, nullable=False),
    Column("saved_at", Moment, nullable=False),
    Column("reason", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("pace_seconds", Double, nullable=False),
    Column("changed_at", Moment),
    Column("paused_until", Moment),
    Column("details", JsonText, nullable=False),
    sqlite_with_rowid=False,
)

recovery_audit = Table(
    "recovery_audit",
    metadata,
    Column("entry_id", Text, primary_key=True),
    Column("timestamp", Moment, nullable=False),
    Column("action_type", Text, nullable=False),
    Column("trigger_condition", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("outcome", Text),
    Column("judged_at", Moment),
    Column("duration_seconds", Double, nullable=False),
    Column("metadata", JsonText, nullable=False),
    Index("idx_recovery_audit_timestamp", "timestamp"),
    sqlite_with_rowid=False,
)

scraper_health_log = Table(
    "scraper_health_log",
    metadata,
    Column("id", RowId, primary_key=True, autoincrement=True),
    Column("scraper_id", Text, nullable=False),
    Column("match_id", Text),
    Column("timestamp", Moment, nullable=False),
    Column("health_status", Text, nullable=False),
    Column("error_count", BigInteger, nullable=False, server_default=text("0")),
    Column("memory_mb", Double),
    Column("cpu_percent", Double),
    Column("update_latency_ms", BigInteger),
    Column("polling_interval_seconds", Double),
    Column("uptime_seconds", BigInteger),
    Column("last_update_age_seconds", BigInteger),
    # Unique, being the natural key of the row.
    Index("idx_scraper_timestamp", "scraper_id", "timestamp", unique=True),
    Index("idx_match_timestamp", "match_id", "timestamp"),
    Index("idx_health_status", "health_status", "timestamp"),
    Index("idx_scraper_health_log_timestamp", "timestamp"),
)

scraper_errors = Table(
    "scraper_errors",
    metadata,
    Column("id", RowId, primary_key=True, autoincrement=True),
    Column("error_id", Text, nullable=False),
    Column("scraper_id", Text, nullable=False),
    Column("match_id", Text),
    Column("timestamp", Moment, nullable=False),
    Column("error_type", Text, nullable=False),
    Column("error_message", Text),
    Column("stack_trace", Text),
    Column("url", Text),
    Column("operation", Text),
    Column("retry_attempt", BigInteger, nullable=False, server_default=text("0")),
    Column("resolved", Boolean, nullable=False, server_default=false()),
    Column("resolution_time", Moment),
    Column("resolution_method", Text),
    UniqueConstraint("error_id"),
    Index("idx_scraper_errors_scraper_timestamp", "scraper_id", "timestamp"),
    Index("idx_scraper_errors_match_timestamp", "match_id", "timestamp"),
    Index("idx_scraper_errors_timestamp", "timestamp"),
    Index("idx_error_type", "error_type", "timestamp"),
    Index("idx_unresolved", "resolved", "timestamp"),
)
