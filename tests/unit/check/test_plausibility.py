from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop.check.plausibility import is_older, judge, judge_innings, judge_overs, require_plausible_feed
from longstop.check.verdict import Verdict
from longstop.domain.cricket import Delivery, Extras, InningsScore, InningsState, OverReport, PlayState, Result
from longstop.domain.errors import MalformedPayloadError
from longstop.domain.observation import Observation
from tests.cricket import at, ball, innings_of, observed, report

replace = msgspec.structs.replace


def with_score(**changes: Any) -> Observation:
    observation = observed(innings_of(1, 3))
    return replace(observation, innings=(replace(observation.innings[0], **changes),))


def with_ball(delivery: Delivery) -> Observation:
    return replace(observed(innings_of(1, 3)), overs=(OverReport(1, 2, (delivery,)),))


def with_clock(seconds: float | None, *balls: list[Delivery], sequence: int | None = None) -> Observation:
    """Seen when it was told, or, without a clock of its own, at noon."""
    observation = observed(*(balls or (innings_of(1, 3),)), seconds=seconds or 0.0, sequence=sequence)
    source_at = None if seconds is None else at(seconds)
    return replace(observation, provenance=replace(observation.provenance, source_at=source_at))


def reasons(observation: Observation, previous: Observation | None = None) -> str:
    return "; ".join(judge(observation, previous).reasons)


def with_super_overs(observation: Observation) -> Observation:
    """All but the first two innings decide a tie."""
    shown = tuple(replace(score, is_super_over=score.number > 2) for score in observation.innings)
    return replace(observation, innings=shown)


