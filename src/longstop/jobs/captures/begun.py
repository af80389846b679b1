"""What proves that a match runs, whatever its status and its kickoff say. Pure.

A site may show a stale copy of the event beside line-ups that are live. Nothing of this is there before kickoff.
"""

from collections.abc import Iterator
from datetime import datetime

from longstop.domain.football import FootballEvent, IncidentKind, LineUps, MatchReport, Phase, Stage


def proofs(report: MatchReport, captured_at: datetime) -> Iterator[str]:
    if report.event is not None:
        yield from _of_event(report.event, captured_at)
    if report.lineups is not None:
        yield from _of_lineups(report.lineups)
    if any(row.kind is not IncidentKind.OTHER for row in report.incidents or ()):
        yield "something has happened in it"
    if report.statistics:
        yield "it has statistics"


def _of_event(event: FootballEvent, captured_at: datetime) -> Iterator[str]:
    if event.stage in _BEGUN or event.phase.stage in _BEGUN:
        yield f"it is {event.phase.value}"
    if event.period_started_at is not None and event.period_started_at <= captured_at:
        yield f"a half began at {event.period_started_at:%Y-%m-%d %H:%M:%S} UTC"
    if any(event.score or ()):
        yield "goals were scored"


def _of_lineups(lineups: LineUps) -> Iterator[str]:
    players = [player for _, sheet in lineups.sheets for player in sheet.players]
    if any(player.minutes is not None for player in players):
        yield "players have played"
    if any(player.rating is not None for player in players):
        yield "players are rated for it"


def is_surely_ahead(event: FootballEvent) -> bool:
    """Both ways in which the source tells it say so."""
    return event.phase is Phase.NOT_STARTED and event.stage is Stage.UPCOMING


_BEGUN = frozenset({Stage.LIVE, Stage.OVER})
