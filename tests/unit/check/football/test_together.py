"""A match beside what happened in it, and beside a list that it is in."""

from typing import Any

import msgspec
import pytest

from longstop.check.football import judge
from longstop.sources.sofascore import SofascoreReader
from tests.sofascore import event, goal, incidents, period, score, snapshot
from tests.unit.check.football.builders import reasons, report
from tests.unit.check.football.test_incidents import SHOT

Item = dict[str, Any]
LEVEL: Item = {"winnerCode": 3, "homeScore": score(0, 0), "awayScore": score(0, 0)}
EMPTY: Item = {"homeScore": {}, "awayScore": {}, "winnerCode": None, "time": {}}


def shown(first: int, second: int) -> Item:
    """The scores of a match that is at its first half or just behind it."""
    return {
        "winnerCode": None,
        "homeScore": {"current": first, "display": first, "period1": first},
        "awayScore": {"current": second, "display": second, "period1": second},
    }


def without_half_time() -> list[Item]:
    return [row for row in incidents() if row.get("text") != "HT"]


AFTER_EXTRA_TIME = event(
    "after extra time",
    winnerCode=2,
    homeScore=score(1, 1, extra1=0, extra2=0, overtime=0),
    awayScore=score(1, 1, extra1=0, extra2=1, overtime=1, current=3, display=3),
)
EXTRA_TIME = [
    period("ET", 120, 2, 3),
    goal(118, 2, 3, is_home=False),
    period("FT", 90, 2, 2),
    goal(90, 2, 2, is_home=False, added=4, scorer=108),
    *incidents()[1:],
]
ON_PENALTIES = event(
    "after penalties",
    homeScore=score(1, 1, extra1=0, extra2=0, overtime=0, penalties=2, current=4),
    awayScore=score(1, 1, extra1=0, extra2=0, overtime=0, penalties=1, current=3),
)
PENALTIES = [*SHOT, period("ET", 120, 2, 2), *EXTRA_TIME[2:]]
HEALTHY: dict[str, tuple[Item, list[Item]]] = {
    "a whole match": (event(), incidents()),
    "no row for half time": (event(), without_half_time()),
    "goalless": (event(**LEVEL), [period("FT", 90, 0, 0), period("HT", 45, 0, 0)]),
    "goalless and nothing told": (event(**LEVEL), []),
    "after extra time": (AFTER_EXTRA_TIME, EXTRA_TIME),
    "after penalties": (ON_PENALTIES, PENALTIES),
    "half time": (event("half time", **shown(1, 1)), incidents()[8:]),
    "the first half": (event("first half", **shown(1, 1)), incidents()[9:]),
    "a list that is a few minutes ahead": (event("half time", **shown(1, 1)), incidents()[7:]),
    "awarded against what was played": (
        event("awarded", homeScore=score(1, 0, current=3, display=3), awayScore=score(1, 0, current=0, display=0)),
        [period("FT", 90, 1, 1), *incidents()[8:]],
    ),
    "broken off": (event("abandoned", **shown(1, 1)), incidents()[7:]),
    "a goal at the end of a half that nobody says was added": (
        event(homeScore=score(1, 0), awayScore=score(0, 0)), [goal(47, 1, 0, is_home=True, reversedPeriodTime=None)]
    ),
    "past the ninetieth minute": (
        event(homeScore=score(0, 1), awayScore=score(0, 0)), [goal(94, 1, 0, is_home=True, reversedPeriodTime=None)]
    ),
}  # fmt: skip


def timed_goal(minute: int, home: int, away: int, *, is_home: bool) -> Item:
    return goal(minute, home, away, is_home=is_home, reversedPeriodTime=None)


@pytest.mark.parametrize("name", HEALTHY)
def test_a_match_and_what_happened_in_it_are_believed(name: str) -> None:
    assert reasons(report(*HEALTHY[name])) == ""


POISONED: dict[str, tuple[Item, list[Item]]] = {
    "normal time ended 2-1, and 0-0 by what happened": (event(), [period("FT", 90, 0, 0)]),
    "normal time ended 2-2, and 2-3 by what happened": (
        AFTER_EXTRA_TIME, [period("ET", 120, 2, 3), period("FT", 90, 2, 3)]
    ),
    "the first half ended 0-1 by its halves and 1-1 by its goals": (
        event(homeScore=score(0, 2), awayScore=score(1, 0)), without_half_time()
    ),
    "the first half ended 0-3 by its halves and 1-1 by what happened": (
        event("half time", **shown(0, 3)), [period("HT", 45, 1, 1)]
    ),
    "it has not started, and 3 goals are told": (event("not started", **EMPTY), incidents()),
    "a goal at 80' is told, and it is first_half": (
        event("first half", **shown(1, 0)), [timed_goal(80, 1, 0, is_home=True)]
    ),
    "a goal at 105' is told, and it ended without extra time": (
        event(homeScore=score(0, 1), awayScore=score(0, 0)), [timed_goal(105, 1, 0, is_home=True)]
    ),
    "a shoot-out is told, and it ended without one (finished)": (event(), [*SHOT, *incidents()]),
}  # fmt: skip


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", POISONED)
def test_a_match_that_what_happened_rules_out_is_held(reason: str) -> None:
    assert reason in reasons(report(*POISONED[reason]))


def saved_together(row: Item, told: Item) -> str:
    content = {"list": {"events": [row, event(id=2)]}, "match": {"event": told}}
    reading = SofascoreReader().read(snapshot(content))
    assert reading.football is not None
    return "; ".join(judge(reading.football).reasons)


@pytest.mark.req("B10")
def test_a_list_that_was_saved_with_a_match_has_to_agree_with_it() -> None:
    assert saved_together(event(), event()) == ""
    assert saved_together(event(homeScore=score(2, 2)), event()) == "it is 2-1, and 4-1 in its list"
    other = {"id": 99, "name": "Greens", "slug": "greens"}
    assert saved_together(event(awayTeam=other), event()) == "its list has Reds v Greens"


def test_a_list_may_be_a_goal_behind_while_it_is_played() -> None:
    ahead, behind = event("first half", **shown(2, 0)), event("first half", **shown(1, 0))
    assert saved_together(behind, ahead) == ""
    assert "0-0 in its list" in saved_together(event("first half", **shown(0, 0)), ahead)
    assert saved_together(event("not started", **EMPTY), ahead) == ""


def test_a_list_beside_a_match_is_not_told_as_a_list() -> None:
    reading = SofascoreReader().read(snapshot({"list": {"events": [event()]}, "match": {"event": event()}}))
    assert reading.football is not None
    assert (reading.football.events, len(reading.football.listed)) == (None, 1)
    assert msgspec.json.encode(reading)
