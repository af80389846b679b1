"""A score that is changed in one of the places where it is shown is never believed."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sofascore import event, goal, incidents, period, score
from tests.unit.check.football.builders import reasons, report

GOALS = st.integers(0, 9)
PLACES = st.tuples(
    st.sampled_from(("homeScore", "awayScore")),
    st.sampled_from(("current", "display", "period1", "period2", "normaltime")),
)


def ended(home: tuple[int, int], away: tuple[int, int]) -> dict[str, Any]:
    first, second = sum(home), sum(away)
    winner = 3 if first == second else 1 if first > second else 2
    return event(homeScore=score(*home), awayScore=score(*away), winnerCode=winner)


@st.composite
def played(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A whole match, with goals at any minute of both halves."""
    goals = sorted(draw(st.lists(st.tuples(st.integers(1, 90), st.booleans()), max_size=9)))
    rows, home, away, first = [], 0, 0, (0, 0)
    for minute, is_home in goals:
        home, away = home + is_home, away + (not is_home)
        rows.append(goal(minute, home, away, is_home=is_home))
        if minute <= 45:
            first = (home, away)
    early = [row for row in rows if row["time"] <= 45]
    late = [row for row in rows if row["time"] > 45]
    listed = [*early, period("HT", 45, *first), *late, period("FT", 90, home, away)]
    return ended((first[0], home - first[0]), (first[1], away - first[1])), listed[::-1]


@given(st.tuples(GOALS, GOALS), st.tuples(GOALS, GOALS))
@settings(max_examples=60)
def test_whatever_a_match_ends_with_is_believed(home: tuple[int, int], away: tuple[int, int]) -> None:
    assert reasons(report(ended(home, away))) == ""


@pytest.mark.req("B10")
@given(st.tuples(GOALS, GOALS), st.tuples(GOALS, GOALS), PLACES, st.integers(1, 5))
@settings(max_examples=120)
def test_a_score_changed_in_one_place_is_held(
    home: tuple[int, int], away: tuple[int, int], place: tuple[str, str], more: int
) -> None:
    told = ended(home, away)
    told[place[0]] = {**told[place[0]], place[1]: told[place[0]][place[1]] + more}
    assert reasons(report(told)) != ""


@given(played())
@settings(max_examples=60)
def test_whatever_happens_in_a_match_is_believed(match: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    told, rows = match
    assert reasons(report(told, rows)) == ""
    assert reasons(report(told, rows[::-1])) == ""


@pytest.mark.req("B10")
@given(played(), st.integers(0, 8), st.sampled_from(("isHome", "homeScore", "awayScore", "time", "gone")))
@settings(max_examples=120)
def test_a_goal_that_is_changed_or_gone_is_held(
    match: tuple[dict[str, Any], list[dict[str, Any]]], number: int, key: str
) -> None:
    told, rows = deepcopy(match)
    goals = [row for row in rows if row["incidentType"] == "goal"]
    if not goals or (key == "gone" and len(goals) == 1):
        return
    chosen = goals[number % len(goals)]
    if key == "gone":
        rows.remove(chosen)
    elif key == "isHome":
        chosen[key] = not chosen[key]
    else:
        chosen[key] += 7
    assert reasons(report(told, rows)) != ""


def test_the_example_match_is_one_that_may_be_changed() -> None:
    assert reasons(report(event(), incidents())) == ""
