"""The tables of football before kickoff, for both databases; `tables.py` says how both are told once.

* A team sheet is kept for each capture that said something new, with the moment in its key: what was known at any time
  can be asked, and nothing is written over (docs/decisions/0018).
* Both databases refuse what was captured at or after the kickoff that was known then, unless it is said to be of after
  the match. `after_kickoff` is a later fact: the kickoff was moved before the capture.
* `sheet` is the normalised payload of the side, in the version that `schema_version` names.
"""

from typing import Final

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Double, Index, Table, Text, false

from longstop.store.tables import JsonText, Moment, metadata

BEFORE_KICKOFF: Final = "snapshot_type = 'post_match' OR captured_at < kickoff_at"

football_matches = Table(
    "football_matches",
    metadata,
    Column("match_id", BigInteger, primary_key=True, autoincrement=False),
    Column("source", Text, nullable=False),
    Column("source_event_id", Text, nullable=False),
    Column("home_team", Text, nullable=False),
    Column("away_team", Text, nullable=False),
    Column("kickoff_at", Moment, nullable=False),
    Column("told_at", Moment, nullable=False),
    Column("league_id", BigInteger),
    Column("season", BigInteger),
    Column("page", Text, nullable=False),
    Column("tournament", Text, nullable=False),
    Column("status", Text, nullable=False),
    Index("idx_football_matches_kickoff", "kickoff_at"),
    Index("idx_football_matches_event", "source", "source_event_id"),
    sqlite_with_rowid=False,
)

football_captures = Table(
    "football_captures",
    metadata,
    Column("match_id", BigInteger, primary_key=True, autoincrement=False),
    Column("source", Text, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("state", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("attempts", BigInteger, nullable=False),
    Column("captures", BigInteger, nullable=False),
    Column("bytes_in", BigInteger, nullable=False),
    Column("exit_hash", Text, nullable=False),
    Column("schema_version", Text, nullable=False),
    Column("captured_at", Moment),
    Column("confirmed_at", Moment),
    Column("next_at", Moment),
    Index("idx_football_captures_next", "next_at"),
    sqlite_with_rowid=False,
)

match_sofascore_lineup = Table(
    "match_sofascore_lineup",
    metadata,
    Column("match_id", BigInteger, primary_key=True, autoincrement=False),
    Column("team_side", Text, primary_key=True),
    Column("snapshot_type", Text, primary_key=True),
    Column("captured_at", Moment, primary_key=True),
    Column("kickoff_at", Moment, nullable=False),
    Column("source", Text, nullable=False),
    Column("source_event_id", Text, nullable=False),
    Column("schema_version", Text, nullable=False),
    Column("formation", Text, nullable=False),
    Column("is_confirmed", Boolean, nullable=False),
    Column("null_field_rate", Double, nullable=False),
    Column("starters_missing", BigInteger, nullable=False),
    Column("flags", JsonText, nullable=False),
    Column("sheet", JsonText, nullable=False),
    Column("payload_sha256", Text, nullable=False),
    Column("after_kickoff", Boolean, nullable=False, server_default=false()),
    CheckConstraint(BEFORE_KICKOFF, name="ck_match_sofascore_lineup_before_kickoff"),
    Index("idx_match_sofascore_lineup_captured", "captured_at"),
    sqlite_with_rowid=False,
)

match_sofascore_player = Table(
    "match_sofascore_player",
    metadata,
    Column("match_id", BigInteger, primary_key=True, autoincrement=False),
    Column("team_side", Text, primary_key=True),
    Column("player_id_ext", Text, primary_key=True),
    Column("snapshot_type", Text, primary_key=True),
    Column("captured_at", Moment, primary_key=True),
    Column("kickoff_at", Moment, nullable=False),
    Column("schema_version", Text, nullable=False),
    Column("place", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("is_starter", Boolean, nullable=False),
    Column("position", Text, nullable=False),
    Column("shirt_number", BigInteger),
    Column("is_captain", Boolean, nullable=False),
    Column("rating", Double),
    Column("after_kickoff", Boolean, nullable=False, server_default=false()),
    CheckConstraint(BEFORE_KICKOFF, name="ck_match_sofascore_player_before_kickoff"),
    Index("idx_match_sofascore_player_player", "player_id_ext", "captured_at"),
    sqlite_with_rowid=False,
)

football_quarantine = Table(
    "football_quarantine",
    metadata,
    Column("match_id", BigInteger, primary_key=True, autoincrement=False),
    Column("captured_at", Moment, primary_key=True),
    Column("family", Text, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("contract", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("source_event_id", Text, nullable=False),
    Column("kickoff_at", Moment),
    Column("released_at", Moment),
    sqlite_with_rowid=False,
)
