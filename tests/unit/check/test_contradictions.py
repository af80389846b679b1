"""What no healthy source can show at any moment, each beside what looks like it and is healthy."""

from typing import Any

import msgspec
import pytest

from longstop.check.plausibility import judge
from longstop.domain.cricket import (
    BatterFigures,
    BowlerFigures,
    Delivery,
    Dismissal,
    Extras,
    InningsState,
    OverReport,
    PlayState,
    Result,
    Toss,
)
from longstop.domain.observation import Observation
from tests.cricket import at, ball, innings_of, observed

replace = msgspec.structs.replace
LIVE = observed(innings_of(1, 4))
HEADLINE = (("CD", ((24, 0),)), ("EF", ((0, 0),)))


def scored(**changes: Any) -> Observation:
    return replace(LIVE, innings=(replace(LIVE.innings[0], **changes),))


def batted(*batting: BatterFigures, bowler: str = "W1", **changes: Any) -> Observation:
    return replace(scored(**changes), batting=batting, bowling=BowlerFigures(bowler, 3, 6))


def bowled(out: tuple[tuple[str, str], ...] = (), *, wickets: int = 2, **changes: Any) -> Observation:
    delivery: Delivery = replace(ball(1, 3, 1), dismissals=tuple(Dismissal(*who) for who in out), **changes)
    return replace(scored(wickets=wickets), overs=(OverReport(1, 3, (delivery,)),))


def ended(by_runs: int) -> Observation:
    return observed(innings_of(1, 4), result=Result("won", "CD", by_runs=by_runs))


def chased(runs: int, **changes: Any) -> Observation:
    told = observed(innings_of(1, 4), innings_of(2, 3))
    return replace(told, innings=(told.innings[0], replace(told.innings[1], runs=runs, target_runs=25)), **changes)


