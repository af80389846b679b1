"""From a payload to what the checks are given, by the way that a payload takes."""

from typing import Any

from longstop.check.football import judge
from longstop.domain.football import FootballEvent, MatchReport
from longstop.sources.sofascore import parser
from tests.sofascore import event, incidents, lineups


def event_of(status: str = "ended", **changes: Any) -> FootballEvent:
    return parser.read_event({"event": event(status, **changes)})


def report(
    told: dict[str, Any] | None = None,
    happened: list[dict[str, Any]] | None = None,
    playing: dict[str, Any] | None = None,
) -> MatchReport:
    return MatchReport(
        event=None if told is None else parser.read_event({"event": told}),
        incidents=None if happened is None else parser.read_incidents({"incidents": happened}),
        lineups=None if playing is None else parser.read_lineups(playing),
    )


def whole() -> MatchReport:
    return report(event(), incidents(), lineups())


def reasons(told: MatchReport, previous: FootballEvent | None = None) -> str:
    return "; ".join(judge(told, previous).reasons)
