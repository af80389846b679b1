"""One payload, in the several places where it shows the same innings."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop.check.plausibility import judge
from longstop.domain.cricket import BatterFigures, BowlerFigures, InningsState, OverReport, PlayState
from longstop.domain.observation import Observation
from tests.cricket import ball, innings_of, observed

replace = msgspec.structs.replace


def scored(place: int = 0, *, innings: int = 1, **changes: Any) -> Observation:
    observation = observed(*(innings_of(number, 3) for number in range(1, innings + 1)))
    shown = list(observation.innings)
    shown[place] = replace(shown[place], **changes)
    return replace(observation, innings=tuple(shown))


def played(*batting: BatterFigures, bowling: BowlerFigures | None = None, **changes: Any) -> Observation:
    return replace(observed(innings_of(1, 3)), batting=batting, bowling=bowling, **changes)


HEALTHY = {
    "two batters and a bowler": played(
        BatterFigures("B1", 12, 9, 1, 1), BatterFigures("B2", 6, 9), bowling=BowlerFigures("W1", 9, 9, 0, 0)
    ),
    "a boundary of which the board knows no more": played(BatterFigures("B1", 22, 9, 4, 1)),
    "an over of five balls": scored(legal_balls=17),
    "overs that nobody counted": scored(overs="", legal_balls=18),
    "eight balls an over": replace(observed([]), balls_per_over=8),
    "the batters of the last innings in a break": played(BatterFigures("B1", 99, 60), play=PlayState.INNINGS_BREAK),
    "a chase": scored(1, innings=2, target_runs=19),
    "a declaration": scored(innings=2, state=InningsState.DECLARED),
    "a longer first innings before the rain": replace(scored(innings=2), overs_limit=1),
    "a super over for two wickets": scored(2, innings=3, is_super_over=True, wickets=2),
    "an over of eight that an umpire miscounted": replace(
        observed(innings_of(1, 3)), overs=(OverReport(1, 2, tuple(ball(1, 2, n, 1) for n in range(1, 9))),)
    ),
    "an over that has just begun": replace(observed(innings_of(1, 3)), overs=(OverReport(1, 3, (ball(1, 3, 1),)),)),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_what_agrees_is_believed(name: str) -> None:
    assert judge(HEALTHY[name]).reasons == ()


POISONED = {
    "innings 1 has 90 balls in 3.0 overs": scored(legal_balls=90),
    "innings 1 has 18 balls in 31.1 overs": scored(overs="31.1"),
    "innings 1 is under way, and so is innings 2": scored(innings=2, state=InningsState.LIVE),
    "its innings are numbered 7": scored(number=7),
    "it has 5 innings": scored(innings=5),
    "CD bats 3 times": scored(1, innings=4, team="CD"),
    "a super over comes before an ordinary innings": scored(0, innings=2, is_super_over=True),
    "innings 1 chases 200, and nothing came before it": scored(target_runs=200),
    "innings 2 chases 0": scored(1, innings=2, target_runs=0),
    "overs of innings 2 are shown, which has not begun": replace(
        observed(innings_of(1, 3)), overs=(OverReport(2, 0, (ball(2, 0, 1),)),)
    ),
    "over 40 of innings 1 is shown, and the score is of 3.0 overs": replace(
        observed(innings_of(1, 3)), overs=(OverReport(1, 40, (ball(1, 40, 1),)),)
    ),
    "the last overs of innings 1 have 60 runs, and all of it 18": replace(
        observed(innings_of(1, 3)),
        overs=tuple(OverReport(1, over, tuple(ball(1, over, n, 6) for n in range(1, 6))) for over in (1, 2)),
    ),
    "the last overs of innings 1 have 4 wickets, and all of it 0": replace(
        observed(innings_of(1, 3)), overs=(OverReport(1, 2, tuple(ball(1, 2, n, out="lbw") for n in range(1, 5))),)
    ),
    "over 2 of innings 1 has 13 legal balls": replace(
        observed(innings_of(1, 3)), overs=(OverReport(1, 2, tuple(ball(1, 2, n) for n in range(1, 14))),)
    ),
    "innings 1 has 180 balls, and overs are 20": replace(observed(innings_of(1, 30)), overs_limit=20),
    "innings 3 is a super over of 8 wickets": scored(2, innings=3, is_super_over=True, wickets=8),
    "batter B1 faced 80 balls of 18": played(BatterFigures("B1", 3, 80)),
    "its batters have 120 runs of 18": played(BatterFigures("B1", 80, 60), BatterFigures("B2", 40, 30)),
    "B1 bats at both ends": played(BatterFigures("B1", 1, 1), BatterFigures("B1", 1, 1)),
    "batter B1 has 5 runs, 2 fours and 0 sixes": played(BatterFigures("B1", 5, 5, 2)),
    "batter B1 has a negative count": played(BatterFigures("B1", 5, -5)),
    "bowler W1 gave 90 runs of 18": played(bowling=BowlerFigures("W1", 90, 9)),
    "bowler W1 took 4 wickets of 0": played(bowling=BowlerFigures("W1", 9, 9, 0, 4)),
    "bowler W1 has a negative count": played(bowling=BowlerFigures("W1", 9, -9)),
}  # fmt: skip


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", POISONED)
def test_what_does_not_agree_is_held_and_says_why(reason: str) -> None:
    verdict = judge(POISONED[reason])
    assert reason in "; ".join(verdict.reasons)
    assert not verdict.is_surprise


@given(st.integers(1, 40), st.integers(0, 6))
@settings(max_examples=60)
def test_any_innings_of_whole_overs_agrees_with_itself(overs: int, runs: int) -> None:
    balls = innings_of(1, overs, runs=runs)
    figures = BatterFigures("B1", runs * 6 * overs, 6 * overs, 0, 0), BatterFigures("B2", 0, 0)
    shown = replace(observed(balls), batting=figures, bowling=BowlerFigures("W1", runs * 6, 6))
    assert judge(shown).reasons == ()


@pytest.mark.req("B10")
@given(st.integers(3, 40), st.sampled_from(("wickets", "legal_balls", "runs", "number")), st.integers(50, 500))
@settings(max_examples=60)
def test_an_innings_with_a_number_from_elsewhere_is_held(overs: int, field: str, more: int) -> None:
    before = observed(innings_of(1, overs))
    (score,) = before.innings
    poisoned = replace(before, innings=(replace(score, **{field: getattr(score, field) + more}),))
    assert not judge(poisoned, before).is_accepted
