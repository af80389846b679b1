"""What may be true and hardly is: held, and believed once the source insists."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop.check.plausibility import judge
from longstop.check.surprises import Patience, Record
from longstop.check.verdict import Verdict
from longstop.domain.cricket import PlayState, Result
from longstop.domain.match import MatchStatus
from longstop.domain.observation import Observation
from tests.cricket import NOON, innings_of, observed

replace = msgspec.structs.replace
BEFORE = observed(innings_of(1, 10))


def later(seconds: float = 5.0, **changes: Any) -> Observation:
    """The same innings a little later, with a clock that says so."""
    observation = observed(innings_of(1, 10), seconds=seconds)
    return replace(observation, innings=(replace(observation.innings[0], **changes),), overs=())


GOES_ON = {
    "nothing": later(),
    "a six": later(runs=66, legal_balls=61, overs="10.1"),
    "seven wides that ran to the boundary": later(runs=60 + 30),
    "ten overs while we slept": later(runs=220, legal_balls=120, overs="20.0", wickets=4),
    "a ball taken back": later(runs=54, legal_balls=59, overs="9.5"),
    "two wickets on one ball": later(wickets=2, legal_balls=61, overs="10.1"),
}


@pytest.mark.parametrize("name", GOES_ON)
def test_a_match_that_goes_on_surprises_nobody(name: str) -> None:
    assert judge(GOES_ON[name], BEFORE).reasons == ()


SURPRISES = {
    "innings 1 leapt from 60/0 (10.0) to 100/0 (10.1)": later(runs=100, legal_balls=61, overs="10.1"),
    "innings 1 leapt from 60/0 (10.0) to 95/0 (10.0)": later(runs=95),
    "innings 1 went from 60/0 (10.0) back to 12/0 (10.0)": later(runs=12, extras=None),
    "innings 1 went from 60/0 (10.0) back to 60/0 (8.0)": later(legal_balls=48, overs="8.0"),
    "innings 1 lost 6 wickets in 1 balls": later(wickets=6, legal_balls=61, overs="10.1"),
    "innings 1 was of CD, and is of EF now": later(team="EF"),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", SURPRISES)
def test_a_surprise_is_held_at_first_and_believed_when_insisted_on(reason: str) -> None:
    verdict = judge(SURPRISES[reason], BEFORE)
    assert (verdict.reasons, verdict.is_surprise) == ((reason,), True)
    assert judge(SURPRISES[reason], BEFORE, is_insisted=True).is_accepted


def over(verdict: str, seconds: float = 0.0) -> Observation:
    return observed(innings_of(1, 10), seconds=seconds, result=Result(verdict, "CD" if verdict == "won" else None))


@pytest.mark.req("B10")
def test_a_match_that_ended_and_is_played_again_is_a_surprise() -> None:
    again = judge(later(), over("won"))
    assert (again.reasons, again.is_surprise) == (("it was over, and is played again",), True)
    assert judge(over("won", 9.0), over("won")).is_accepted


ENDED = observed(innings_of(1, 10), innings_of(2, 9), result=Result("won", "CD", by_runs=6))


def ended(**changes: Any) -> Observation:
    return replace(ENDED, result=replace(Result("won", "CD", by_runs=6), **changes))


HEALTHY_ENDS = {
    "by runs": ended(),
    "by a method that is named": ended(winner="EF", by_runs=4, method="D/L"),
    "by another margin than the totals give": ended(by_runs=60),
    "by an innings": ended(winner="EF", by_runs=4, by_innings=1),
    "no result": ended(verdict="no result", winner=None, by_runs=None),
    "without a word of how": ended(by_runs=None),
    "before the other team batted": observed(innings_of(1, 10), result=Result("won", "EF", by_runs=1)),
}


@pytest.mark.parametrize("name", HEALTHY_ENDS)
def test_an_end_that_the_totals_give_surprises_nobody(name: str) -> None:
    assert judge(HEALTHY_ENDS[name]).reasons == ()


SURPRISING_ENDS = {
    "EF won by 6 runs, with 54 to 60": ended(winner="EF"),
    "EF won by 12 wickets, and lost 0": ended(winner="EF", by_runs=None, by_wickets=12),
    "it is told to be a tie of 60 and 54": ended(verdict="tie", winner=None, by_runs=None),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", SURPRISING_ENDS)
def test_an_end_that_the_totals_do_not_give_is_held_until_it_is_insisted_on(reason: str) -> None:
    verdict = judge(SURPRISING_ENDS[reason])
    assert (verdict.reasons, verdict.is_surprise) == ((reason,), True)
    assert judge(SURPRISING_ENDS[reason], ENDED, is_insisted=True).is_accepted


def test_a_tie_goes_on_with_a_super_over() -> None:
    assert judge(later(), over("tie")).is_accepted


def test_an_end_that_was_rain_after_all_is_told_by_its_play_state() -> None:
    rain = replace(later(), play=PlayState.RAIN, status=MatchStatus.LIVE)
    assert judge(rain, over("won")).is_accepted


def test_no_insisting_makes_a_contradiction_true() -> None:
    wrong = later(runs=300, wickets=11)
    verdict = judge(wrong, BEFORE, is_insisted=True)
    assert verdict.reasons == ("innings 1 has 11 wickets",)
    assert not verdict.is_surprise


def test_an_older_payload_is_no_surprise_however_often_it_comes() -> None:
    verdict = judge(BEFORE, later(60.0), is_insisted=True)
    assert verdict.reasons == ("it is older than what is known already",)
    assert not verdict.is_surprise


SURPRISE = Verdict(("it leapt",), is_surprise=True)


def worn_out(*steps: tuple[float, Verdict]) -> bool:
    patience = Patience()
    for seconds, verdict in steps[:-1]:
        patience.note(verdict, NOON + timedelta(seconds=seconds))
    return patience.is_worn_out(NOON + timedelta(seconds=steps[-1][0]))


def test_patience_lasts_a_minute_and_three_looks() -> None:
    thrice = [(0.0, SURPRISE), (2.5, SURPRISE), (5.0, SURPRISE)]
    assert not worn_out(*thrice, (59.0, SURPRISE))
    assert worn_out(*thrice, (60.0, SURPRISE))
    assert not worn_out(*thrice[:2], (600.0, SURPRISE))


def test_a_clock_that_is_set_back_makes_patience_no_longer_than_its_minute() -> None:
    """The minute begins once more."""
    back = [(3600.0, SURPRISE), (3602.5, SURPRISE), (5.0, SURPRISE), (7.5, SURPRISE)]
    assert not worn_out(*back, (64.0, SURPRISE))
    assert worn_out(*back, (65.0, SURPRISE))


@pytest.mark.parametrize("other", [Verdict(), Verdict(("both teams are CD",))])
def test_anything_else_in_between_begins_the_wait_anew(other: Verdict) -> None:
    assert not worn_out((0.0, SURPRISE), (5.0, SURPRISE), (50.0, other), (55.0, SURPRISE), (70.0, SURPRISE))


@given(st.lists(st.integers(0, 6), min_size=2, max_size=120), st.data())
@settings(max_examples=60)
def test_no_real_innings_surprises_however_many_looks_are_missed(shots: list[int], data: st.DataObject) -> None:
    balls = [replace(shot, runs_batter=runs) for shot, runs in zip(innings_of(1, 20), shots, strict=False)]
    first = data.draw(st.integers(1, len(balls)))
    second = data.draw(st.integers(first, len(balls)))
    assert judge(observed(balls[:second], seconds=9.0), observed(balls[:first])).reasons == ()


RECORD = Record(("AB", "CD"), source_at=NOON + timedelta(seconds=60), innings=1)


def first_look(seconds: float, *, teams: tuple[str, str] = ("AB", "CD")) -> Observation:
    observation = replace(observed(innings_of(1, 10), seconds=seconds), teams=teams)
    provenance = replace(observation.provenance, source_at=NOON + timedelta(seconds=seconds))
    return replace(observation, provenance=provenance)


def test_a_new_life_does_not_believe_at_once_what_is_older_than_the_record() -> None:
    assert judge(first_look(60.0), None, RECORD).is_accepted
    stale = judge(first_look(30.0), None, RECORD)
    assert (stale.is_accepted, stale.is_surprise) == (False, True)
    assert judge(first_look(30.0), None, RECORD, is_insisted=True).is_accepted


def test_a_new_life_never_believes_that_others_play_than_the_record_says() -> None:
    foreign = first_look(90.0, teams=("EF", "GH"))
    assert not judge(foreign, None, RECORD, is_insisted=True).is_accepted


def test_the_list_may_not_have_known_yet_who_plays() -> None:
    listed = Record(("EF", "GH"), is_listed=True)
    assert judge(first_look(90.0), None, listed).is_surprise
    assert judge(first_look(90.0), None, listed, is_insisted=True).is_accepted
    assert judge(first_look(90.0), None, Record(("", ""), is_listed=True)).is_accepted
