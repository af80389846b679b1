"""With the database away what is known is told, and that it is only known: marked, aged, and as new as we are."""

import asyncio
from typing import Any

import msgspec
import pytest

from longstop.domain.events import Gap, GapState
from longstop.observe import signals as facts
from longstop.serve.recollection import PATIENCE_SECONDS
from tests.unit.serve.world import NOON, World, events, records, row

pytestmark = [pytest.mark.req("B7"), pytest.mark.req("C6")]

MATCH = "/cricket-data/match-info/crex_QUY"
PATHS = (
    MATCH,
    "/cricket-data/matches",
    "/cricket-data/matches?status=live",
    "/cricket-data/matches/crex_QUY/events",
    "/cricket-data/matches/crex_QUY/deliveries",
    "/cricket-data/matches/crex_QUY/snapshots",
)


def a_world() -> World:
    world = World()
    world.add()
    world.store.ball_rows["crex_QUY"] = records(9)
    world.store.event_rows["crex_QUY"] = events(9)
    return world


def lost(world: World) -> None:
    world.store.is_down = True
    world.signals.emit(facts.StoreLost(at=world.clock.now(), reason="it is away", hint=""))


@pytest.mark.parametrize("path", PATHS)
async def test_a_database_that_is_away_leaves_the_last_known_state_marked(path: str) -> None:
    world = a_world()
    async with world.client() as client:
        before = await client.get(path)
        lost(world)
        world.clock.advance(61)
        during = await client.get(path)
        world.store.is_down = False
        world.signals.emit(facts.StoreRecovered(at=world.clock.now(), down_seconds=61, records=0))
    assert before.json()["_metadata"]["degraded"] is False
    assert "warning" not in before.headers
    assert during.status_code == 200
    told = during.json()["_metadata"]
    assert told["degraded"] is True
    assert told["data_age_seconds"] == int(during.headers["x-data-age-seconds"]) == 61
    assert "111 " in during.headers["warning"]
    assert _plain(during.json()) == _plain(before.json())


def _plain(body: Any) -> Any:
    if isinstance(body, dict):
        return {name: _plain(value) for name, value in body.items() if name != "_metadata"}
    return [_plain(value) for value in body] if isinstance(body, list) else body


async def test_what_was_never_read_cannot_be_told_and_that_is_said() -> None:
    world = a_world()
    lost(world)
    async with world.client() as client:
        answers = [await client.get(path) for path in PATHS]
    assert {answer.status_code for answer in answers} == {503}
    assert {answer.json()["type"] for answer in answers} == {"/problems/store-unavailable"}


async def test_a_match_goes_on_being_told_while_the_database_is_away() -> None:
    """What is scraped meanwhile is durable in the spool, and believed: it is newer than anything the database has."""
    world = a_world()
    async with world.client() as client:
        await client.get(MATCH)
        lost(world)
        world.clock.advance(5)
        world.poll(outcome="updated")
        world.score(last_event="6")
        answer = await client.get(MATCH)
    assert answer.json()["last_event"]["description"] == "6"
    assert answer.json()["_metadata"]["data_age_seconds"] == 0
    assert answer.json()["_metadata"]["sequence"] == 313


async def test_gaps_and_ends_are_heard_without_asking_the_database() -> None:
    world = a_world()
    gap = Gap("crex_QUY", "g1", 2, 3, 3, GapState.OPEN, "4 runs", NOON, None, 4, 0, 1)
    async with world.client() as client:
        await client.get(MATCH)
        reads = world.store.reads
        world.signals.emit(facts.FactsStored(at=NOON, match_id="crex_QUY", source="crex", events=(), gaps=(gap,)))
        world.signals.emit(
            facts.MatchStateChanged(at=NOON, match_id="crex_QUY", before="active", after="completed", reason="finished")
        )
        body = (await client.get(MATCH)).json()
    assert body["_metadata"]["gaps"][0]["cause"] == "4 runs"
    assert body["status"] == "completed"
    assert world.store.reads == reads