CONTRADICTIONS = {
    "innings 1 is of 4.0 overs in one place and of 99.1 in another": replace(
        LIVE, headline=HEADLINE, headline_overs=(("CD", ("99.1",)), ("EF", ("0.0",)))
    ),
    "CD has 1 innings in one place and 2 in another": replace(LIVE, headline=(("CD", ((24, 0), (50, 2))), ("EF", ()))),
    "CD has 0 innings in one place and 1 in another": replace(LIVE, innings=(), overs=(), headline=HEADLINE),
    "CD has 2 innings in one place and 1 in another": replace(
        observed(innings_of(1, 4), innings_of(2, 4), innings_of(3, 4)), headline=HEADLINE[:1]
    ),
    "innings 1 is of 3.8 overs, and one has 6 balls": scored(overs="3.8"),
    "innings 1 has 5000 runs off 24 balls": scored(runs=5000, extras=None),
    "its batters have 33 runs of 34, and 34 are extras": batted(
        BatterFigures("B1", 25, 20), BatterFigures("B2", 8, 9), runs=34, extras=Extras(wides=34)
    ),
    "it was won by -3": ended(by_runs=-3),
    "it has not started, and 24 balls were bowled": replace(LIVE, play=PlayState.NOT_STARTED),
    "innings 1 has 180 balls, and it is a T20": replace(observed(innings_of(1, 30)), format="T20"),
    "XY won the toss, and does not play in this match": replace(LIVE, toss=Toss("XY", "bat")),
    "B1 is out more than once at ball 1.3.1": bowled((("B1", "bowled"), ("B1", "bowled"))),
    "ZZ is bowled at ball 1.3.1 and does not bat": bowled((("ZZ", "bowled"),)),
    "B1 is bowled off a wide at ball 1.3.1": bowled((("B1", "bowled"),), extras=Extras(wides=1)),
    "B1 bats at both ends at ball 1.3.1": bowled(non_striker="B1"),
    "ball 1.3.1 is bowled by B1, who bats": bowled(bowler="B1"),
    "ball 1.3.1 is bowled by B2, who bats": bowled(bowler="B2"),
    "ball 1.3.1 is a wide, and more than that": bowled(extras=Extras(wides=1, noballs=1)),
    "ball 1.3.1 has 2 runs off the bat and 2 byes": bowled(runs_batter=2, extras=Extras(byes=2)),
    "ball 1.3.1 has byes and leg byes": bowled(extras=Extras(byes=2, legbyes=1)),
    "ball 1.3.1 is bowled at 2027-06-01 12:00, more than a day ahead": bowled(bowled_at=at(365 * 86_400)),
    "both batters are on strike": batted(
        BatterFigures("B1", 9, 9, is_on_strike=True), BatterFigures("B2", 9, 9, is_on_strike=True)
    ),
    "B2 bats and bowls": batted(BatterFigures("B1", 9, 9), BatterFigures("B2", 9, 9), bowler="B2"),
    "batter B1 has 20 runs off 0 balls": batted(BatterFigures("B1", 20, 0)),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", CONTRADICTIONS)
def test_what_no_healthy_source_can_show_is_held_for_good(reason: str) -> None:
    for is_insisted in (False, True):
        assert reason in judge(CONTRADICTIONS[reason], is_insisted=is_insisted).reasons


SUPER_OVER = replace(LIVE.innings[0], number=2, is_super_over=True, legal_balls=6, overs="1.0")

HEALTHY = {
    "a headline of overs that were miscounted": replace(
        LIVE, headline=HEADLINE, headline_overs=(("CD", ("3.6",)), ("EF", ("0.0",)))
    ),
    "a headline that tells nothing": replace(LIVE, headline=(("CD", ()), ("EF", ()))),
    "a headline without the super over": replace(
        LIVE,
        innings=(replace(LIVE.innings[0], state=InningsState.CLOSED), SUPER_OVER),
        overs=(),
        headline=HEADLINE,
    ),
    "an over of eight that the umpire has not ended": scored(overs="3.7", legal_balls=25),
    "an over of seventeen no-balls": replace(scored(runs=77, legal_balls=4, overs="0.4"), overs=()),
    "penalty runs beside batters who made the rest": batted(
        BatterFigures("B1", 12, 12), BatterFigures("B2", 12, 12), runs=29, extras=Extras(penalty=5)
    ),
    "play that was called before the source called it": replace(observed(innings_of(1, 1)), play=PlayState.NOT_STARTED),
    "a T20 whose overs were miscounted": replace(observed(innings_of(1, 21)), format="T20"),
    "a Test of long innings": replace(observed(innings_of(1, 200)), format="Test"),
    "a toss of which only the decision is told": replace(LIVE, toss=Toss("", "bat")),
    "one run out and the other obstructing": bowled((("B1", "obstructing the field"), ("B2", "run out"))),
    "timed out before he batted": bowled((("B7", "timed out"),)),
    "retired between two balls": bowled((("B7", "retired hurt"),)),
    "stumped off a wide": bowled((("B1", "stumped"),), extras=Extras(wides=1)),
    "a catch off what was called wide": bowled((("B1", "caught"),), extras=Extras(wides=1)),
    "bowled by what may be a no-ball": bowled((("B1", "bowled"),), extras=Extras(noballs=1)),
    "the last who stands": bowled(non_striker="B1", wickets=9),
    "nobody at the other end": bowled(non_striker=""),
    "byes off a no-ball": bowled(extras=Extras(noballs=1, byes=4)),
    "a ball by a clock of another time zone": bowled(bowled_at=at(14 * 3600)),
    "the last bowler of one innings, who opens the next": replace(
        observed(innings_of(1, 4), innings_of(2, 1)),
        batting=(BatterFigures("B1", 2, 3), BatterFigures("W1", 4, 3)),
        bowling=BowlerFigures("W1", 3, 6),
    ),
    "sixes off no-balls that nobody counts as faced": batted(BatterFigures("B1", 18, 0, 0, 3)),
    "a target that the last ball passed": chased(30),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_what_only_looks_like_it_is_believed(name: str) -> None:
    assert judge(HEALTHY[name]).reasons == ()


SURPRISES = {
    "innings 2 chases 25, has 70 and goes on": chased(70),
    "CD is told to have won, and play goes on": replace(LIVE, told_winner="CD"),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", SURPRISES)
def test_an_end_that_goes_on_is_held_until_it_is_insisted_on(reason: str) -> None:
    verdict = judge(SURPRISES[reason])
    assert (verdict.reasons, verdict.is_surprise) == ((reason,), True)
    assert judge(SURPRISES[reason], is_insisted=True).is_accepted
