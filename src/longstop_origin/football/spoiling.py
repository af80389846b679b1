"""Answers that go wrong on purpose: a field that is not there any more, no byte at all, far too many."""

from typing import Any

from longstop_origin.football.asked import EVENT, INCIDENTS, LINEUPS, STATISTICS
from longstop_origin.football.wire import Item

RENAMED, RETYPED = "renamed", "retyped"


def broken(kind: str, answer: Item, how: str) -> Item:
    """One field that everybody needs is renamed or of another type."""
    for row in _rows(kind, answer):
        old, new, other = _FIELDS[kind if kind in _FIELDS else "list"]
        if how == RENAMED:
            row[new] = row.pop(old, None)
        else:
            row[other] = _of_another_type(row.get(other))
    return answer


def _of_another_type(value: Any) -> Any:
    return [value] if isinstance(value, str) else str(value)


def _rows(kind: str, answer: Item) -> list[Item]:
    if kind == EVENT:
        return [answer["event"]]
    if kind == LINEUPS:
        return [row for side in ("home", "away") for row in answer.get(side, {}).get("players", ())]
    rows = answer.get({INCIDENTS: "incidents", STATISTICS: "statistics"}.get(kind, "events"), [])
    return list(rows)


# By family: a field and its new name, and a field that gets another type.
_FIELDS = {
    EVENT: ("homeTeam", "homeSide", "startTimestamp"),
    LINEUPS: ("player", "athlete", "substitute"),
    INCIDENTS: ("incidentType", "kind", "incidentType"),
    STATISTICS: ("groups", "blocks", "period"),
    "list": ("startTimestamp", "startsAt", "id"),
}


def padded(answer: Item, kilobytes: int) -> Item:
    """Valid, and far heavier than anybody expects."""
    return {**answer, "padding": "x" * (1024 * kilobytes)}