async def test_many_readers_of_a_watched_match_ask_the_database_once() -> None:
    world = a_world()
    async with world.client() as client:
        await client.get(MATCH)
        reads = world.store.reads
        for _ in range(50):
            assert (await client.get(MATCH)).status_code == 200
    assert world.store.reads == reads


async def test_a_database_that_hangs_is_waited_for_once_and_then_left_alone_for_a_moment() -> None:
    world = a_world()
    world.store.is_hanging = True
    async with world.client() as client:
        first = await client.get(MATCH)
        second = await client.get("/cricket-data/matches")
    assert (first.status_code, second.status_code) == (503, 503)
    assert second.elapsed.total_seconds() < 0.5


async def test_each_answer_tells_three_ages_and_where_its_fields_come_from() -> None:
    world = a_world()
    world.clock.advance(4)
    async with world.client() as client:
        told = (await client.get(MATCH)).json()["_metadata"]
    assert told["ages"] == {"source_seconds": 5, "capture_seconds": 4, "delivery_seconds": 3}
    assert told["fields"]["score"] == {
        "source": "crex",
        "confidence": 1.0,
        "timestamp": "2025-11-12T12:00:00.000Z",
        "rung": "replay",
    }
    assert told["fields"]["venue"]["rung"] is None


async def test_the_list_is_read_page_by_page() -> None:
    world = World()
    for number in range(7):
        world.store.rows[f"crex_K{number}"] = row(f"K{number}")
    seen: list[str] = []
    address = "/cricket-data/matches?limit=3"
    async with world.client() as client:
        while True:
            page = (await client.get(address)).json()
            seen += [match["matchId"] for match in page["matches"]]
            if page["next_after"] is None:
                break
            address = f"/cricket-data/matches?limit=3&after={page['next_after']}"
        broken = [
            (await client.get(f"/cricket-data/matches?after={text}")).status_code for text in ("x", "%00", "e30", "W10")
        ]
    assert seen == [f"crex_K{number}" for number in range(7)]
    assert broken == [410] * 4


@pytest.mark.parametrize("path", ["export", "scorecard", "deliveries", "export?as_of=2026-01-01T00:00:00Z"])
async def test_a_whole_match_may_take_longer_than_a_look_at_it(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """A Test has thousands of balls, and a busy machine is not a database that is away."""
    world = World()
    world.add()
    world.score()
    at_once = world.store.deliveries

    async def slowly(match_id: str, **asked: Any) -> Any:
        await asyncio.sleep(PATIENCE_SECONDS + 0.2)
        return await at_once(match_id, **asked)

    monkeypatch.setattr(world.store, "deliveries", slowly)
    async with world.client() as client:
        answer = await client.get(f"/cricket-data/matches/crex_QUY/{path}")
        after = await client.get("/cricket-data/match-info/crex_QUY")
    assert answer.status_code == 200, answer.text
    assert after.json()["_metadata"]["degraded"] is False


async def test_a_match_that_stands_still_is_not_read_ball_by_ball_each_second(monkeypatch: pytest.MonkeyPatch) -> None:
    world, asked = World(), []
    world.add(is_watched=False)
    world.store.ball_rows["crex_QUY"] = records(20)
    at_once = world.store.last_deliveries

    async def counted(match_id: str, **more: Any) -> Any:
        asked.append(match_id)
        return await at_once(match_id, **more)

    monkeypatch.setattr(world.store, "last_deliveries", counted)
    monkeypatch.setattr("longstop.serve.recollection.OTHERS_SECONDS", 0.0)
    async with world.client() as client:
        shown = [(await client.get(MATCH)).json()["last_balls"] for _ in range(3)]
        assert len(asked) == 1
        live = world.store.live_rows["crex_QUY"]
        world.store.live_rows["crex_QUY"] = msgspec.structs.replace(live, sequence=live.sequence + 1)
        await client.get(MATCH)
    assert shown[0]
    assert shown[1:] == shown[:1] * 2
    assert len(asked) == 2
