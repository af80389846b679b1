"""Who was on the pitch, by the changes, the cards and the goals of one list."""

from typing import Any

import pytest

from tests.sofascore import goal, lineups, period, player, squad, timed
from tests.unit.check.football.builders import reasons, report

Item = dict[str, Any]
WON, DRAWN = period("FT", 90, 1, 0), period("FT", 90, 0, 0)


def change(minute: int, comes: int, goes: int, *, is_home: bool = True) -> Item:
    key = 2000 + 100 * minute + comes
    return timed("substitution", minute, is_home=is_home, id=key, playerIn=player(comes), playerOut=player(goes))


def card(minute: int, what: str, key: int) -> Item:
    return timed("card", minute, incidentClass=what, id=3000 + minute, player=player(key))


def scored(minute: int, by: int) -> Item:
    return goal(minute, 1, 0, is_home=True, scorer=by)


HEALTHY = {
    "changes": [DRAWN, change(80, 14, 9), change(60, 13, 8), change(60, 12, 7)],
    "one who comes back where that is free": [DRAWN, change(70, 8, 12), change(46, 12, 8)],
    "one who comes on and goes off again": [DRAWN, change(80, 14, 12), change(60, 12, 8)],
    "a change told twice": [DRAWN, change(60, 12, 8), change(60, 12, 8)],
    "booked on the bench after his change": [DRAWN, card(75, "yellow", 8), change(60, 12, 8)],
    "sent off for a second yellow": [DRAWN, card(75, "yellowRed", 8), card(20, "yellow", 8)],
    "who came on scores": [WON, scored(85, 12), change(60, 12, 8)],
    "who goes off had scored": [WON, change(60, 12, 8), scored(30, 8)],
    "who came back scores": [WON, scored(85, 8), change(70, 8, 12), change(46, 12, 8)],
    "a goal and a change in one minute": [WON, scored(60, 12), change(60, 12, 8)],
    "a goal a minute before its scorer is told to come on": [WON, change(61, 12, 8), scored(60, 12)],
    "an own goal of one who has gone": [
        WON, goal(85, 1, 0, is_home=True, scorer=108, incidentClass="ownGoal"), change(60, 112, 108, is_home=False)
    ],
    "players without a key": [
        DRAWN, *({**change(minute, 0, 0), "playerIn": {"name": "A"}, "playerOut": {"name": "B"}} for minute in (70, 60))
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_changes_cards_and_goals_are_believed(name: str) -> None:
    assert reasons(report(happened=HEALTHY[name])) == ""


POISONED = {
    "Player 12 comes on twice, the second time at 70'": [DRAWN, change(70, 12, 7), change(46, 12, 8)],
    "Player 8 goes off twice, the second time at 70'": [DRAWN, change(70, 13, 8), change(46, 12, 8)],
    "Player 4 is sent off twice, the second time at 80'": [DRAWN, card(80, "red", 4), card(60, "yellowRed", 4)],
    "Player 8 scores at 85', and went off at 60'": [WON, scored(85, 8), change(60, 12, 8)],
    "Player 12 scores at 30', and came on at 60'": [WON, change(60, 12, 8), scored(30, 12)],
    "the own goal at 85' is by Player 8, of the team that gained by it": [
        WON, goal(85, 1, 0, is_home=True, scorer=8, incidentClass="ownGoal"), card(60, "yellow", 8)
    ],
    "Player 4 scores at 85', and was sent off at 60'": [WON, scored(85, 4), card(60, "red", 4)],
}  # fmt: skip


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", POISONED)
def test_what_nobody_can_have_done_is_held(reason: str) -> None:
    assert reason in reasons(report(happened=POISONED[reason]))


def test_changes_that_agree_with_the_line_ups_are_believed() -> None:
    for name in ("changes", "one who comes back where that is free", "who came on scores"):
        assert reasons(report(happened=HEALTHY[name], playing=lineups())) == ""


OTHERS = lineups(home={"players": squad(500)}, away={"players": squad(700)})
BESIDE_LINE_UPS = {
    "Player 3 comes on at 60', and is on the pitch already": ([DRAWN, change(60, 3, 8)], lineups()),
    "Player 15 goes off at 60', and is not on the pitch": ([DRAWN, change(60, 12, 15)], lineups()),
    "Player 12, Player 8 are in no line-up": ([DRAWN, change(60, 12, 8)], OTHERS),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", BESIDE_LINE_UPS)
def test_changes_that_the_line_ups_rule_out_are_held(reason: str) -> None:
    happened, playing = BESIDE_LINE_UPS[reason]
    assert reason in reasons(report(happened=happened, playing=playing))


def test_line_ups_that_may_not_be_whole_rule_nobody_out() -> None:
    happened = [DRAWN, change(60, 612, 608)]
    assert reasons(report(happened=happened, playing=lineups(confirmed=False))) == ""
    few = lineups(home={"players": squad(0)[:11]}, away={"players": squad(100)[:11]})
    assert reasons(report(happened=happened, playing=few)) == ""


def test_one_stranger_is_no_other_match() -> None:
    assert reasons(report(happened=[WON, scored(20, 555)], playing=lineups())) == ""
