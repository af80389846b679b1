"""Is a match of a round whole enough to be written? Nothing is made up, and nothing half told is stored."""

from collections.abc import Iterator

from longstop.check import football
from longstop.check.verdict import Verdict
from longstop.domain.football import FootballEvent, IncidentKind, MatchReport, Phase, Side, Stage


def judge(report: MatchReport, previous: FootballEvent | None = None) -> Verdict:
    """All reasons at once. `previous` is what is stored of the same match; a surprise against it is a reason too."""
    reasons = [*_missing(report), *football.judge(report, previous).reasons, *_goals_reasons(report)]
    return Verdict(tuple(dict.fromkeys(reasons)))


def _missing(report: MatchReport) -> Iterator[str]:
    event = report.event
    if event is None:
        yield "the match itself is missing"
        return
    for side, club in (("home", event.home), ("away", event.away)):
        if not club.name.strip():
            yield f"the {side} team has no name"
    if event.phase is Phase.UNKNOWN:
        yield "its status is one that we do not know"
    if event.phase.is_played_out:
        yield from _missing_of_played(report, event)


def _missing_of_played(report: MatchReport, event: FootballEvent) -> Iterator[str]:
    if event.kickoff is None:
        yield "it was played and has no date"
    if event.score is None:
        yield "it was played and has no score"
    if report.incidents is None:
        yield "it was played and nothing is told of what happened"
    if not report.statistics:
        yield "it was played and has no statistics"


def _goals_reasons(report: MatchReport) -> Iterator[str]:
    """Where every goal is told with its team, they add up to the score. An own goal stands with who it counts for."""
    event = report.event
    if event is None or event.score is None or report.incidents is None or not _owes_goals(event):
        return
    goals = [row for row in report.incidents if row.kind is IncidentKind.GOAL]
    told = tuple(sum(row.side is side for row in goals) for side in (Side.HOME, Side.AWAY))
    if told != event.score:
        yield f"it ended {event.score[0]}-{event.score[1]}, and {told[0]}-{told[1]} goals are told"


def _owes_goals(event: FootballEvent) -> bool:
    return event.phase.is_played_out and event.phase.stage is Stage.OVER
