"""What may be read of football before kickoff; the same for both databases but for how JSON is read."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Select, Text, bindparam, cast, exists, not_, or_, select

from longstop.store import football_tables as tables
from longstop.store.tables import JsonText
from longstop.store.writes import FOOTBALL, LINEUPS, PLAYERS, PROGRESS, QUARANTINE, Kind

Selection = Select[Any]


@dataclass(frozen=True)
class FootballQueries:
    match: Selection
    match_of: Selection
    matches: Selection
    lineups: Selection
    lineups_standing: Selection
    players: Selection
    players_standing: Selection
    progress: Selection
    progresses: Selection
    quarantined: Selection


@cache
def football_queries(dialect: str) -> FootballQueries:
    is_postgres = dialect == "postgresql"
    matches, quarantine = tables.football_matches.c, tables.football_quarantine.c
    lineups, players = _sheets(LINEUPS, is_postgres), _sheets(PLAYERS, is_postgres)
    return FootballQueries(
        match=_of_match(FOOTBALL, is_postgres),
        match_of=_select(FOOTBALL, is_postgres)
        .where(matches.source == bindparam("source"), matches.source_event_id == bindparam("source_event_id"))
        .order_by(matches.match_id),
        matches=_select(FOOTBALL, is_postgres)
        .where(_within(matches.kickoff_at))
        .order_by(matches.kickoff_at, matches.match_id)
        .limit(bindparam("limit")),
        lineups=lineups,
        lineups_standing=lineups.where(_stands(tables.match_sofascore_lineup)),
        players=players,
        players_standing=players.where(_stands(tables.match_sofascore_player)),
        progress=_of_match(PROGRESS, is_postgres),
        progresses=_select(PROGRESS, is_postgres)
        .join(tables.football_matches, matches.match_id == tables.football_captures.c.match_id)
        .where(_within(matches.kickoff_at)),
        quarantined=_select(QUARANTINE, is_postgres)
        .where(quarantine.released_at.is_(None))
        .order_by(quarantine.captured_at, quarantine.match_id, quarantine.family)
        .limit(bindparam("limit")),
    )


def _select(kind: Kind, is_postgres: bool) -> Selection:
    columns = [kind.table.c[name] for name in kind.columns]
    return select(
        *(cast(each, Text).label(each.name) if is_postgres and each.type is JsonText else each for each in columns)
    )


def _of_match(kind: Kind, is_postgres: bool) -> Selection:
    return _select(kind, is_postgres).where(kind.table.c.match_id == bindparam("match_id"))


def _within(moment: Any) -> Any:
    return moment.between(bindparam("kickoff_from", type_=moment.type), bindparam("kickoff_until", type_=moment.type))


def _sheets(kind: Kind, is_postgres: bool) -> Selection:
    columns = kind.table.c
    until = bindparam("as_of", type_=columns.captured_at.type)
    order = (columns.captured_at, columns.team_side.desc(), columns.snapshot_type)
    place = (columns.place,) if kind is PLAYERS else ()
    return _of_match(kind, is_postgres).where(columns.captured_at <= until).order_by(*order, *place)


def _stands(table: Any) -> Any:
    """Not flagged, and not past the kickoff that was told last: nothing depends on the flag having been set."""
    matches = tables.football_matches.c
    passed = exists().where(matches.match_id == table.c.match_id, matches.kickoff_at <= table.c.captured_at)
    return or_(table.c.snapshot_type == "post_match", not_(table.c.after_kickoff) & ~passed)
