"""Every match of every real list, spoilt in one place at a time: as it came it is believed, spoilt it is not."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from longstop.check import football
from longstop.domain.football import FootballEvent
from longstop.sources.sofascore import SofascoreReader
from tests.sofascore import STATUSES, snapshot

LISTS = (
    "can/all_can_matches.json",
    "devanhdq/data00_euro_event.json",
    "laliga-fantasy-data/cup-events-champions.json",
    "laliga-fantasy-data/events-8-77559-last-0.json",
    "moisuc/live_events.json",
    "moisuc/scheduled_events.json",
)
EVENTS_LEAST = 150
PLACES = ("current", "display", "normaltime", "period1", "period2")
SIDES = ("homeScore", "awayScore")
Event = dict[str, Any]
Spoil = Callable[[Event], bool]


def found(content: Any) -> Iterator[Event]:
    """Wherever they lie: some lists are nested in others."""
    if isinstance(content, dict) and {"homeTeam", "homeScore", "status"} <= content.keys():
        yield content
    elif isinstance(content, (dict, list)):
        for inner in content.values() if isinstance(content, dict) else content:
            yield from found(inner)


@pytest.fixture(scope="module")
def captured(shared_data: Path) -> list[Event]:
    folder = shared_data / "sofascore"
    return [event for name in LISTS for event in found(msgspec.json.decode((folder / name).read_bytes()))]


def read(told: Event) -> FootballEvent:
    report = SofascoreReader().read(snapshot({"event": told})).football
    assert report is not None
    assert report.event is not None
    return report.event


def shifted(side: str, place: str, by: int) -> Spoil:
    def spoil(told: Event) -> bool:
        score = told.get(side) or {}
        if score.get(place) is None or score[place] + by < 0:
            return False
        score[place] += by
        return True

    return spoil


def emptied(side: str) -> Spoil:
    def spoil(told: Event) -> bool:
        had = (told.get(side) or {}).get("current") is not None
        told[side] = {}
        return had

    return spoil


def changed_sides(told: Event) -> bool:
    home, away = (told.get(side) or {} for side in SIDES)
    told["homeScore"], told["awayScore"] = away, home
    return home.get("current") != away.get("current") and bool(told.get("winnerCode"))


def another_winner(told: Event) -> bool:
    before = told.get("winnerCode")
    told["winnerCode"] = 2 if before == 1 else 1
    return before is not None


def winner_before_the_end(told: Event) -> bool:
    told["winnerCode"] = 1
    return bool(told["status"]["type"] == "inprogress")


def against_itself(told: Event) -> bool:
    status = told["status"]
    other = {"finished": "inprogress", "inprogress": "finished"}.get(status["type"])
    told["status"] = {**status, "type": other}
    return other is not None


def team_against_itself(told: Event) -> bool:
    told["awayTeam"] = deepcopy(told["homeTeam"])
    return True


def alive_again(told: Event) -> bool:
    was_over = told["status"]["code"] in (100, 110, 120)
    told["status"] = STATUSES["second half"]
    told.pop("winnerCode", None)
    return was_over


def alive_again_later(told: Event) -> bool:
    clock = told.get("changes") or {}
    clock["changeTimestamp"] = clock.get("changeTimestamp", 0) + 60
    return alive_again(told)


def older(told: Event) -> bool:
    clock = told.get("changes") or {}
    if not clock.get("changeTimestamp"):
        return False
    clock["changeTimestamp"] -= 600
    return True


def another_key(told: Event) -> bool:
    told["id"] += 1
    return True


def others_teams(told: Event) -> bool:
    told["homeTeam"] = {**told["homeTeam"], "id": told["homeTeam"]["id"] + 1_000_000_000, "name": "Others"}
    return True


def leapt(told: Event) -> bool:
    if told["status"]["type"] != "inprogress":
        return False
    return all(shifted("homeScore", place, 6)(told) for place in ("current", "display"))


def back_without_a_word(told: Event) -> bool:
    """All parts agree; only it was more before."""
    if told["status"]["type"] != "inprogress":
        return False
    halves = [place for place in ("period2", "period1") if (told["homeScore"].get(place) or 0) > 0]
    places = [place for place in ("current", "display", "normaltime") if told["homeScore"].get(place) is not None]
    return bool(halves) and all(shifted("homeScore", place, -1)(told) for place in [*places, halves[0]])


SPOILT: dict[str, Spoil] = {
    **{f"{side} {place} {by:+d}": shifted(side, place, by) for side in SIDES for place in PLACES for by in (1, -1, 3)},
    **{f"{side} is gone": emptied(side) for side in SIDES},
    "scores change sides": changed_sides,
    "another winner": another_winner,
    "a winner before the end": winner_before_the_end,
    "its status against itself": against_itself,
    "a team against itself": team_against_itself,
}
SPOILT_BESIDE_WHAT_WAS: dict[str, Spoil] = {
    "alive again": alive_again,
    "alive again, and newer": alive_again_later,
    "older": older,
    "of another key": another_key,
    "of other teams": others_teams,
    "six goals at once": leapt,
    "back without a word": back_without_a_word,
}


def test_every_captured_match_is_believed_as_it_came_and_beside_itself(captured: list[Event]) -> None:
    assert len(captured) >= EVENTS_LEAST
    for told in captured:
        event = read(told)
        assert football.judge_event(event).reasons == ()
        assert football.judge_event(event, event).reasons == ()


def held_and_believed(captured: list[Event], spoil: Spoil, *, is_beside: bool) -> tuple[int, list[Any]]:
    held, believed = 0, []
    for told in captured:
        spoilt = deepcopy(told)
        if not spoil(spoilt):
            continue
        if football.judge_event(read(spoilt), read(told) if is_beside else None).is_accepted:
            believed.append((told["id"], told["status"]["description"], told["homeScore"], told["awayScore"]))
        held += 1
    return held, believed


@pytest.mark.req("B10")
@pytest.mark.parametrize("name", SPOILT)
def test_a_captured_match_that_is_spoilt_in_one_place_is_held(name: str, captured: list[Event]) -> None:
    spoilt, believed = held_and_believed(captured, SPOILT[name], is_beside=False)
    assert spoilt > 0
    assert believed == []


@pytest.mark.req("B10")
@pytest.mark.parametrize("name", SPOILT_BESIDE_WHAT_WAS)
def test_a_captured_match_that_denies_what_it_was_is_held(name: str, captured: list[Event]) -> None:
    spoilt, believed = held_and_believed(captured, SPOILT_BESIDE_WHAT_WAS[name], is_beside=True)
    assert spoilt > 0
    assert believed == []
