"""What a consumer reads of matches, balls and events, and how old it is said to be."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from longstop.domain.cricket import PlayState, Result
from longstop.domain.events import Gap, GapState
from longstop.domain.match import MatchStatus, Names
from tests.unit.serve.world import NOON, World, events, live_row, records, row

pytestmark = pytest.mark.req("G1")


@pytest.fixture
def world() -> World:
    return World()


async def get(world: World, path: str, status: int = 200) -> tuple[dict[str, Any], dict[str, str]]:
    async with world.client() as client:
        answer = await client.get(path)
        assert answer.status_code == status, answer.text
        return answer.json(), dict(answer.headers)


async def test_match_info_has_the_documents_shape(world: World) -> None:
    world.add()
    body, headers = await get(world, "/cricket-data/match-info/crex_QUY")
    assert body["matchId"] == "crex_QUY"
    assert [team["name"] for team in body["teams"]] == ["India", "Australia"]
    assert body["score"] == {
        "team_a": {"runs": 234, "wickets": 10, "overs": 48.2, "text": "234"},
        "team_b": {"runs": 95, "wickets": 3, "overs": 12.3, "text": "95/3"},
    }
    assert body["status"] == "live"
    assert body["situation"] == "AUS need 140 from 225 balls"
    assert body["toss"] == {"winner": "India", "winner_code": "IN", "decision": "bat"}
    assert body["batting"][0]["player"] == {"code": "P1", "name": "Smriti Mandhana"}
    assert body["bowling"]["overs"] == "2.5"
    assert body["last_event"]["type"] == "wicket"
    assert body["_metadata"]["complete_through"] == "2.12.3"
    assert body["_metadata"]["source_age_seconds"] == 1
    assert headers["x-data-freshness"] == body["_metadata"]["scraped_at"] == "2025-11-12T12:00:00.000Z"
    assert headers["x-data-age-seconds"] == "0"


@pytest.mark.req("B10")
async def test_a_newer_payload_that_is_not_believed_is_told_until_one_is(world: World) -> None:
    world.add()
    assert (await get(world, "/cricket-data/match-info/crex_QUY"))[0]["_metadata"]["held"] is None
    for reason in ("innings 2 has 11 wickets", "both teams are IN"):
        world.reject(reason)
        world.poll("held")
        world.clock.advance(2.5)
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    assert body["_metadata"]["held"] == {"since": "2025-11-12T12:00:00.000Z", "reasons": ["both teams are IN"]}
    assert body["score"]["team_b"]["text"] == "95/3"
    assert body["_metadata"]["data_age_seconds"] == 5
    world.poll()
    assert (await get(world, "/cricket-data/match-info/crex_QUY"))[0]["_metadata"]["held"] is None


@pytest.mark.req("C6")
async def test_the_age_runs_on_and_a_capture_without_change_renews_it(world: World) -> None:
    world.add()
    world.clock.advance(12.7)
    body, headers = await get(world, "/cricket-data/match-info/crex_QUY")
    assert headers["x-data-age-seconds"] == "12"
    assert body["_metadata"]["data_age_seconds"] == 12
    world.poll()
    body, headers = await get(world, "/cricket-data/match-info/crex_QUY")
    assert headers["x-data-age-seconds"] == "0"
    assert body["_metadata"]["content_at"] == "2025-11-12T12:00:00.000Z"
    assert body["_metadata"]["scraped_at"] == "2025-11-12T12:00:12.700Z"


async def test_after_a_restart_the_age_comes_from_the_store(world: World) -> None:
    world.add(is_watched=False)
    world.clock.advance(400)
    body, headers = await get(world, "/cricket-data/match-info/crex_QUY")
    assert headers["x-data-age-seconds"] == "400"
    assert body["_metadata"]["is_stale"] is True


async def test_only_a_live_match_can_be_stale(world: World) -> None:
    world.add(is_watched=False, status=MatchStatus.COMPLETED)
    world.clock.advance(86_400)
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    assert body["_metadata"]["is_stale"] is False


async def test_a_match_that_was_only_listed_says_so(world: World) -> None:
    world.store.rows["crex_NEW"] = row("NEW", status=MatchStatus.UPCOMING)
    body, headers = await get(world, "/cricket-data/match-info/crex_NEW")
    assert body["score"] == {"team_a": None, "team_b": None}
    assert body["innings"] == body["last_balls"] == body["batting"] == []
    assert body["_metadata"]["rung"] is None
    assert headers["x-data-age-seconds"] == str(4 * 3600)


async def test_a_clock_behind_the_capture_gives_no_negative_age(world: World) -> None:
    world.add()
    world.clock.advance(-5)
    _, headers = await get(world, "/cricket-data/match-info/crex_QUY")
    assert headers["x-data-age-seconds"] == "0"


async def test_the_last_balls_come_from_memory_and_after_a_restart_from_the_ledger(world: World) -> None:
    world.add()
    world.store.ball_rows["crex_QUY"] = records(15)
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    assert len(body["last_balls"]) == 12
    assert body["last_balls"][-1]["place"] == "1.2.3"
    world.score()
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    assert [told["text"] for told in body["last_balls"]][-3:] == ["4", "W", "6"]
    assert "dismissals" in body["last_balls"][-2]


@pytest.mark.parametrize("query", ["", "?as_of=2025-11-12T13:00:00Z"])
async def test_a_match_of_thousands_of_balls_is_read_at_first_without_reading_them_all(
    world: World, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine all balls of a Test took longer than a reader waits for one match."""
    world.add(is_watched=False)
    world.store.ball_rows["crex_QUY"] = records(2_000)

    async def too_much(*_: Any, **__: Any) -> Any:
        raise AssertionError("all balls were read")

    monkeypatch.setattr(world.store, "deliveries", too_much)
    body, _ = await get(world, f"/cricket-data/match-info/crex_QUY{query}")
    assert len(body["last_balls"]) == 12


