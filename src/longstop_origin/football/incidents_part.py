"""The incidents call: what has happened, the newest first."""

from collections.abc import Iterator

from longstop_origin.football.fixture import Fixture
from longstop_origin.football.play import AWAY, CARD, GOAL, HOME, SUBSTITUTION, Happening, Play
from longstop_origin.football.standing import standing
from longstop_origin.football.wire import Item, person_item

NO_ADDED_TIME = 999
TEXTS = {1: "HT", 2: "FT"}
# How long before the end of a half the board with the minutes goes up.
BOARD_SECONDS = 60
COLORS = {
    "goalkeeperColor": {"primary": "00ccaa", "number": "ffbf00"},
    "playerColor": {"primary": "2f3565", "number": "ffffff"},
}


def incidents_answer(fixture: Fixture, at: float) -> Item | None:
    """None before the first whistle."""
    now = standing(fixture, at)
    if not now.has_begun:
        return None
    rows = [row for half in (1, 2) for row in _half_rows(fixture, half, now.offset)]
    return {"incidents": rows[::-1], "home": COLORS, "away": COLORS}


def _half_rows(fixture: Fixture, half: int, offset: float) -> Iterator[Item]:
    """In their order: what happened in the 45 minutes, the board, what happened on top, the whistle."""
    play = fixture.story.play
    goals: tuple[int, int] = play.score(play.half_ends(1), 1) if half == 2 else (0, 0)
    is_board_up = False
    for number, each in enumerate(play.happenings):
        if each.half != half or play.offset(each) > offset:
            continue
        if each.added and not is_board_up:
            is_board_up = True
            yield from _board(play, half)
        if each.kind == GOAL:
            goals = (goals[0] + (each.side == HOME), goals[1] + (each.side == AWAY))
        yield _row(fixture.id * 100 + number, each, goals)
    if not is_board_up and offset >= play.half_begins(half) + 45 * 60 - BOARD_SECONDS:
        yield from _board(play, half)
    if offset >= play.half_ends(half):
        yield _whistle(half, goals)


def _board(play: Play, half: int) -> Iterator[Item]:
    minutes = play.added[half - 1]
    if minutes:
        yield {
            "length": minutes,
            "time": 45 * half,
            "addedTime": 0,
            "reversedPeriodTime": 1,
            "incidentType": "injuryTime",
        }


def _whistle(half: int, goals: tuple[int, int]) -> Item:
    return {
        "text": TEXTS[half],
        "homeScore": goals[0],
        "awayScore": goals[1],
        "isLive": False,
        "time": 45 * half,
        "addedTime": NO_ADDED_TIME,
        "timeSeconds": 2700 * half,
        "reversedPeriodTime": 1,
        "reversedPeriodTimeSeconds": 0,
        "periodTimeSeconds": 2700,
        "incidentType": "period",
    }


def _row(number: int, each: Happening, goals: tuple[int, int]) -> Item:
    row: Item = {
        "id": number,
        "time": each.minute,
        "isHome": each.side == HOME,
        "incidentClass": each.detail,
        "reversedPeriodTime": 45 * each.half + 1 - each.minute,
        "incidentType": each.kind,
    }
    if each.added:
        row["addedTime"] = each.added
    return row | _own_part(each, goals)


def _own_part(each: Happening, goals: tuple[int, int]) -> Item:
    if each.kind == SUBSTITUTION:
        gone = person_item(each.other) if each.other is not None else {}
        return {"playerIn": person_item(each.player), "playerOut": gone, "injury": False}
    part: Item = {"player": person_item(each.player)}
    if each.kind == GOAL:
        part |= {"homeScore": goals[0], "awayScore": goals[1]}
        part |= {"assist1": person_item(each.other)} if each.other is not None else {}
    if each.kind == CARD:
        part |= {"playerName": each.player.name, "reason": "Foul", "rescinded": False}
    return part
