"""Football before kickoff: the matches, how their captures went, who was told to play, and what waits to be read again.

Kept as it was written, even when `football_tables.py` moves on: a database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(length=27), "sqlite")
_JSON = sa.Text().with_variant(sa.JSON(), "postgresql")
_BEFORE = "snapshot_type = 'post_match' OR captured_at < kickoff_at"


def upgrade() -> None:
    _matches()
    _captures()
    _lineups()
    _players()
    _quarantine()


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False, autoincrement=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, _MOMENT, nullable=False)


def _after_kickoff() -> sa.Column[bool]:
    return sa.Column("after_kickoff", sa.Boolean(), nullable=False, server_default=sa.false())


def _matches() -> None:
    op.create_table(
        "football_matches",
        _number("match_id"),
        *map(_text, ("source", "source_event_id", "home_team", "away_team")),
        *map(_moment, ("kickoff_at", "told_at")),
        sa.Column("league_id", sa.BigInteger()),
        sa.Column("season", sa.BigInteger()),
        *map(_text, ("page", "tournament", "status")),
        sa.PrimaryKeyConstraint("match_id", name="pk_football_matches"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_football_matches_kickoff", "football_matches", ["kickoff_at"])
    op.create_index("idx_football_matches_event", "football_matches", ["source", "source_event_id"])


def _captures() -> None:
    op.create_table(
        "football_captures",
        _number("match_id"),
        _text("source"),
        _moment("updated_at"),
        *map(_text, ("state", "status", "reason")),
        *map(_number, ("attempts", "captures", "bytes_in")),
        *map(_text, ("exit_hash", "schema_version")),
        sa.Column("captured_at", _MOMENT),
        sa.Column("confirmed_at", _MOMENT),
        sa.Column("next_at", _MOMENT),
        sa.PrimaryKeyConstraint("match_id", name="pk_football_captures"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_football_captures_next", "football_captures", ["next_at"])


def _lineups() -> None:
    op.create_table(
        "match_sofascore_lineup",
        _number("match_id"),
        *map(_text, ("team_side", "snapshot_type")),
        *map(_moment, ("captured_at", "kickoff_at")),
        *map(_text, ("source", "source_event_id", "schema_version", "formation")),
        _flag("is_confirmed"),
        sa.Column("null_field_rate", sa.Double(), nullable=False),
        _number("starters_missing"),
        sa.Column("flags", _JSON, nullable=False),
        sa.Column("sheet", _JSON, nullable=False),
        _text("payload_sha256"),
        _after_kickoff(),
        sa.CheckConstraint(_BEFORE, name="ck_match_sofascore_lineup_before_kickoff"),
        sa.PrimaryKeyConstraint(
            "match_id", "team_side", "snapshot_type", "captured_at", name="pk_match_sofascore_lineup"
        ),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_match_sofascore_lineup_captured", "match_sofascore_lineup", ["captured_at"])


def _players() -> None:
    op.create_table(
        "match_sofascore_player",
        _number("match_id"),
        *map(_text, ("team_side", "player_id_ext", "snapshot_type")),
        *map(_moment, ("captured_at", "kickoff_at")),
        _text("schema_version"),
        _number("place"),
        _text("name"),
        _flag("is_starter"),
        _text("position"),
        sa.Column("shirt_number", sa.BigInteger()),
        _flag("is_captain"),
        sa.Column("rating", sa.Double()),
        _after_kickoff(),
        sa.CheckConstraint(_BEFORE, name="ck_match_sofascore_player_before_kickoff"),
        sa.PrimaryKeyConstraint(
            *("match_id", "team_side", "player_id_ext", "snapshot_type", "captured_at"),
            name="pk_match_sofascore_player",
        ),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_match_sofascore_player_player", "match_sofascore_player", ["player_id_ext", "captured_at"])


def _quarantine() -> None:
    op.create_table(
        "football_quarantine",
        _number("match_id"),
        _moment("captured_at"),
        *map(_text, ("family", "sha256", "contract", "reason", "source_event_id")),
        sa.Column("kickoff_at", _MOMENT),
        sa.Column("released_at", _MOMENT),
        sa.PrimaryKeyConstraint("match_id", "captured_at", "family", name="pk_football_quarantine"),
        sqlite_with_rowid=False,
    )
