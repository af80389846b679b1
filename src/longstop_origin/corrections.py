"""Lets a site be wrong at first: some balls are shown otherwise than they were, and put right a little later.

The script itself is the truth and stays so: the last revision of every ball says what the script said.
"""

from collections.abc import Callable, Iterator
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from longstop_origin.script import Delivery, Extras, MatchScript, Revision, ScriptBall, ScriptInnings, Wicket

DELAY_SECONDS = (5.0, 180.0)
# So far from ten wickets, and from the target, a false wicket or a false six alters nothing but the score.
MOST_WICKETS_BEFORE = 7
CLEAR_OF_TARGET = 12


class CorrectionRate(Struct, frozen=True):
    ball: float
    phantom: float
    twice: float


RATES = {
    "none": CorrectionRate(0.0, 0.0, 0.0),
    "mild": CorrectionRate(0.015, 0.0, 0.0),
    "storm": CorrectionRate(0.04, 0.03, 0.2),
}


def with_corrections(script: MatchScript, seed: int, level: str) -> MatchScript:
    """The same match on a site that errs and corrects itself before the match ends. The script must have its times."""
    if level not in RATES:
        raise ValueError(f"there is no correction level {level!r}. Choose one of {', '.join(RATES)}.")
    if level == "none":
        return script
    rng = Random(f"{seed}:{script.key}:corrections")
    latest = script.end_seconds - 1.0
    innings = tuple(_Proofreader(each, RATES[level], latest, rng).innings() for each in script.innings)
    return replace(script, innings=innings)


class _Proofreader:
    """Goes through one innings and keeps count, so that no false score is an impossible one."""

    def __init__(self, innings: ScriptInnings, rate: CorrectionRate, latest: float, rng: Random) -> None:
        self._innings, self._rate, self._latest, self._rng = innings, rate, latest, rng
        self._runs = innings.penalty_pre
        self._wickets = 0

    def innings(self) -> ScriptInnings:
        return replace(self._innings, balls=tuple(self._balls()))

    def _balls(self) -> Iterator[ScriptBall]:
        balls = self._innings.balls
        split = _split_overs(balls)
        for number, ball in enumerate(balls):
            wrong = self._wrong(ball.delivery) if self._rng.random() < self._rate.ball else None
            self._runs += ball.delivery.runs
            self._wickets += ball.delivery.wickets_lost
            yield ball if wrong is None else self._corrected(ball, wrong)
            following = balls[number + 1] if number + 1 < len(balls) else ball
            if following.over != ball.over and ball.over not in split and self._rng.random() < self._rate.phantom:
                yield from self._phantom(ball)

    def _corrected(self, ball: ScriptBall, wrong: Delivery) -> ScriptBall:
        at = ball.at_seconds + self._rng.uniform(*DELAY_SECONDS)
        revisions = [Revision(round(at, 1), ball.delivery)]
        between = replace(wrong, runs_batter=wrong.runs_batter + 1)
        is_plain = not (wrong.extras.total or wrong.wickets) and between != ball.delivery
        if is_plain and self._rng.random() < self._rate.twice:
            revisions = [Revision(round(ball.at_seconds + 4, 1), between), *revisions]
        if revisions[-1].at_seconds >= self._latest:
            return ball
        return replace(ball, delivery=wrong, revisions=tuple(revisions))

    def _phantom(self, ball: ScriptBall) -> Iterator[ScriptBall]:
        """A ball too many at the end of an over: it was miscounted, and is taken away again."""
        at = round(ball.at_seconds + self._rng.uniform(3, 8), 1)
        gone = round(at + self._rng.uniform(10, 90), 1)
        if gone < self._latest and self._is_clear_of_target():
            extra = Delivery(ball.delivery.batter, ball.delivery.non_striker, ball.delivery.bowler, 1)
            if not ball.delivery.wickets:
                yield ScriptBall(ball.over, ball.position + 1, extra, at, (Revision(gone, None),))

    def _is_clear_of_target(self) -> bool:
        target = self._innings.target_runs
        return target is None or self._runs + CLEAR_OF_TARGET < target

    def _wrong(self, truth: Delivery) -> Delivery | None:
        """How the ball is shown first, None when it offers nothing to get wrong."""
        if not self._is_clear_of_target():
            return _swapped(truth, self._rng)
        ways: list[Callable[[Delivery, Random], Delivery | None]] = [_rescored, _rescored, _swapped]
        if truth.wickets_lost:
            ways = [_missed_wicket]
        elif truth.extras.wides or truth.extras.byes:
            ways = [_wide_or_bye]
        elif not self._innings.super_over and self._wickets <= MOST_WICKETS_BEFORE:
            ways.append(_overturned)
        return self._rng.choice(ways)(truth, self._rng)


def _split_overs(balls: tuple[ScriptBall, ...]) -> set[int]:
    """Overs that are interrupted by another: a ball added to their end would take the place of a real one."""
    seen: set[int] = set()
    split: set[int] = set()
    current: int | None = None
    for ball in balls:
        if ball.over != current and ball.over in seen:
            split.add(ball.over)
        seen.add(ball.over)
        current = ball.over
    return split


def _rescored(truth: Delivery, rng: Random) -> Delivery | None:
    if truth.extras.wides or truth.extras.byes or truth.extras.legbyes:
        return None
    return replace(truth, runs_batter=rng.choice([runs for runs in (0, 1, 2, 4) if runs != truth.runs_batter]))


def _swapped(truth: Delivery, _rng: Random) -> Delivery | None:
    """The other batter gets the runs; no total shows it."""
    if truth.wickets or truth.batter == truth.non_striker:
        return None
    return replace(truth, batter=truth.non_striker, non_striker=truth.batter)


def _wide_or_bye(truth: Delivery, _rng: Random) -> Delivery | None:
    extras = truth.extras
    if extras.noballs or truth.wickets or (extras.wides and extras.byes):
        return None
    swapped = Extras(wides=extras.byes, byes=extras.wides, legbyes=extras.legbyes, penalty=extras.penalty)
    return replace(truth, extras=swapped)


def _overturned(truth: Delivery, rng: Random) -> Delivery | None:
    """Given out at first; the review says not out."""
    if truth.wickets or truth.runs or not truth.is_legal:
        return None
    return replace(truth, wickets=(Wicket(truth.batter, rng.choice(("lbw", "bowled"))),))


def _missed_wicket(truth: Delivery, _rng: Random) -> Delivery | None:
    """Not given at first; the review says out."""
    return replace(truth, wickets=()) if truth.wickets_lost else None
