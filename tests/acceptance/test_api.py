"""The API over real HTTP, in front of a real database: what a consumer's own client sees."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from multidict import CIMultiDictProxy

from longstop.domain.events import Gap, GapState
from longstop.domain.match import MatchStatus
from longstop.serve.api import create_app
from longstop.serve.entry.hall import open_to_this_machine
from longstop.serve.reading import Instance, ReadModel
from longstop.serve.server import ApiServer
from longstop.store.contract import MatchRow, NamesRow, Store, WriteBatch
from longstop.store.open import open_store
from tests.unit.serve.world import NAMES, NOON, World, events, live_row, records, row

pytestmark = pytest.mark.req("G1")


class Service:
    """A store with one live match in it, a board, and a server in front of both."""

    def __init__(self, world: World, store: Store, server: ApiServer, client: aiohttp.ClientSession) -> None:
        self.world = world
        self.store = store
        self.server = server
        self.client = client

    async def get(self, path: str, status: int = 200) -> tuple[dict[str, Any], CIMultiDictProxy[str]]:
        async with self.client.get(self.server.url + path) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json(content_type=None), answer.headers


def batch() -> WriteBatch:
    gap = Gap("crex_QUY", "g1", 2, 3, 3, GapState.OPEN, "ball missing", NOON, None, 1, 0, 1)
    return WriteBatch(
        matches=(row(),),
        live=(live_row(),),
        deliveries=tuple(records(12)),
        events=tuple(events(12)),
        gaps=(gap,),
        names=(NamesRow("crex", NAMES),),
    )


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    world = World()
    store = open_store(f"sqlite:///{tmp_path}/longstop.db", clock=world.clock)
    await store.open()
    await store.save(batch())
    model = ReadModel(store, world.board, lambda _: NAMES, world.clock, Instance("test", "0.1.0"))
    server = ApiServer(create_app(model, open_to_this_machine(world.clock, world.signals)), "127.0.0.1", 0)
    await server.start()
    async with aiohttp.ClientSession() as client:
        yield Service(world, store, server, client)
    await server.stop()
    await store.close()


async def test_a_consumer_finds_a_match_and_reads_it(service: Service) -> None:
    service.world.clock.advance(3.4)
    listed, headers = await service.get("/cricket-data/matches?status=live")
    match_id = listed["matches"][0]["matchId"]
    assert headers["X-Data-Age-Seconds"] == "3"
    body, headers = await service.get(f"/cricket-data/match-info/{match_id}")
    assert body["score"]["team_b"] == {"runs": 95, "wickets": 3, "overs": 12.3, "text": "95/3"}
    assert body["innings"][0]["extras"]["wides"] == 8
    assert body["batting"][0]["player"]["name"] == "Smriti Mandhana"
    assert body["_metadata"]["gaps"][0]["cause"] == "ball missing"
    assert body["_metadata"]["payload_sha256"] == "ab" * 32
    assert headers["X-Data-Freshness"] == "2025-11-12T12:00:00.000Z"
    assert headers["X-Data-Age-Seconds"] == "3"
    assert len(body["last_balls"]) == 12


@pytest.mark.req("C7")
async def test_a_consumer_follows_the_events_to_their_end(service: Service) -> None:
    seen: list[int] = []
    after = 0
    while True:
        body, _ = await service.get(f"/cricket-data/matches/crex_QUY/events?after={after}&limit=5")
        seen += [event["seq"] for event in body["events"]]
        after = body["next_after"]
        if not body["has_more"]:
            break
    assert seen == list(range(1, 13))


@pytest.mark.req("C4")
async def test_a_consumer_asks_what_was_known_then(service: Service) -> None:
    moment = (NOON + timedelta(seconds=4)).isoformat().replace("+00:00", "Z")
    body, _ = await service.get(f"/cricket-data/matches/crex_QUY/deliveries?as_of={moment}")
    assert body["count"] == 5
    now, _ = await service.get("/cricket-data/matches/crex_QUY/deliveries")
    assert now["count"] == 12


async def test_an_update_is_read_as_soon_as_it_is_stored(service: Service) -> None:
    service.world.clock.advance(30)
    finished: MatchRow = row(status=MatchStatus.COMPLETED)
    await service.store.save(WriteBatch(matches=(finished,), live=(live_row(at=service.world.clock.now()),)))
    body, headers = await service.get("/cricket-data/match-info/crex_QUY")
    assert body["status"] == "completed"
    assert headers["X-Data-Age-Seconds"] == "0"


@pytest.mark.req("G3")
async def test_a_closed_database_leaves_health_and_page_alone(service: Service) -> None:
    service.world.start()
    service.world.poll()
    await service.store.close()
    body, headers = await service.get("/cricket-data/matches", status=503)
    assert body["type"] == "/problems/store-unavailable"
    assert headers["Retry-After"] == "5"
    assert (await service.get("/health"))[0]["status"] == "healthy"
    board, _ = await service.get("/ops/board")
    assert board["head"]["store_answers"] is False


@pytest.mark.req("G3")
async def test_health_answers_quickly_beside_other_readers(service: Service) -> None:
    for number in range(200):
        service.world.start(f"M{number}")
        service.world.poll(f"M{number}")

    async def read() -> None:
        for _ in range(20):
            await service.get("/cricket-data/match-info/crex_QUY")

    readers = asyncio.gather(*(read() for _ in range(4)))
    spent = []
    for _ in range(40):
        began = time.perf_counter()
        await service.get("/health")
        spent.append(time.perf_counter() - began)
    await readers
    assert sorted(spent)[int(len(spent) * 0.95)] < 0.1


async def test_raw_bytes_that_are_no_http_do_no_harm(service: Service) -> None:
    for raw in (
        b"\x16\x03\x01\x02\x00garbage\r\n\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", service.server.port)
        writer.write(raw)
        writer.write_eof()
        answer = await reader.read()
        assert b" 200 " not in answer.split(b"\r\n")[0] or raw.startswith(b"GET /%zz")
        writer.close()
        await writer.wait_closed()
    assert (await service.get("/livez"))[0] == {"status": "alive"}
