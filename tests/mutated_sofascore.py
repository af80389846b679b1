"""The Sofascore-like source's payloads, to be broken: each with its reader, and what of it may be believed."""

from typing import Any

import msgspec

from longstop.check import football
from longstop.domain.football import IncidentKind, MatchReport
from longstop.sources.sofascore import SofascoreReader
from tests.endurance import Case
from tests.sofascore import event, incidents, lineups, snapshot, statistics

GOALS = {(2, 1), (1, 1), (0, 1)}
SCORES = {None, (2, 1)}


def read(body: bytes) -> MatchReport | bool | None:
    """What would be published: of a list, only what is believed of it."""
    reading = SofascoreReader().read(snapshot(body))
    msgspec.json.encode(reading)
    report = reading.football
    if report is None:
        return True
    held = {row.key for row in football.held_rows(report)}
    if not football.judge(report).is_accepted:
        return None
    if report.events is None:
        return report
    return msgspec.structs.replace(report, events=tuple(row for row in report.events if row.key not in held))


def is_true(told: Any) -> bool:
    """The score of a match is the one it had, and each goal led to a score that there was, once."""
    if not isinstance(told, MatchReport):
        return True
    events = [*(told.events or ()), *([told.event] if told.event else [])]
    goals = [row.after for row in told.incidents or () if row.kind is IncidentKind.GOAL and row.after]
    return all(row.score in SCORES for row in events) and set(goals) <= GOALS and len(goals) == len(set(goals))


UNPLAYED: dict[str, Any] = {"id": 2, "winnerCode": None, "homeScore": {}, "awayScore": {}, "time": {}}
CASES: dict[str, Case] = {
    name: Case(payload, read, is_true)
    for name, payload in {
        "event": {"event": event()},
        "list": {"events": [event(), event("not started", **UNPLAYED), event(id=3)]},
        "incidents": {"incidents": incidents()},
        "line-ups": lineups(),
        "statistics": statistics(),
        "bundle": {"event": {"event": event()}, "incidents": {"incidents": incidents()}, "lineups": lineups()},
    }.items()
}
