"""What is told now, beside what was accepted last."""

import pytest

from longstop.check.football import judge_event
from longstop.domain.football import FootballEvent
from tests.sofascore import KICKOFF, score
from tests.unit.check.football.builders import event_of


def at(minute: int, status: str, home: int, away: int) -> FootballEvent:
    first = {"current": home, "display": home}, {"current": away, "display": away}
    clock = {"changeTimestamp": KICKOFF + 60 * minute}
    return event_of(status, winnerCode=None, homeScore=first[0], awayScore=first[1], changes=clock)


def said(now: FootballEvent, before: FootballEvent) -> str:
    return "; ".join(judge_event(now, before).reasons)


BEFORE = at(60, "second half", 2, 1)
GOES_ON = {
    "the same again": BEFORE,
    "a goal": at(61, "second half", 3, 1),
    "a goal that video took back": at(61, "second half", 1, 1),
    "the end": at(110, "ended", 2, 1),
    "extra time": at(110, "extra time", 2, 1),
    "broken off": at(70, "abandoned", 2, 1),
    "awarded": at(200, "awarded", 0, 3),
}


@pytest.mark.parametrize("name", GOES_ON)
def test_a_match_that_goes_on_is_believed(name: str) -> None:
    assert said(GOES_ON[name], BEFORE) == ""


@pytest.mark.req("B10")
def test_a_score_that_goes_back_without_a_newer_clock_is_held() -> None:
    assert "the score went from 2-1 back to 1-1" in said(at(60, "second half", 1, 1), BEFORE)
    assert "the score went from 5-1 back to 2-1" in said(at(70, "second half", 2, 1), at(60, "second half", 5, 1))


@pytest.mark.req("B10")
def test_a_match_that_lives_again_is_held() -> None:
    over = at(110, "ended", 2, 1)
    assert "it was finished, and is second_half again" in said(at(120, "second half", 2, 1), over)
    assert "it was finished, and is not_started again" in said(
        event_of("not started", winnerCode=None, homeScore={}, awayScore={}, changes={}), over
    )
    assert said(at(120, "extra time", 2, 1), over) == ""


@pytest.mark.req("B10")
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("after extra time", "extra time"),
        ("after penalties", "penalties"),
        ("after penalties", "extra time"),
        ("ended", "postponed"),
        ("ended", "interrupted"),
        ("second half", "first half"),
        ("penalties", "second half"),
    ],
)
def test_a_match_does_not_go_back(before: str, now: str) -> None:
    assert "again" in said(at(125, now, 2, 1), at(120, before, 2, 1))


@pytest.mark.parametrize(
    ("before", "now"),
    [("ended", "penalties"), ("after extra time", "penalties"), ("ended", "awarded"), ("half time", "first half")],
)
def test_a_match_may_go_on_or_take_back_a_whistle(before: str, now: str) -> None:
    assert said(at(125, now, 2, 1), at(120, before, 2, 1)) == ""


@pytest.mark.req("B10")
def test_a_score_that_leaps_further_than_the_clock_is_held() -> None:
    assert "the score leapt from 2-1 to 7-1" in said(at(61, "second half", 7, 1), BEFORE)
    assert said(at(75, "second half", 7, 1), BEFORE) == ""


@pytest.mark.req("B10")
def test_after_the_end_no_handful_of_goals_comes() -> None:
    over = at(110, "ended", 2, 1)
    assert said(at(300, "ended", 3, 1), over) == ""
    assert "the score leapt from 2-1 to 2-5" in said(at(300, "ended", 2, 5), over)


@pytest.mark.req("B10")
def test_a_match_under_way_does_not_wait_for_kickoff_again() -> None:
    waiting = event_of("not started", winnerCode=None, homeScore={}, awayScore={}, changes={}, time={})
    assert "has not started now" in said(waiting, BEFORE)


@pytest.mark.req("B10")
def test_another_match_under_the_same_key_is_held() -> None:
    other = event_of(homeTeam={"id": 5, "name": "Greens"}, homeScore=score(1, 1))
    assert said(other, BEFORE) == "it is Greens v Blues, and was Reds v Blues"
    assert "it is Reds v Blues" in said(event_of(id=1), BEFORE)


def test_an_older_answer_is_held_for_its_age_alone() -> None:
    assert said(at(59, "first half", 0, 0), BEFORE) == "it is older than what is known already"


def test_teams_may_change_hosts() -> None:
    turned = event_of(
        "second half",
        winnerCode=None,
        homeTeam={"id": 17, "name": "Blues"},
        awayTeam={"id": 43, "name": "Reds"},
        homeScore={"current": 2},
        awayScore={"current": 1},
    )
    assert said(turned, BEFORE) == ""