HEALTHY = {
    "nothing bowled yet": observed([]),
    "not even begun": replace(observed([]), innings=(), overs=(), play=PlayState.NOT_STARTED),
    "one ball": observed([ball(1, 0, 1, 4)]),
    "an innings under way": observed(innings_of(1, 12)),
    "all out for nothing": with_score(runs=0, wickets=10, legal_balls=10, extras=Extras()),
    "a second innings": observed(innings_of(1, 20), innings_of(2, 3)),
    "a whole Test": observed(*(innings_of(number, 90, runs=2) for number in range(1, 5))),
    "four super overs": with_super_overs(observed(*(innings_of(number, 1) for number in range(1, 7)))),
    "stumps": observed(innings_of(1, 90), play=PlayState.STUMPS),
    "rain": observed(innings_of(1, 9), play=PlayState.RAIN),
    "a win": observed(innings_of(1, 2), result=Result("won", "CD", by_runs=3), states=(InningsState.CLOSED,)),
    "a tie": observed(innings_of(1, 2), result=Result("tie", eliminator="EF"), states=(InningsState.CLOSED,)),
    "extras only": with_score(runs=5, extras=Extras(wides=5)),
    "penalties before the first ball": with_score(runs=5, penalty_before=5, extras=Extras(penalty=5)),
    "no extras told": with_score(extras=None, legal_balls=None),
    "seven run with overthrows off a no-ball": with_ball(ball(1, 2, 1, 6, extras=Extras(noballs=1))),
    "five wides": with_ball(ball(1, 2, 1, extras=Extras(wides=5))),
    "byes off a no-ball and a penalty": with_ball(ball(1, 2, 1, extras=Extras(noballs=1, byes=4, penalty=5))),
    "an empty over": replace(observed(innings_of(1, 3)), overs=(OverReport(1, 2, ()),)),
    "an over of many wides": replace(
        observed(innings_of(1, 3)),
        overs=(OverReport(1, 2, tuple(ball(1, 2, n, extras=Extras(wides=1)) for n in range(1, 21))),),
    ),
    "without a clock": with_clock(None),
    "a clock in another time zone": replace(
        observed([]), provenance=replace(observed([]).provenance, source_at=at(14 * 3600))
    ),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_observation_is_accepted(name: str) -> None:
    assert judge(HEALTHY[name]).reasons == ()


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_observation_may_come_twice(name: str) -> None:
    assert judge(HEALTHY[name], HEALTHY[name]).is_accepted


CONTRADICTIONS = {
    "both teams are CD": replace(observed([]), teams=("CD", "CD")),
    "innings 1 is of XY, which does not play": with_score(team="XY"),
    "innings 1 has 11 wickets": with_score(wickets=11),
    "innings 1 has -1 wickets": with_score(wickets=-1),
    "innings 1 has a negative count": with_score(runs=-3, extras=None),
    "innings 1 has more extras (30) than runs (18)": with_score(extras=Extras(wides=30)),
    "innings 1 has more penalty runs than runs": with_score(penalty_after=50),
    "over -1 in innings 1": replace(observed([]), overs=(OverReport(1, -1, ()),)),
    "over 3 in innings 0": replace(observed([]), overs=(OverReport(0, 3, ()),)),
    "over 2 has 41 balls": replace(observed([]), overs=(OverReport(1, 2, tuple(ball(1, 2, n) for n in range(1, 42))),)),
    "over 2 is shown 2 times": replace(observed([]), overs=(OverReport(1, 2, ()), OverReport(1, 2, (ball(1, 2, 1),)))),
    "ball 1.2.1 has 21 runs": with_ball(ball(1, 2, 1, 21)),
    "ball 1.2.1 has -1 runs": with_ball(ball(1, 2, 1, -1)),
    "ball 1.2.1 has no batter": with_ball(replace(ball(1, 2, 1), batter="")),
    "ball 1.2.1 has no batter or no bowler": with_ball(replace(ball(1, 2, 1), bowler="")),
    "innings 1 of CD is 18/0 in one place and 81/0 in another": replace(
        observed(innings_of(1, 3)), headline=(("CD", ((81, 0),)), ("EF", ()))
    ),
    "the result names XY": observed([], result=Result("won", "XY")),
    "the result names ZZ": observed([], result=Result("tie", eliminator="ZZ")),
    "more than a day ahead": replace(
        observed([]), provenance=replace(observed([]).provenance, source_at=at(25 * 3600))
    ),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", CONTRADICTIONS)
def test_a_payload_that_contradicts_itself_is_held_and_says_why(reason: str) -> None:
    verdict = judge(CONTRADICTIONS[reason])
    assert not verdict.is_accepted
    assert reason in "; ".join(verdict.reasons)


@pytest.mark.parametrize("changes", [{"penalty_before": -5}, {"penalty_after": -5}, {"legal_balls": -1}])
def test_no_count_of_an_innings_may_be_negative(changes: dict[str, int]) -> None:
    assert "negative" in reasons(with_score(**changes))


def test_all_reasons_are_told_and_each_once() -> None:
    balls = tuple(ball(1, 2, 1, 30) for _ in range(3))
    found = judge(replace(with_score(wickets=12, team="XY"), overs=(OverReport(1, 2, balls),))).reasons
    assert len(found) == 4
    assert len(set(found)) == 4


def test_the_score_is_compared_innings_by_innings_in_both_places() -> None:
    observation = observed(innings_of(1, 3), innings_of(2, 2), innings_of(3, 1))
    right = (("CD", ((18, 0), (6, 0))), ("EF", ((12, 0),)))
    assert judge(replace(observation, headline=right)).is_accepted
    wrong = (("CD", ((18, 0), (7, 0))), ("EF", ((12, 0),)))
    assert "innings 3 of CD" in reasons(replace(observation, headline=wrong))


def test_a_super_over_is_no_part_of_the_score_shown_twice() -> None:
    observation = observed(innings_of(1, 3), innings_of(2, 3), innings_of(3, 1))
    over = replace(observation.innings[2], is_super_over=True)
    shown = (("CD", ((18, 0),)), ("EF", ((18, 0),)))
    assert judge(replace(observation, innings=(*observation.innings[:2], over), headline=shown)).is_accepted


@pytest.mark.req("C6")
def test_what_is_older_by_its_own_clock_is_refused() -> None:
    assert "older than what is known" in reasons(with_clock(10), with_clock(20))
    assert judge(with_clock(20), with_clock(10)).is_accepted


def test_the_clock_decides_and_the_sequence_only_where_the_clock_is_silent_or_the_same() -> None:
    assert not is_older(with_clock(20, sequence=1), with_clock(10, sequence=500))
    assert is_older(with_clock(10, sequence=500), with_clock(20, sequence=1))
    assert is_older(with_clock(10, sequence=4), with_clock(10, sequence=5))
    assert is_older(with_clock(None, sequence=4), with_clock(None, sequence=5))
    assert is_older(with_clock(None, sequence=4), with_clock(10, sequence=5))
    assert not is_older(with_clock(None, sequence=5), with_clock(None, sequence=5))
    assert not is_older(with_clock(None), with_clock(None))


def test_other_teams_are_another_match() -> None:
    other = replace(observed([]), teams=("CD", "XY"))
    assert "the teams were CD and EF, and are CD and XY now" in reasons(other, observed([]))


def test_teams_may_change_places() -> None:
    assert judge(replace(observed([], seconds=5), teams=("EF", "CD")), observed([])).is_accepted


def test_an_innings_does_not_go_away() -> None:
    two = observed(innings_of(1, 3), innings_of(2, 1))
    assert "there were 2 innings, and are 1 now" in reasons(observed(innings_of(1, 3), seconds=5), two)


def test_a_score_without_a_clock_may_shrink_by_a_correction_but_not_by_an_old_page() -> None:
    known = with_clock(None, innings_of(1, 10))
    corrected = with_clock(None, innings_of(1, 10)[:-1])
    old = with_clock(None, innings_of(1, 8))
    assert judge(corrected, known).is_accepted
    assert "went from 60 runs back to 48" in reasons(old, known)


def test_a_score_with_a_newer_clock_that_shrinks_far_is_a_surprise() -> None:
    verdict = judge(with_clock(20, innings_of(1, 2)), with_clock(10, innings_of(1, 10)))
    assert verdict.is_surprise
    assert verdict.reasons == ("innings 1 went from 60/0 (10.0) back to 12/0 (2.0)",)
    assert judge(with_clock(20, innings_of(1, 9)), with_clock(10, innings_of(1, 10))).is_accepted


@pytest.mark.req("C6")
def test_a_feed_older_than_the_board_is_refused() -> None:
    board = observed(innings_of(1, 3), sequence=12)
    with pytest.raises(MalformedPayloadError, match="older than the scoreboard"):
        require_plausible_feed((), 11, board)
    require_plausible_feed((), 12, board)
    require_plausible_feed((), 13, board)
    require_plausible_feed((), None, board)
    require_plausible_feed((), 1, observed(innings_of(1, 3)))


def test_a_feed_that_contradicts_itself_is_refused_with_its_first_reason() -> None:
    overs = (report(1, 0, innings_of(1, 1)), OverReport(1, 1, (ball(1, 1, 1, 99),)))
    with pytest.raises(MalformedPayloadError, match=r"not believed: ball 1\.1\.1 has 99 runs\."):
        require_plausible_feed(overs, None, observed([]))
    assert judge_overs(overs[:1]).is_accepted
    assert not judge_overs(overs[:1] * 2).is_accepted


def test_the_innings_of_a_scorecard_are_judged_alone() -> None:
    good = InningsScore(1, "CD", 100, 3)
    assert judge_innings((good,)).is_accepted
    assert judge_innings((good, replace(good, number=2, wickets=11))).reasons == ("innings 2 has 11 wickets",)


def test_a_verdict_without_a_reason_is_an_acceptance() -> None:
    assert Verdict().is_accepted
    assert not Verdict(("no",)).is_accepted


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5), st.booleans()), max_size=60), st.integers(0, 600))
@settings(max_examples=60)
def test_whatever_is_bowled_is_believed_and_so_is_what_comes_after(shots: list[Any], seconds: int) -> None:
    balls = [
        ball(1, number // 6, number % 6 + 1, 0 if extra else runs, extras=Extras(**{kind(which): 1}) if extra else None)
        for number, (runs, which, extra) in enumerate(shots)
    ]
    before = observed(balls[: len(balls) // 2])
    after = observed(balls, seconds=seconds)
    assert judge(before).is_accepted
    assert judge(after, before).is_accepted
    assert timedelta(0) <= after.provenance.captured_at - before.provenance.captured_at


def kind(which: int) -> str:
    return ("wides", "noballs", "byes", "legbyes", "penalty", "byes")[which]
