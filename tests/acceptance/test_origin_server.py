"""The simulated site on a real socket: it answers like a site, and breaks like one."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator

import aiohttp
import pytest

from longstop_origin.faults import Fault, FaultPlan
from longstop_origin.pages import match_path
from longstop_origin.server import OriginAddressError, OriginServer, require_loopback, serve
from longstop_origin.world import World, WorldOptions

EPOCH = 1_700_000_000.0
STATE = "/api/v3/getSV3"


class Scripted(FaultPlan):
    """Fails as told, request by request."""

    def __init__(self) -> None:
        super().__init__("none")
        self.next: Fault | None = None
        self.asked = asyncio.Event()

    def decide(self, key: str, ordinal: int, asked: str, now: float) -> Fault | None:
        self.asked.set()
        return self.next


class Watch:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = EPOCH

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def plan() -> Scripted:
    return Scripted()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
async def server(plan: Scripted, watch: Watch) -> AsyncIterator[OriginServer]:
    world = World(WorldOptions(epoch=EPOCH, seed=1, matches=5, speed=40.0))
    async with serve(world, plan, now=watch) as running:
        yield running


@pytest.fixture
async def client(server: OriginServer) -> AsyncIterator[aiohttp.ClientSession]:
    """One connection, kept alive; a broken one is not tried again behind our back."""
    connector = aiohttp.TCPConnector(limit=1)
    async with aiohttp.ClientSession(server.url, connector=connector) as session:
        session._retry_connection = False
        yield session


def key_of(server: OriginServer) -> str:
    return server.site.world.listed(EPOCH)[0].key


async def test_the_whole_site_answers(client: aiohttp.ClientSession, server: OriginServer) -> None:
    fixture = server.site.world.listed(EPOCH)[0]
    paths = [
        "/", "/robots.txt", "/cricket-live-score", "/fixture/getFixture", match_path(fixture),
        f"{STATE}?key={fixture.key}", f"/api/v3/getSC4?key={fixture.key}",
        f"/commentary/getBallFeeds?key={fixture.key}&inning=1&from=0&to=9", "/mapping/getHomeMapData?p=A,B&t=C&s=D",
        "/_origin/matches", "/_origin/truth", "/_origin/stats",
    ]  # fmt: skip
    for path in paths:
        async with client.get(path) as answer:
            assert (answer.status, await answer.read() != b"") == (200, True), path
    async with client.get("/nowhere") as answer:
        assert answer.status == 404


async def test_json_says_that_it_is_json(client: aiohttp.ClientSession, server: OriginServer) -> None:
    async with client.get(STATE, params={"key": key_of(server)}) as answer:
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        assert (await answer.json())["ps"] == "P"


async def test_an_unchanged_state_is_not_sent_again(client: aiohttp.ClientSession, server: OriginServer) -> None:
    async with client.get(STATE, params={"key": key_of(server)}) as answer:
        etag = answer.headers["ETag"]
    async with client.get(STATE, params={"key": key_of(server)}, headers={"If-None-Match": etag}) as answer:
        assert (answer.status, await answer.read()) == (304, b"")


async def test_a_head_request_brings_no_body(client: aiohttp.ClientSession, server: OriginServer) -> None:
    async with client.head(STATE, params={"key": key_of(server)}) as answer:
        assert (answer.status, await answer.read()) == (200, b"")


async def test_what_it_sends_is_counted_heads_and_all(client: aiohttp.ClientSession, server: OriginServer) -> None:
    params = {"key": server.site.world.listed(EPOCH)[0].key}
    for method, has_body in (("GET", True), ("HEAD", False)):
        before = server.site.bytes_sent
        async with client.request(method, STATE, params=params) as answer:
            head = sum(len(name) + len(value) + 4 for name, value in answer.raw_headers)
            body = len(await answer.read())
        assert server.site.bytes_sent - before == pytest.approx(head + body + 19, abs=64)
        assert (body > 0) is has_body


async def test_the_match_goes_on_with_the_clock(
    client: aiohttp.ClientSession, server: OriginServer, watch: Watch
) -> None:
    sequences = []
    for _ in range(3):
        async with client.get(STATE, params={"key": key_of(server)}) as answer:
            sequences.append((await answer.json())["ts"])
        watch.now += 10.0
    assert sequences == sorted(set(sequences))


async def test_a_frozen_world_stands_still(client: aiohttp.ClientSession, server: OriginServer, watch: Watch) -> None:
    async with client.post("/_origin/freeze") as answer:
        assert (await answer.json())["is_frozen"] is True
    bodies = set()
    for _ in range(3):
        watch.now += 10.0
        async with client.get(STATE, params={"key": key_of(server)}) as answer:
            bodies.add(await answer.read())
    assert len(bodies) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 502, 503])
async def test_a_refusal_arrives_as_one(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted, status: int
) -> None:
    plan.next = Fault("server error", status=status, retry_after_seconds=2 if status == 429 else None)
    async with client.get(STATE, params={"key": key_of(server)}) as answer:
        assert answer.status == status
        assert answer.headers.get("Retry-After") == ("2" if status == 429 else None)


async def test_a_reset_connection_is_reset(client: aiohttp.ClientSession, server: OriginServer, plan: Scripted) -> None:
    plan.next = Fault("reset")
    with pytest.raises(aiohttp.ClientOSError) as caught:
        await client.get(STATE, params={"key": key_of(server)})
    assert caught.value.errno == errno.ECONNRESET


async def test_a_truncated_body_ends_too_soon(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted
) -> None:
    plan.next = Fault("truncated", share=0.5)
    async with client.get(STATE, params={"key": key_of(server)}) as answer:
        assert answer.status == 200
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.read()


async def test_a_hanging_call_never_answers(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted
) -> None:
    plan.next = Fault("hang", delay_seconds=30.0)
    with pytest.raises(TimeoutError):
        await client.get(STATE, params={"key": key_of(server)}, timeout=aiohttp.ClientTimeout(total=0.2))


async def test_a_hanging_call_is_cut_at_its_bound(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted
) -> None:
    plan.next = Fault("hang", delay_seconds=0.05)
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.get(STATE, params={"key": key_of(server)})


async def test_latency_only_delays_the_answer(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted
) -> None:
    plan.next = Fault("latency", delay_seconds=0.15)
    loop = asyncio.get_running_loop()
    before = loop.time()
    async with client.get(STATE, params={"key": key_of(server)}) as answer:
        assert (await answer.json())["ps"] == "P"
    assert loop.time() - before >= 0.15


async def test_a_malformed_body_arrives_as_it_is(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted
) -> None:
    plan.next = Fault("malformed", variant=1)
    async with client.get(STATE, params={"key": key_of(server)}) as answer:
        assert answer.status == 200
        assert (await answer.read()).startswith(b"<!DOCTYPE html>")


async def test_the_origins_own_doors_never_fail(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted
) -> None:
    plan.next = Fault("reset")
    async with client.get("/_origin/stats") as answer:
        assert answer.status == 200


async def test_it_serves_again_after_every_fault(
    client: aiohttp.ClientSession, server: OriginServer, plan: Scripted
) -> None:
    for fault in (Fault("reset"), Fault("truncated", share=0.1), Fault("hang", delay_seconds=0.01)):
        plan.next = fault
        with pytest.raises(aiohttp.ClientError):
            async with client.get(STATE, params={"key": key_of(server)}) as answer:
                await answer.read()
        plan.next = None
        async with client.get(STATE, params={"key": key_of(server)}) as answer:
            assert answer.status == 200


async def test_leaving_does_not_wait_for_a_hanging_call(plan: Scripted, watch: Watch) -> None:
    plan.next = Fault("hang", delay_seconds=30.0)
    world = World(WorldOptions(epoch=EPOCH, seed=1, matches=1))
    loop = asyncio.get_running_loop()
    before = loop.time()
    async with serve(world, plan, now=watch) as running:
        reader, writer = await asyncio.open_connection(running.host, running.port)
        writer.write(b"GET /fixture/getFixture HTTP/1.1\r\nHost: origin\r\n\r\n")
        await plan.asked.wait()
    assert loop.time() - before < 5.0
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_a_storm_is_survived(plan: Scripted, watch: Watch) -> None:
    """Hundreds of calls in a storm: every one ends, and the counts name them all."""
    world = World(WorldOptions(epoch=EPOCH, seed=1, matches=10, speed=40.0))
    storm = FaultPlan("storm", seed=3, hang_seconds=0.2)
    async with serve(world, storm, now=watch) as running, aiohttp.ClientSession(running.url) as session:
        keys = [fixture.key for fixture in world.listed(EPOCH)]

        async def call(key: str) -> bool:
            try:
                async with session.get(STATE, params={"key": key}) as answer:
                    return answer.status == 200 and (await answer.read())[:1] == b"{"
            except aiohttp.ClientError:
                return False

        good = 0
        for _ in range(10):
            good += sum(await asyncio.gather(*map(call, keys)))
            watch.now += 6.0
        assert 50 < good < 100
        assert sum(running.site.faults.values()) >= 100 - good


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org", ""])
def test_only_this_machine_is_served(host: str) -> None:
    with pytest.raises(OriginAddressError, match=r"127\.0\.0\.1"):
        require_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_addresses_of_this_machine_are_allowed(host: str) -> None:
    require_loopback(host)


async def test_a_port_in_use_is_told(watch: Watch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="address already in use"):
            async with serve(World(WorldOptions(epoch=EPOCH)), now=watch, port=taken.getsockname()[1]):
                pass
