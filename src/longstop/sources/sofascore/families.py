"""Which of the site's answers is this? Told by structure alone: names of files and calls may lie."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

import msgspec

# One of these alone proves nothing; no other site's match has so many of them.
_OWN_EVENT_MARKS = frozenset(
    {"startTimestamp", "customId", "homeTeam", "awayTeam", "homeScore", "awayScore", "winnerCode"}
)
_EVENT_MARKS = _OWN_EVENT_MARKS | {"id", "slug", "status", "tournament", "season", "roundInfo", "changes"}
_INCIDENT_MARKS = frozenset({"incidentType", "incidentClass", "isHome", "reversedPeriodTime", "addedTime"})
_MEASURE_MARKS = frozenset({"period", "groups"})
_FOUND_MARKS = frozenset({"type", "entity"})
_WRAPPED_DEPTH = 3
_WRAPPED_MAX = 50
_ROWS_LOOKED_AT = 20

Test = Callable[[object], bool]


class Family(Enum):
    EVENT = "event"
    EVENT_LIST = "event_list"
    INCIDENTS = "incidents"
    LINEUPS = "lineups"
    STATISTICS = "statistics"
    PLAYER = "player"
    PLAYER_MATCH = "player_statistics"
    PLAYER_SEASON = "season_statistics"
    SEARCH = "search"
    SEASONS = "seasons"

    @property
    def is_of_a_match(self) -> bool:
        return self in _OF_A_MATCH


_OF_A_MATCH = frozenset({Family.EVENT, Family.INCIDENTS, Family.LINEUPS, Family.STATISTICS})


class Part(msgspec.Struct, frozen=True):
    """A payload of the site, as the site would wrap it, and where in the file it was found."""

    family: Family
    content: dict[str, Any]
    place: str = ""


def recognised(content: object, place: str = "") -> Part | None:
    """None when it is none of the site's answers."""
    wrapped = _wrapped(content)
    family = _family(wrapped) if wrapped is not None else None
    return Part(family, wrapped, place) if wrapped is not None and family is not None else None


def _wrapped(content: object) -> dict[str, Any] | None:
    """People keep the inside of an answer at times; the site wraps each kind in its own key."""
    if isinstance(content, list):
        if _rows_with(content, _is_event):
            return {"events": content}
        return {"incidents": content} if _rows_with(content, _is_incident) else None
    if not isinstance(content, dict):
        return None
    return {"event": content} if _is_event(content) else content


def _family(content: dict[str, Any]) -> Family | None:
    for family, is_it in _TESTS:
        if is_it(content):
            return family
    return None


def parts_inside(content: object) -> list[Part]:
    """Several answers that somebody saved in one file, each under some key."""
    return list(_search(content, "", _WRAPPED_DEPTH))[:_WRAPPED_MAX]


def _search(content: object, place: str, depth: int) -> Iterator[Part]:
    part = recognised(content, place)
    if part is not None and not _is_bare(part):
        yield part
    elif depth > 0:
        for key, value in _children(content):
            yield from _search(value, f"{place}.{key}" if place else str(key), depth - 1)


def _children(content: object) -> list[tuple[Any, Any]]:
    if isinstance(content, dict):
        return list(content.items())[:_WRAPPED_MAX]
    return list(enumerate(content[:_WRAPPED_MAX])) if isinstance(content, list) else []


def _is_bare(part: Part) -> bool:
    """An empty list under a common word is no evidence inside of somebody else's file."""
    return not any(part.content.values())


def _is_event(content: object) -> bool:
    if not isinstance(content, dict):
        return False
    keys = content.keys()
    return len(keys & _EVENT_MARKS) >= 5 and len(keys & _OWN_EVENT_MARKS) >= 2


def _is_incident(content: object) -> bool:
    if not isinstance(content, dict):
        return False
    return "incidentType" in content or len(content.keys() & _INCIDENT_MARKS) >= 2


def _rows_with(rows: object, is_it: Test) -> bool:
    """Most of the first rows are of the kind."""
    if not isinstance(rows, list) or not rows:
        return False
    seen = rows[:_ROWS_LOOKED_AT]
    return 2 * sum(map(is_it, seen)) >= len(seen)


def _is_period(row: object) -> bool:
    return isinstance(row, dict) and bool(row.keys() & _MEASURE_MARKS)


def _is_found(row: object) -> bool:
    return isinstance(row, dict) and row.keys() >= _FOUND_MARKS


def _tells_event(content: Mapping[str, Any]) -> bool:
    return _is_event(content.get("event"))


def _tells_events(content: Mapping[str, Any]) -> bool:
    is_empty = content.get("events") == [] and content.keys() <= {"events", "hasNextPage"}
    return is_empty or _rows_with(content.get("events"), _is_event)


def _tells_incidents(content: Mapping[str, Any]) -> bool:
    is_empty = content.get("incidents") == [] and content.keys() <= {"incidents", "home", "away"}
    return is_empty or _rows_with(content.get("incidents"), _is_incident)


def _tells_lineups(content: Mapping[str, Any]) -> bool:
    sheets = [content.get(side) for side in ("home", "away")]
    shown = sum(isinstance(sheet, dict) and bool(sheet.keys() & {"players", "formation"}) for sheet in sheets)
    return (
        shown == 2
        or ("confirmed" in content and content.keys() <= {"confirmed", "home", "away"})
        or (shown == 1 and "confirmed" in content)
    )


def _tells_statistics(content: Mapping[str, Any]) -> bool:
    is_empty = content.get("statistics") == [] and len(content) == 1
    return is_empty or _rows_with(content.get("statistics"), _is_period)


def _tells_player(content: Mapping[str, Any]) -> bool:
    player = content.get("player")
    return isinstance(player, dict) and {"id", "slug"} <= player.keys()


def _tells_player_match(content: Mapping[str, Any]) -> bool:
    return _tells_player(content) and isinstance(content.get("statistics"), dict) and "team" in content


def _tells_season(content: Mapping[str, Any]) -> bool:
    figures = content.get("statistics")
    return isinstance(figures, dict) and "player" not in content and len(figures.keys() & {"rating", "goals"}) >= 1


def _tells_search(content: Mapping[str, Any]) -> bool:
    return _rows_with(content.get("results"), _is_found)


def _tells_seasons(content: Mapping[str, Any]) -> bool:
    return isinstance(content.get("uniqueTournamentSeasons"), list)


_TESTS = (
    (Family.EVENT, _tells_event),
    (Family.EVENT_LIST, _tells_events),
    (Family.INCIDENTS, _tells_incidents),
    (Family.LINEUPS, _tells_lineups),
    (Family.STATISTICS, _tells_statistics),
    (Family.PLAYER_MATCH, _tells_player_match),
    (Family.PLAYER, _tells_player),
    (Family.PLAYER_SEASON, _tells_season),
    (Family.SEARCH, _tells_search),
    (Family.SEASONS, _tells_seasons),
)