async def test_names_that_come_later_are_used_at_once(world: World) -> None:
    world.add()
    world.names = Names()
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    assert body["teams"][0] == {"code": "IN", "name": "IN", "short_name": "IN"}
    world.names = Names(teams={"IN": "India"})
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    assert body["teams"][0]["name"] == "India"


async def test_a_result_is_told_in_words_and_in_facts(world: World) -> None:
    world.add(is_watched=False, status=MatchStatus.COMPLETED)
    world.store.live_rows["crex_QUY"] = live_row(
        play=PlayState.ENDED, result=Result("won", "IN", by_runs=62, method="D/L")
    )
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    assert body["result"]["winner"] == "India"
    assert body["result"]["by_runs"] == 62
    assert body["situation"] == "India won by 62 runs (D/L)"
    assert body["play_state"] == "ended"


@pytest.mark.req("C2")
async def test_gaps_are_shown_with_their_cause(world: World) -> None:
    world.add()
    world.store.gap_rows["crex_QUY"] = [
        Gap("crex_QUY", "g1", 2, 3, 4, GapState.OPEN, "ball missing", NOON, None, 5, 1, 6),
    ]
    body, _ = await get(world, "/cricket-data/match-info/crex_QUY")
    (gap,) = body["_metadata"]["gaps"]
    assert gap["state"] == "open"
    assert gap["cause"] == "ball missing"
    assert (gap["missing_runs"], gap["missing_wickets"], gap["missing_balls"]) == (5, 1, 6)


async def test_a_list_promises_the_age_of_its_oldest_live_match(world: World) -> None:
    world.add("OLD")
    world.clock.advance(8)
    world.add("NEW")
    world.add("END", status=MatchStatus.COMPLETED, is_watched=False)
    world.store.live_rows["crex_END"] = live_row("END", at=NOON - timedelta(days=1))
    body, headers = await get(world, "/cricket-data/matches")
    assert body["count"] == 3
    assert headers["x-data-age-seconds"] == "8"
    assert body["_metadata"]["data_age_seconds"] == 8
    assert [match["_metadata"]["data_age_seconds"] for match in body["matches"]] == [8, 0, 86_408]


async def test_an_empty_list_is_a_fresh_answer(world: World) -> None:
    body, headers = await get(world, "/cricket-data/matches?status=live&source=nowhere&limit=1")
    assert body["matches"] == []
    assert headers["x-data-age-seconds"] == "0"


async def test_lists_are_filtered_by_status_and_source(world: World) -> None:
    world.add("A")
    world.add("B", source="espn")
    world.add("C", status=MatchStatus.COMPLETED, is_watched=False)
    body, _ = await get(world, "/cricket-data/matches?status=live&source=espn")
    assert [match["matchId"] for match in body["matches"]] == ["espn_B"]
    body, _ = await get(world, "/cricket-data/matches?limit=2")
    assert body["count"] == 2


@pytest.mark.req("C7")
async def test_events_are_read_to_the_end_by_their_cursor(world: World) -> None:
    world.add()
    world.store.event_rows["crex_QUY"] = events(25)
    seen: list[int] = []
    after, has_more = 0, True
    while has_more:
        body, headers = await get(world, f"/cricket-data/matches/crex_QUY/events?after={after}&limit=10")
        assert headers["x-data-age-seconds"] == "0"
        seen += [event["seq"] for event in body["events"]]
        after, has_more = body["next_after"], body["has_more"]
    assert seen == list(range(1, 26))
    body, _ = await get(world, "/cricket-data/matches/crex_QUY/events?after=25")
    assert (body["events"], body["next_after"], body["has_more"]) == ([], 25, False)


async def test_a_page_that_ends_with_the_last_event_has_no_more(world: World) -> None:
    world.add()
    world.store.event_rows["crex_QUY"] = events(10)
    body, _ = await get(world, "/cricket-data/matches/crex_QUY/events?limit=10")
    assert body["has_more"] is False
    assert body["events"][0]["ball"]["batter"]["name"] == "Smriti Mandhana"
    assert body["events"][0]["is_critical"] is True


@pytest.mark.req("C4")
@pytest.mark.parametrize(
    ("as_of", "count"),
    [
        (NOON - timedelta(seconds=1), 0),
        (NOON, 1),
        (NOON + timedelta(seconds=4), 5),
        (NOON + timedelta(days=1), 15),
    ],
)
async def test_the_ledger_answers_as_of_a_moment(world: World, as_of: datetime, count: int) -> None:
    world.add()
    world.store.ball_rows["crex_QUY"] = records(15)
    moment = as_of.isoformat().replace("+00:00", "Z")
    body, _ = await get(world, f"/cricket-data/matches/crex_QUY/deliveries?as_of={moment}")
    assert body["count"] == len(body["deliveries"]) == count
    assert body["runs"] == sum(told["ball"]["runs"] for told in body["deliveries"])


@pytest.mark.parametrize(
    "moment",
    ["2025-11-12T17:30:04+05:30", "2025-11-12T17:30:04%2B05:30", "2025-11-12T12:00:04", "2025-11-12 12:00:04Z"],
)
async def test_a_moment_may_be_written_in_every_usual_way(world: World, moment: str) -> None:
    world.add()
    world.store.ball_rows["crex_QUY"] = records(15)
    body, _ = await get(world, f"/cricket-data/matches/crex_QUY/deliveries?as_of={moment}")
    assert body["count"] == 5
