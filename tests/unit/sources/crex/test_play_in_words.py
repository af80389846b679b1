"""Where a site has only words for its state: a break is never taken for an end."""

import pytest

from longstop.domain.cricket import PlayState
from longstop.domain.match import MatchStatus
from longstop.sources.crex import CrexSource
from tests.crex import REF, capture, snapshot, state

NOT_STARTED, PLAY, ENDED = PlayState.NOT_STARTED, PlayState.PLAY, PlayState.ENDED
STUMPS, RAIN, DRINKS, TEA = PlayState.STUMPS, PlayState.RAIN, PlayState.DRINKS, PlayState.TEA
BREAK, LUNCH, UNKNOWN = PlayState.INNINGS_BREAK, PlayState.LUNCH, PlayState.UNKNOWN

BEFORE = {
    "USA won the toss and elected to bat": NOT_STARTED,
    "IND won the toss": NOT_STARTED,
    "Toss won by IND, elected to bowl": NOT_STARTED,
    "Toss delayed due to rain": NOT_STARTED,
    "Toss: USA opt to bat": NOT_STARTED,
    "Match starts at 14:00": NOT_STARTED,
    "Match yet to begin": NOT_STARTED,
    "Match will start at 2 pm": NOT_STARTED,
    "Match scheduled to begin at 10:00": NOT_STARTED,
    "Upcoming": NOT_STARTED,
    "Match postponed": NOT_STARTED,
}
BREAKS = {
    "Innings Break": BREAK,
    "innings break": BREAK,
    "Inning Break": BREAK,
    "Match tied, super over to follow": BREAK,
    "Super Over": BREAK,
    "Stumps": STUMPS,
    "Stumps: Day 2": STUMPS,
    "Day 1: Stumps - IND trail by 120 runs": STUMPS,
    "Stumps drawn on day 3": STUMPS,
    "Day 4 ends": STUMPS,
    "End of day 3": STUMPS,
    "Close of play": STUMPS,
    "Day 2 abandoned due to rain": STUMPS,
    "Play called off for the day": STUMPS,
    "Called off for the day, bad light": STUMPS,
    "Session called off": STUMPS,
    "Inns Break": BREAK,
    "Innings change": BREAK,
    "Lunch": LUNCH,
    "Lunch Break": LUNCH,
    "Dinner": LUNCH,
    "Tea": TEA,
    "Tea Break": TEA,
    "Drinks": DRINKS,
    "Drinks Break": DRINKS,
    "Strategic Timeout": DRINKS,
    "Strategic time-out": DRINKS,
    "Time Out": DRINKS,
    "Time-out": DRINKS,
    "Rain": RAIN,
    "Rain stopped play": RAIN,
    "Play suspended": RAIN,
    "Interrupted by a swarm of bees": RAIN,
    "Inspection at 3 pm": RAIN,
    "Rain delay": RAIN,
    "Raining": RAIN,
    "Bad Light": RAIN,
    "Wet Outfield": RAIN,
    "Play stopped": RAIN,
    "Match delayed by rain": RAIN,
    "Covers on": RAIN,
}
ENDS = {
    "IND won by 8 wickets": ENDED,
    "IND won by 5 runs (D/L method, rain)": ENDED,
    "IND won": ENDED,
    "Bahrain won by 5 wickets": ENDED,
    "Ukraine won by 1 run": ENDED,
    "India won by an innings and 20 runs before lunch": ENDED,
    "Match drawn": ENDED,
    "Match Drawn": ENDED,
    "Drawn": ENDED,
    "Draw": ENDED,
    "Day 5: Match drawn at stumps": ENDED,
    "Match tied": ENDED,
    "Match Tied (IND won the Super Over)": ENDED,
    "Tie": ENDED,
    "No result": ENDED,
    "No Result due to rain": ENDED,
    "Abandoned": ENDED,
    "Match abandoned": ENDED,
    "Match abandoned due to rain": ENDED,
    "Match abandoned without toss": ENDED,
    "Match abandoned without a ball bowled": ENDED,
    "Match cancelled": ENDED,
    "Match called off due to bad light": ENDED,
    "Match finished": ENDED,
    "Match over": ENDED,
    "Finished": ENDED,
    "IND won the super over": ENDED,
}
BALLS = dict.fromkeys(
    [
        "0",
        "1",
        "2",
        "3",
        "4",
        "6",
        "w",
        "W",
        "wd",
        "1wd",
        "5wd",
        "nb",
        "1nb",
        "o",
        "b",
        "4b",
        "lb",
        "1lb",
        "Ball",
        "Ball Start",
    ],
    PLAY,
)
NO_STATE = dict.fromkeys(
    ["", " ", "Training session", "Over completed", "Powerplay completed", "50 overs completed", "Team news",
     "Third umpire", "Scores tied", "New batter", "Steady going", "Retired hurt", "Play restarts at 3 pm",
     "The drawing board"],
    UNKNOWN,
)  # fmt: skip
TABLE = BEFORE | BREAKS | ENDS | BALLS | NO_STATE


@pytest.mark.parametrize("words", TABLE, ids=lambda words: words or "nothing")
@pytest.mark.req("A5")
def test_words_become_the_state_of_play_they_mean(words: str) -> None:
    assert CrexSource().parse_state(REF, snapshot(capture(B=words, j="0/0(0.0"))).play is TABLE[words]


@pytest.mark.parametrize("words", BREAKS)
def test_a_match_in_a_break_is_live(words: str) -> None:
    told = CrexSource().parse_state(REF, snapshot(capture(B=words)))
    assert (told.status, told.result) == (MatchStatus.LIVE, None)


@pytest.mark.parametrize("words", BEFORE)
def test_an_innings_that_has_begun_is_live_whatever_starts_again(words: str) -> None:
    told = CrexSource().parse_state(REF, snapshot(capture(B=words, j="12/0(2.0")))
    assert told.status is MatchStatus.LIVE


@pytest.mark.parametrize(
    ("words", "status", "verdict"),
    [
        ("IND won by 8 wickets", MatchStatus.COMPLETED, "won"),
        ("Match Tied (IND won the Super Over)", MatchStatus.COMPLETED, "tie"),
        ("Match drawn", MatchStatus.COMPLETED, "draw"),
        ("No result", MatchStatus.COMPLETED, "no result"),
        ("Match abandoned due to rain", MatchStatus.ABANDONED, "no result"),
        ("Match called off", MatchStatus.ABANDONED, "no result"),
        ("Match at Wonderers abandoned", MatchStatus.ABANDONED, "no result"),
    ],
)
def test_a_result_in_words_is_told_as_far_as_the_words_go(words: str, status: MatchStatus, verdict: str) -> None:
    told = CrexSource().parse_state(REF, snapshot(capture(B=words)))
    assert told.status is status
    assert told.result is not None
    assert (told.result.verdict, told.result.text, told.result.winner) == (verdict, words, None)


def test_an_end_in_words_that_names_no_result_has_none() -> None:
    told = CrexSource().parse_state(REF, snapshot(capture(B="Match finished")))
    assert (told.status, told.result) == (MatchStatus.COMPLETED, None)


def test_words_may_be_a_number() -> None:
    told = CrexSource().parse_state(REF, snapshot(state(B=4, ps="")))
    assert (told.play, told.last_event) == (PLAY, "4")
