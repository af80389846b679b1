"""What may be true and hardly is: a score that leaps or goes far back, an end that was none.

A source that says so once is not believed. One that insists is: then it was a correction, and holding it back for ever
would be the greater lie. Contradictions are another matter; no insisting makes them true.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from longstop.check.verdict import Verdict
from longstop.clock import age_seconds
from longstop.domain.cricket import InningsScore, InningsState, PlayState, Result
from longstop.domain.observation import Observation

RUNS_TAKEN_BACK_MAX = 20
RUNS_AT_ONCE_MAX = 30
RUNS_A_LEGAL_BALL_MAX = 8
WICKETS_AT_ONCE_MAX = 3
# One ball may go past it by a six and what overthrows add.
RUNS_PAST_TARGET_MAX = 20

INSISTED_SECONDS = 60.0
INSISTED_TIMES = 3

_MAY_GO_ON = frozenset({"tie", "draw"})
WICKETS_MAX = 10


class Record(msgspec.Struct, frozen=True):
    """What an earlier life believed last of a match, as far as the store tells. Before there was one the list tells who
    plays, and may not have known it yet."""

    teams: tuple[str, str]
    source_at: datetime | None = None
    innings: int = 0
    is_listed: bool = False


def strangers(observation: Observation, teams: tuple[str, str]) -> Iterator[str]:
    if all(teams) and set(observation.teams) != set(teams):
        yield f"the teams were {' and '.join(teams)}, and are {' and '.join(observation.teams)} now"


def since(observation: Observation, record: Record) -> Iterator[str]:
    """The first look of a new life. A stuck cache may answer it; a source that insists has been put right."""
    told = observation.provenance.source_at
    if record.is_listed:
        yield from strangers(observation, record.teams)
    elif told is not None and record.source_at is not None and told < record.source_at:
        yield "it is older than what is on record"
    elif len(observation.innings) < record.innings:
        yield f"{record.innings} innings are on record, and it shows {len(observation.innings)}"


def reasons(observation: Observation, previous: Observation) -> Iterator[str]:
    for score, before in zip(observation.innings, previous.innings, strict=False):
        yield from _innings_reasons(score, before, observation.balls_per_over)
    yield from _life_reasons(observation, previous)


def _innings_reasons(score: InningsScore, before: InningsScore, balls_per_over: int) -> Iterator[str]:
    where = f"innings {score.number}"
    if score.team != before.team:
        yield f"{where} was of {before.team}, and is of {score.team} now"
        return
    if score.legal_balls is None or before.legal_balls is None:
        return
    bowled = score.legal_balls - before.legal_balls
    if -bowled > balls_per_over or before.runs - score.runs > RUNS_TAKEN_BACK_MAX:
        yield f"{where} went from {_shown(before)} back to {_shown(score)}"
    elif score.runs - before.runs > RUNS_AT_ONCE_MAX + RUNS_A_LEGAL_BALL_MAX * max(0, bowled):
        yield f"{where} leapt from {_shown(before)} to {_shown(score)}"
    elif score.wickets - before.wickets > WICKETS_AT_ONCE_MAX + max(0, bowled):
        yield f"{where} lost {score.wickets - before.wickets} wickets in {max(0, bowled)} balls"


def _shown(score: InningsScore) -> str:
    return f"{score.runs}/{score.wickets} ({score.overs})"


def _life_reasons(observation: Observation, previous: Observation) -> Iterator[str]:
    """A tie goes on with a super over; anything else that ended and is played again was no end."""
    result = previous.result
    is_over = previous.play is PlayState.ENDED and result is not None and result.verdict not in _MAY_GO_ON
    is_on = observation.play in (PlayState.PLAY, PlayState.NOT_STARTED)
    if is_over and is_on and len(observation.innings) <= len(previous.innings):
        yield "it was over, and is played again"


def chase_reasons(observation: Observation) -> Iterator[str]:
    """An end that the source has not noticed. Some friendly matches play on past it."""
    score = observation.current_innings
    if score is None or observation.play is not PlayState.PLAY or score.state is not InningsState.LIVE:
        return
    if observation.told_winner:
        yield f"{observation.told_winner} is told to have won, and play goes on"
    if score.target_runs is not None and score.runs > score.target_runs + RUNS_PAST_TARGET_MAX:
        yield f"innings {score.number} chases {score.target_runs}, has {score.runs} and goes on"


def end_reasons(observation: Observation) -> Iterator[str]:
    """An end that the totals do not give. It may be one of a method that the source forgot to name."""
    result = observation.result
    ordinary = [score for score in observation.innings if not score.is_super_over]
    if result is None or result.method or {score.team for score in ordinary} != set(observation.teams):
        return
    totals = {team: sum(score.runs for score in ordinary if score.team == team) for team in observation.teams}
    if result.verdict == "tie" and len(set(totals.values())) > 1:
        yield f"it is told to be a tie of {' and '.join(str(total) for total in totals.values())}"
    if result.verdict == "won" and result.winner in totals and not result.by_innings:
        yield from _win_reasons(result, totals, ordinary[-1])


def _win_reasons(result: Result, totals: dict[str, int], last: InningsScore) -> Iterator[str]:
    winner = result.winner or ""
    others = max(total for team, total in totals.items() if team != winner)
    if result.by_runs is not None and totals[winner] <= others:
        yield f"{winner} won by {result.by_runs} runs, with {totals[winner]} to {others}"
    wickets = result.by_wickets
    if wickets is not None and last.team == winner and last.wickets + wickets > WICKETS_MAX:
        yield f"{winner} won by {wickets} wickets, and lost {last.wickets}"


class Patience:
    """How long a source has insisted on something surprising, and on nothing worse."""

    def __init__(self) -> None:
        self._since: datetime | None = None
        self._times = 0

    @property
    def is_tried(self) -> bool:
        """The last thing it was shown is a surprise, and no more than that."""
        return self._since is not None

    def is_worn_out(self, now: datetime) -> bool:
        return self._times >= INSISTED_TIMES and self.has_lasted(now)

    def has_lasted(self, now: datetime) -> bool:
        """For whoever was not there at every look, and knows only from when until when it was shown."""
        return self._since is not None and age_seconds(now, self._since) >= INSISTED_SECONDS

    def note(self, verdict: Verdict, now: datetime) -> None:
        if not verdict.is_surprise:
            self._since, self._times = None, 0
            return
        # By a clock that was set back it has only begun; or it would have to insist for as long as that was.
        self._since = now if self._since is None else min(self._since, now)
        self._times += 1
