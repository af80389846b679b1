"""Who gets in, over real HTTP: from key to stream, and out again when the key is revoked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from longstop.clock import SystemClock
from longstop.domain.access import Tier
from longstop.serve.entry.directory import DirectoryKeeping
from longstop.serve.server import ApiServer
from longstop.supervise.service import Stop
from tests.unit.serve.entry.house import House, settings_in

pytestmark = pytest.mark.req("G2")
STREAMS = ("/cricket-data/matches/crex_QUY/stream", "/ops/stream")


class Place:
    """A served house whose services run, as a running Longstop's do."""

    def __init__(self, folder: Path) -> None:
        self.house = House(settings_in(folder))
        self.server = ApiServer(self.house.app, "127.0.0.1", 0)
        self.stop = Stop(SystemClock())

    async def start(self) -> None:
        await self.house.open()
        await self.server.start()
        self._services = [asyncio.create_task(each.run(self.stop)) for each in self.house.hall.services]

    async def end(self) -> None:
        self.stop.ask("the test is over")
        await asyncio.gather(*self._services)
        await self.server.stop()
        await self.house.close()


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(tmp_path)
    await made.start()
    yield made
    await made.end()


@pytest.mark.parametrize("path", STREAMS)
async def test_a_stream_ends_within_seconds_when_its_key_is_revoked_elsewhere(place: Place, path: str) -> None:
    made = await place.house.key()
    headers = {"Authorization": f"Bearer {await place.house.token(made)}"}
    clock = SystemClock()
    async with aiohttp.ClientSession(place.server.url) as session, session.get(path, headers=headers) as stream:
        assert stream.status == 200
        await stream.content.readany()
        # By a command in another process, as far as this one can tell.
        await place.house.hall.store.end_key(made.key.key_id, place.house.clock.now())
        revoked_at = clock.monotonic()
        async with asyncio.timeout(8):  # noqa: TID251 - sockets live in real time
            while await stream.content.readany():
                pass
        assert clock.monotonic() - revoked_at <= 5
        async with session.get(path, headers=headers) as again:
            assert again.status == 401


@pytest.mark.parametrize(("path", "most"), [(STREAMS[0], 50), (STREAMS[1], 8)])
async def test_one_consumer_leaves_streams_to_others_with_all_keys_and_at_once(
    place: Place, path: str, most: int
) -> None:
    first, second = [await place.house.bearer(tier=Tier.PREMIUM) for _ in range(2)]
    other = await place.house.bearer(consumer="other")
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(place.server.url, connector=connector) as session, AsyncExitStack() as held:

        async def has_place(headers: dict[str, str]) -> bool:
            answer = await held.enter_async_context(session.get(path, headers=headers))
            assert answer.status in {200, 503}
            told = b""
            while answer.status == 200 and b"event: " not in told:
                piece = await answer.content.readany()
                if not piece:
                    return False
                told += piece
            return answer.status == 200 and b"event: closing" not in told

        found = await asyncio.gather(*(has_place((first, second)[number % 2]) for number in range(most + 20)))
        assert sum(found) == most
        assert await has_place(other)


async def test_what_was_answered_is_in_the_log_when_it_ends(place: Place) -> None:
    made = await place.house.key()
    headers = {"Authorization": f"Bearer {await place.house.token(made)}"}
    async with aiohttp.ClientSession(place.server.url) as session:
        for _ in range(10):
            async with session.get("/cricket-data/matches", headers=headers) as answer:
                assert answer.status == 200
    assert any(isinstance(each, DirectoryKeeping) for each in place.house.hall.services)
    log, today = place.house.hall.store, place.house.clock.now().date()
    async with asyncio.timeout(5):  # noqa: TID251 - the writer comes round each second
        while len(await log.entries(today)) < 11:  # noqa: ASYNC110 - nothing else tells a test
            await asyncio.sleep(0.05)
