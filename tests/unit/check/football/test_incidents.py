"""What happened in a match, told row by row."""

from typing import Any

import pytest

from tests.sofascore import event, goal, incidents, period, player, score, timed
from tests.unit.check.football.builders import reasons, report

Item = dict[str, Any]


def changed(place: int, **changes: Any) -> list[Item]:
    rows = incidents()
    rows[place] = {**rows[place], **changes}
    return rows


def without(*places: int) -> list[Item]:
    return [row for place, row in enumerate(incidents()) if place not in places]


def shot(number: int, home: int, away: int, *, is_home: bool, scored: bool) -> Item:
    return {
        "incidentType": "penaltyShootout",
        "incidentClass": "scored" if scored else "missed",
        "sequence": number,
        "homeScore": home,
        "awayScore": away,
        "isHome": is_home,
        "player": player(number if is_home else 100 + number),
    }


SHOT = [
    {**period("PEN", 120, 2, 1), "time": 999, "timeSeconds": None},
    shot(4, 2, 1, is_home=False, scored=False),
    shot(3, 2, 1, is_home=True, scored=True),
    shot(2, 1, 1, is_home=False, scored=True),
    shot(1, 1, 0, is_home=True, scored=True),
]
EXTRA = [period("ET", 120, 2, 2), goal(119, 2, 2, is_home=False), period("FT", 90, 2, 1), *incidents()[1:]]
HEALTHY: dict[str, list[Item]] = {
    "a whole match": incidents(),
    "nothing yet": [],
    "the other way round": incidents()[::-1],
    "at half time": incidents()[8:],
    "in the second half": [period("Second half", 90, 1, 1, is_live=True), *incidents()[4:]],
    "a live mark a goal behind": [period("Second half", 90, 1, 1, is_live=True), *incidents()[1:]],
    "extra time": EXTRA,
    "extra time under way": [period("Extra time", 120, 2, 1, is_live=True), *incidents()],
    "a shoot-out": [*SHOT, *EXTRA],
    "a shoot-out without its order": [{**row, "sequence": None} for row in SHOT],
    "only the halves": [period("FT", 90, 3, 1), period("HT", 45, 1, 0)],
    "goals without a score": [{**row, "homeScore": None} if "playerIn" not in row else row for row in incidents()],
    "no countdown": [{**row, "reversedPeriodTime": None} for row in incidents()],
    "an own goal told as the scorer's": changed(9, isHome=False),
    "two goals of one minute in the wrong order": [
        period("FT", 90, 1, 1), goal(70, 1, 0, is_home=True), goal(70, 1, 1, is_home=False)
    ],
    "halves of forty minutes": [
        {**period("FT", 80, 1, 0), "reversedPeriodTime": 1},
        *(timed("card", minute, reversedPeriodTime=81 - minute) for minute in (78, 70, 61, 50)),
        {**period("HT", 40, 1, 0), "reversedPeriodTime": 1},
        goal(30, 1, 0, is_home=True, reversedPeriodTime=11),
    ],
    "a kind of row that is new": [*incidents()[:5], {"incidentType": "coolingBreak", "time": 70}, *incidents()[6:]],
    "a card for nobody": changed(6, player=None),
    "a single odd countdown": changed(6, reversedPeriodTime=5),
    "halves of forty minutes with added time": [
        period("FT", 80, 1, 0),
        goal(80, 1, 0, is_home=True, added=2, reversedPeriodTime=None),
        period("HT", 40, 0, 0),
    ],
    "an own goal that says so twice": changed(9, **{"from": "owngoal"}),
    "a change for an injury": changed(7, incidentClass="injury", injury=True),
    "a coach who is booked": [
        {
            "incidentType": "card",
            "incidentClass": "yellow",
            "time": -5,
            "benchTime": 90,
            "benchAddedTime": 9,
            "isHome": True,
            "playerName": "Home Manager",
            "manager": {"id": 4, "name": "Home Manager"},
            "reversedPeriodTime": 6,
        },
        *incidents(),
    ],
    "a long stop": changed(1, addedTime=21),
    "a start that is told as a period": [*incidents(), {**period("START", 0, 0, 0), "timeSeconds": None}],
    "rows whose keys say nothing": [{**row, "id": 0} for row in incidents()],
    "a name that two players share": [*incidents(), timed("card", 3, is_home=False, player=player(104, "Player 4"))],
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_incidents_are_believed(name: str) -> None:
    assert reasons(report(happened=HEALTHY[name])) == ""


TURNED = changed(7, time=50)
POISONED = {
    "the goal at 20' made it 0-1 and is told as the home team's": changed(12, isHome=True),
    "one goal at 20' took the score from 0-0 to 0-2": changed(12, awayScore=2),
    "one goal at 90+3' took the score from 0-1 to 2-1": without(9),
    "took the score from 1-1 to 1-1": [*incidents()[:9], incidents()[9], *incidents()[9:]],
    "the goal at 30' comes after the one at 45+1'": changed(1, time=30, addedTime=None, reversedPeriodTime=16),
    "FT is at 3-1, after goals that led to 2-1": changed(0, homeScore=3),
    "HT is at 0-1, after goals that led to 1-1": changed(8, homeScore=0),
    "FT is at minute 97 and at second 5400": changed(0, time=97),
    "a goal at 26' is told to be 26 minutes before the end of a half": changed(12, time=26),
    "a goal at 20' is listed after a card at 44'": [*incidents()[:8], *incidents()[8:][::-1]],
    "a substitution at 50' is listed after a card at 75'": [*TURNED[:6], TURNED[7], TURNED[6], *TURNED[8:]],
    "something happened in minute 400": changed(6, time=400),
    "Player 9 (9) is told to be of both teams": changed(4, isHome=False),
    "Player 12 comes on for himself": changed(7, playerOut=player(12)),
    "the score at 20' is 0--1": changed(12, awayScore=-1),
    "a goal at 90+7' is listed after the end": [goal(90, 3, 1, is_home=True, added=7), *incidents()],
    "a goal at 90+3' has the key 5101, and so has another": changed(1, id=5101),
    "FT is at minute 97, at which no half ends": changed(0, time=97, timeSeconds=None),
    "HT is at minute 41, at which no half ends": changed(8, time=41, timeSeconds=None),
    "a goal at 20+4' is in added time, and no half ends at minute 20": changed(12, addedTime=4),
    "a goal at 90+80' is 80 minutes after the end of a half": changed(1, addedTime=80),
    "a goal is of no minute of the match": changed(12, time=-3),
    "a substitution is of no minute of the match": changed(7, time=-3),
}  # fmt: skip


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", POISONED)
def test_incidents_that_contradict_themselves_are_held_and_say_why(reason: str) -> None:
    assert reason in reasons(report(happened=POISONED[reason]))


def test_a_shoot_out_that_miscounts_is_held() -> None:
    rows = [*SHOT[:2], shot(3, 1, 1, is_home=True, scored=True), *SHOT[3:]]
    assert "shot 3 of the shoot-out made it 1-1 instead of 2-1" in reasons(report(happened=rows))


def test_minutes_that_all_moved_are_no_short_halves() -> None:
    moved = [
        {**row, "time": row["time"] + number % 7 - 3} if row.get("time", 0) > 0 else row
        for number, row in enumerate(incidents())
    ]
    assert "minutes before the end of a half" in reasons(report(happened=moved))


def test_an_event_and_its_incidents_agree() -> None:
    assert reasons(report(event(), incidents())) == ""


LIVE = {"winnerCode": None, "homeScore": score(1, 0), "awayScore": score(1, 0)}


@pytest.mark.parametrize("happened", [incidents()[1:], incidents()[4:]], ids=["a goal ahead", "level"])
def test_a_live_list_may_be_a_goal_ahead_of_the_event(happened: list[Item]) -> None:
    assert reasons(report(event("second half", **LIVE), happened)) == ""


def test_a_live_list_may_be_a_goal_behind_the_event() -> None:
    ahead = {**LIVE, "homeScore": score(1, 1)}
    assert reasons(report(event("second half", **ahead), incidents()[4:])) == ""


def test_a_live_list_may_be_of_another_half_than_the_event() -> None:
    first = event("first half", winnerCode=None, homeScore={"current": 1, "period1": 1}, awayScore={"current": 1})
    assert reasons(report(first, incidents()[4:])) == ""


def test_an_event_that_ended_without_any_goal_rows_owes_none() -> None:
    assert reasons(report(event(), [period("FT", 90, 2, 1), period("HT", 45, 1, 1)])) == ""


@pytest.mark.req("B10")
def test_a_match_that_ended_otherwise_than_its_last_goal_says_is_held() -> None:
    other = event(homeScore=score(2, 1))
    said = reasons(report(other, incidents()))
    assert "it ended 3-1, and its last goal made it 2-1" in said
    assert "the first half ended 2-1 by its halves and 1-1 by what happened" in said


@pytest.mark.req("B10")
def test_a_live_match_two_goals_from_its_list_is_held() -> None:
    far = event("second half", winnerCode=None, homeScore=score(1, 2), awayScore=score(1, 0))
    assert "it stands at 3-1, and its last goal made it 1-1" in reasons(report(far, incidents()[4:]))


def test_a_shoot_out_ends_as_the_event_says() -> None:
    drawn = {"homeScore": score(1, 1, penalties=2), "awayScore": score(2, 0, penalties=1)}
    assert reasons(report(event("after penalties", **drawn), SHOT)) == ""
    drawn["awayScore"] = score(2, 0, penalties=0)
    assert "the shoot-out ended 2-0, and its last shot made it 2-1" in reasons(
        report(event("after penalties", **drawn), SHOT)
    )
