"""The score of a match, which is shown up to eight times."""

from typing import Any

import pytest

from tests.sofascore import KICKOFF, STATUSES, event, score
from tests.unit.check.football.builders import reasons, report

PENS = {
    "winnerCode": 2,
    "homeScore": score(1, 1, current=6, penalties=4),
    "awayScore": score(1, 1, current=7, penalties=5),
}
FINAL = {
    "homeScore": score(2, 0, current=7, display=3, overtime=1, penalties=4),
    "awayScore": score(0, 2, current=5, display=3, overtime=1, penalties=2),
}
EMPTY: dict[str, Any] = {"homeScore": {}, "awayScore": {}, "winnerCode": None, "time": {}}
HEALTHY: dict[str, dict[str, Any]] = {
    "an ordinary match": event(),
    "before kickoff": event("not started", **EMPTY),
    "first half": event("first half", winnerCode=None, **{
        side: {"current": 1, "display": 1, "period1": 1} for side in ("homeScore", "awayScore")
    }),
    "first half with normal time": event("first half", winnerCode=None, **{
        side: {"current": 4, "display": 4, "period1": 4, "normaltime": 4} for side in ("homeScore", "awayScore")
    }),
    "half time": event("half time", winnerCode=None, **{
        side: {"current": 4, "display": 4, "period1": 4} for side in ("homeScore", "awayScore")
    }),
    "second half": event("second half", winnerCode=None),
    "begun, and no half known": event(
        "started", winnerCode=None, homeScore={"current": 1, "display": 1}, awayScore={"current": 0, "display": 0}
    ),
    "extra time under way": event(
        "extra time", winnerCode=None, homeScore=score(1, 0, overtime=1, current=2, display=2), awayScore=score(1, 0)
    ),
    "after extra time": event(
        "after extra time", homeScore=score(1, 1, overtime=1, current=3, display=3), awayScore=score(2, 0, overtime=0)
    ),
    "after extra time with both of its halves": event(
        "after extra time",
        homeScore=score(1, 1, extra1=0, extra2=1, overtime=1, current=3, display=3),
        awayScore=score(2, 0, extra1=0, extra2=0, overtime=0),
    ),
    "after extra time that nobody counted": event(
        "after extra time", homeScore=score(1, 1, current=3, display=3), awayScore=score(2, 0)
    ),
    "a world cup final": event("after penalties", **FINAL),
    "penalties without extra time": event("after penalties", **PENS),
    "penalties that are not in current": event(
        "after penalties", homeScore=score(1, 1, penalties=4), awayScore=score(1, 1, penalties=2)
    ),
    "penalties after a second leg that the other team won": event(
        "after penalties",
        winnerCode=1,
        homeScore=score(0, 1, current=5, penalties=4, aggregated=2),
        awayScore=score(1, 1, current=5, penalties=3, aggregated=2),
        aggregatedWinnerCode=1,
    ),
    "penalties under way": event(
        "penalties", winnerCode=None, homeScore=score(1, 1, current=3, penalties=1), awayScore=score(1, 1, penalties=0)
    ),
    "a second leg": event(
        homeScore=score(1, 1, aggregated=3), awayScore=score(1, 0, aggregated=4), aggregatedWinnerCode=2
    ),
    "away goals": event(
        homeScore=score(1, 1, aggregated=3), awayScore=score(1, 0, aggregated=3), aggregatedWinnerCode=2
    ),
    "an old season without halves": event(
        homeScore={"current": 2, "display": 2, "normaltime": 2}, awayScore={"current": 0, "display": 0, "normaltime": 0}
    ),
    "a low league with one half": event(
        homeScore={"current": 2, "display": 2, "period1": 1}, awayScore={"current": 0, "display": 0, "period1": 0}
    ),
    "a low league with the final score": event(homeScore={"current": 2}, awayScore={"current": 1}),
    "a score with empty fields": event(
        homeScore=score(1, 1, extra1=None, overtime=None, penalties=None), awayScore=score(1, 0, extra1=None)
    ),
    "three thirds among friends": event(homeScore=score(1, 1, period3=1, current=3, display=3, normaltime=3)),
    "no winner told": event(winnerCode=None),
    "a goalless draw": event(homeScore=score(0, 0), awayScore=score(0, 0), winnerCode=3),
    "a start an hour late": event(time={"currentPeriodStartTimestamp": KICKOFF + 7300}),
    "a start a minute early": event("first half", winnerCode=None, homeScore={}, awayScore={}, time={
        "currentPeriodStartTimestamp": KICKOFF - 60
    }),
    "postponed": event("postponed", **EMPTY),
    "postponed after its first minutes": event("postponed", **{**EMPTY, "time": {"currentPeriodStartTimestamp": 9}}),
    "cancelled": event("cancelled", **EMPTY),
    "abandoned": event("abandoned", winnerCode=None, homeScore={"current": 1, "display": 1, "period1": 1}),
    "abandoned and given to the other team": event("abandoned", homeScore=score(0, 0), awayScore=score(2, 0)),
    "a walkover": event("walkover", **{**EMPTY, "winnerCode": 1}),
    "awarded against what was played": event("awarded", homeScore=score(1, 0, current=3, display=3), winnerCode=1),
    "annulled": event("annulled", winnerCode=None),
    "interrupted": event("interrupted", winnerCode=None, homeScore={"current": 1, "period1": 1}),
    "a status that nobody knows": event("unheard of"),
    "penalties that decide both legs and are counted with them": event(
        "after penalties",
        homeScore=score(0, 1, current=5, penalties=4, aggregated=6),
        awayScore=score(1, 1, current=5, penalties=3, aggregated=5),
        winnerCode=2,
    ),
    "a children's cup that takes half an hour": event(changes={"changeTimestamp": KICKOFF + 1800}, time={}),
    "no clock of its last change": event(changes={}),
    "listed long before kickoff": event("not started", **EMPTY, changes={"changeTimestamp": KICKOFF - 999_999}),
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_match_is_believed(name: str) -> None:
    assert reasons(report(HEALTHY[name])) == ""


def test_every_status_that_the_site_knows_has_been_tried() -> None:
    tried = {told["status"]["description"] for told in HEALTHY.values()}
    assert tried == {status["description"] for status in STATUSES.values()}


LIVE_BY_TYPE = {**event(), "status": {**STATUSES["ended"], "type": "inprogress"}}
POISONED = {
    "the home score is 3 in one place (current) and 2 in another": event(homeScore=score(1, 1, current=3)),
    "the home score has 1 + 1 in its halves and 3 in normal time": event(homeScore=score(1, 1, normaltime=3)),
    "the away score has 2 + 0 in its halves and 1 in normal time": event(awayScore=score(1, 0, period1=2)),
    "the home score is 3 and its parts add up to 2": event(homeScore=score(1, 1, current=3, display=3)),
    "the home score is 3, less than its parts": event(
        "after extra time", homeScore=score(3, 1, current=3, display=3), awayScore=score(1, 0)
    ),
    "the home score has 2 in the halves of extra time and 1 in extra time": event(
        "after extra time", homeScore=score(1, 1, extra1=1, extra2=1, overtime=1, current=3, display=3)
    ),
    "the home score has -1 goals in period 2": event(homeScore=score(1, -1)),
    "the home score has 4000 goals in current": event(homeScore=score(4000, 0)),
    "it ended 2-1 and its winner is told as away": event(winnerCode=2),
    "it ended 2-1 and its winner is told as draw": event(winnerCode=3),
    "it ended 1-1 and its winner is told as home": event(homeScore=score(1, 0)),
    "it ended 2-2 and its winner is told as home": event("after penalties", **{**PENS, "winnerCode": 1}),
    "it has a winner and its status is second_half": event("second half"),
    "its shoot-out ended level": event("after penalties", **{
        **PENS, "homeScore": score(1, 1, current=7, penalties=5), "winnerCode": None
    }),
    "it went to a shoot-out at 5-2 over both legs": event("after penalties", **{
        **PENS,
        "homeScore": score(1, 1, current=6, penalties=4, aggregated=5),
        "awayScore": score(1, 1, current=7, penalties=5, aggregated=2),
    }),
    "the home team has 1 in extra time, and the match ended without it": event(
        homeScore=score(1, 1, overtime=1, current=3, display=3)
    ),
    "it ended 2-1 and had a shoot-out": event(
        homeScore=score(1, 1, penalties=4, current=6), awayScore=score(1, 0, penalties=2, current=3)
    ),
    "it was changed last at": event(changes={"changeTimestamp": KICKOFF - 86400}),
    "it was over 4 minutes after its kickoff": event(changes={"changeTimestamp": KICKOFF + 240}, time={}),
    "it has not started and stands at 2-1": event("not started", winnerCode=None),
    "only one of the two teams has a score": event(awayScore={}, winnerCode=None),
    "its status is finished by its code and live by its type": LIVE_BY_TYPE,
    "its status is finished by its code and 'Not started' in words": {
        **event(), "status": {**STATUSES["ended"], "description": "Not started"}
    },
    "its status is second_half by its code and 'Ended' in words": {
        **event("second half", winnerCode=None), "status": {**STATUSES["second half"], "description": "Ended"}
    },
    "it has a winner and no score": event(homeScore={}, awayScore={}),
    "it is finished, and kicked off at 1970-01-01 00:00": event(startTimestamp=0, time={}),
    "the home team has goals in a half that has not begun": event("first half", winnerCode=None),
    "both teams are Reds": event(awayTeam={"id": 43, "name": "Reds"}),
    "its last half began 37 minutes after kickoff": event(time={"currentPeriodStartTimestamp": KICKOFF + 2230}),
    "a half began at": event(time={"currentPeriodStartTimestamp": KICKOFF - 86400}),
    "the home score is 1 over both legs and 2 in this one": event(
        homeScore=score(1, 1, aggregated=1), awayScore=score(1, 0, aggregated=1)
    ),
    "it is 3-4 over both legs and the winner of both is told as home": event(
        homeScore=score(1, 1, aggregated=3), awayScore=score(1, 0, aggregated=4), aggregatedWinnerCode=1
    ),
}  # fmt: skip


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", POISONED)
def test_a_match_that_contradicts_itself_is_held_and_says_why(reason: str) -> None:
    assert reason in reasons(report(POISONED[reason]))
