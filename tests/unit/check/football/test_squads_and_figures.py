"""Line-ups, and what they and the rest say of each other."""

from typing import Any

import pytest

from tests.sofascore import goal, incidents, lineups, period, squad
from tests.unit.check.football.builders import reasons, report, whole

Item = dict[str, Any]


def home_with(place: int, **changes: Any) -> Item:
    players = squad(0)
    players[place] = {**players[place], **changes}
    return lineups(home={"players": players, "formation": "4-3-3"})


def test_a_match_whose_parts_agree_is_believed() -> None:
    assert reasons(whole()) == ""


HEALTHY_SQUADS = {
    "confirmed": lineups(),
    "expected": lineups(confirmed=False),
    "not published": {"confirmed": False},
    "without ratings": lineups(home={"players": squad(0, has_ratings=False)}),
    "a formation in words": lineups(home={"players": squad(0), "formation": "diamond"}),
    "ten who begin": lineups(home={"players": squad(0)[1:], "formation": "4-3-3"}),
    "a friendly with many changes": lineups(
        home={"players": [{**row, "statistics": {"minutesPlayed": 45}} for row in squad(0)]}
    ),
}


@pytest.mark.parametrize("name", HEALTHY_SQUADS)
def test_a_healthy_line_up_is_believed(name: str) -> None:
    assert reasons(report(playing=HEALTHY_SQUADS[name])) == ""


POISONED_SQUADS = {
    "the home team begins with 12": home_with(11, substitute=False),
    "Player 101 (101) is in the line-ups 2 times": home_with(12, player={"id": 101, "name": "Player 101"}),
    "Player 1 is rated 68": home_with(0, statistics={"rating": 68, "minutesPlayed": 90}),
    "Player 1 played -5 minutes": home_with(0, statistics={"minutesPlayed": -5}),
    "the home team plays 5-4-3, which is 12": lineups(home={"players": squad(0), "formation": "5-4-3"}),
    "the home team has 61 players": lineups(home={"players": [*squad(0), *squad(200), *squad(300), *squad(400)][:61]}),
    "the home team played 1350 minutes": lineups(
        home={"players": [{**row, "statistics": {"minutesPlayed": 90}} for row in squad(0)[:15]]}
    ),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", POISONED_SQUADS)
def test_a_line_up_that_contradicts_itself_is_held_and_says_why(reason: str) -> None:
    assert reason in reasons(report(playing=POISONED_SQUADS[reason]))


def test_who_scores_for_the_team_he_does_not_play_for_is_noticed() -> None:
    rows = [period("FT", 90, 1, 0), goal(20, 1, 0, is_home=True, scorer=109)]
    said = reasons(report(happened=rows, playing=lineups()))
    assert said == "Player 109 is of the away team by the line-ups and of the other at 20'"


def test_an_own_goal_is_no_change_of_teams() -> None:
    assert reasons(report(happened=incidents(), playing=lineups())) == ""


def test_an_own_goal_by_the_team_that_gains_by_it_is_none() -> None:
    rows = [period("FT", 90, 1, 0), goal(20, 1, 0, is_home=True, scorer=9, incidentClass="ownGoal")]
    said = reasons(report(happened=rows, playing=lineups()))
    assert said == "the own goal at 20' is by Player 9, of the team that gained by it"
