"""Connections that say nothing, or too little: they are cut, they make room, and what must live lives on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import msgspec
import pytest

from longstop.serve.connections import HEAD_BYTES_MAX, ConnectionLimits
from longstop.serve.server import ApiServer
from tests.unit.serve.world import World

pytestmark = [pytest.mark.req("G1"), pytest.mark.req("G2")]
HALF = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
WHOLE = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
WITH_BODY = b"POST /token/generate-token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
QUICK = ConnectionLimits(head_seconds=0.3, grace_seconds=0.3)


@asynccontextmanager
async def served(limits: ConnectionLimits, app: Any = None) -> AsyncIterator[ApiServer]:
    world = World()
    world.add()
    server = ApiServer(app or world.app(), "127.0.0.1", 0, limits=limits)
    await server.start()
    try:
        yield server
    finally:
        await server.stop(deadline_seconds=1.0)


class Line:
    """One connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def end(self) -> bytes:
        """All that comes until the other side ends it."""
        async with asyncio.timeout(6):  # noqa: TID251 - sockets live in real time
            return await self.reader.read()

    async def answer(self) -> bytes:
        async with asyncio.timeout(6):  # noqa: TID251 - sockets live in real time
            return await self.reader.readuntil(b"\r\n\r\n")


@asynccontextmanager
async def lines(server: ApiServer, count: int = 1, data: bytes = b"") -> AsyncIterator[list[Line]]:
    made = [Line(*await asyncio.open_connection("127.0.0.1", server.port)) for _ in range(count)]
    for line in made:
        await line.send(data)
    try:
        yield made
    finally:
        for line in made:
            line.writer.close()
        await asyncio.gather(*(line.writer.wait_closed() for line in made), return_exceptions=True)


def problem_of(answer: bytes) -> dict[str, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head
    found: dict[str, Any] = msgspec.json.decode(body)
    assert b"HTTP/1.1 %d " % found["status"] in head
    assert found["hint"]
    assert found["request_id"].encode() in head
    return found


async def test_a_head_that_does_not_come_to_its_end_is_cut_and_told_why() -> None:
    async with served(QUICK) as server, lines(server, 3, HALF) as half:
        for line in half:
            assert problem_of(await line.end())["type"] == "/problems/request-too-slow"


async def test_whoever_says_nothing_at_all_is_cut_without_a_word() -> None:
    async with served(QUICK) as server, lines(server) as (line,):
        assert await line.end() == b""


async def test_an_empty_line_after_an_answer_keeps_no_place() -> None:
    async with served(QUICK) as server, lines(server, 1, WHOLE) as (line,):
        assert b"200 OK" in await line.answer()
        await line.send(b"\r\n")
        assert b"/problems/request-too-slow" in await line.end()


async def test_a_second_head_that_does_not_come_is_cut_as_the_first() -> None:
    async with served(QUICK) as server, lines(server, 1, WHOLE) as (line,):
        assert b"200 OK" in await line.answer()
        await line.reader.read(64)
        await line.send(HALF)
        assert b"/problems/request-too-slow" in await line.end()


async def test_a_body_that_drips_is_cut() -> None:
    async with served(QUICK) as server, lines(server, 1, WITH_BODY + b"Content-Length: 4000\r\n\r\n{") as (line,):
        ended = asyncio.create_task(line.end())
        while not ended.done():
            line.writer.write(b" ")
            await asyncio.sleep(0.05)
        assert b"/problems/" in await ended


async def test_a_body_that_comes_slowly_but_surely_is_taken() -> None:
    limits = ConnectionLimits(head_seconds=0.3, grace_seconds=0.5, body_bytes_per_second=2_000)
    taken = bytearray()

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            taken.extend(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    async with served(limits, app) as server, lines(server) as (line,):
        await line.send(WITH_BODY + b"Content-Length: 20000\r\n\r\n")
        for _ in range(20):
            await line.send(b"x" * 1_000)
            await asyncio.sleep(0.1)
        assert b"200 OK" in await line.answer()
    assert len(taken) == 20_000


async def test_a_head_without_end_fills_no_memory() -> None:
    async with served(ConnectionLimits()) as server, lines(server, 1, HALF) as (line,):
        await line.send(b"x" * (HEAD_BYTES_MAX))
        assert problem_of(await line.end())["type"] == "/problems/head-too-large"


async def test_what_is_no_http_is_a_problem_too() -> None:
    async with served(ConnectionLimits()) as server, lines(server, 1, b"\x16\x03\x01 nonsense\r\n\r\n") as (line,):
        assert problem_of(await line.end())["type"] == "/problems/bad-request"


async def test_half_sent_requests_make_room_for_whole_ones() -> None:
    """As many as there are places, and more, from one address and with patience."""
    limits = ConnectionLimits(most=50)
    async with served(limits) as server, lines(server, 120, HALF), httpx.AsyncClient(base_url=server.url) as client:
        for path in ("/livez", "/health", "/", "/cricket-data/matches", "/console/console.js"):
            assert (await client.get(path)).status_code == 200, path


async def test_half_sent_bodies_make_room_as_well() -> None:
    limits = ConnectionLimits(most=50)
    half = WITH_BODY + b"Content-Length: 4000\r\n\r\n{"
    async with served(limits) as server, lines(server, 120, half), httpx.AsyncClient(base_url=server.url) as client:
        assert (await client.get("/cricket-data/matches")).status_code == 200


async def waiting(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answers at once what must live, and all else when it is told to."""
    if scope["path"] not in {"/livez", "/"}:
        await asyncio.Event().wait()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


async def test_where_all_are_busy_one_too_many_is_told_so_and_what_must_live_lives() -> None:
    busy = b"GET /busy HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    async with served(ConnectionLimits(most=50), waiting) as server, lines(server, 40, busy):
        async with lines(server, 1, busy) as (line,):
            refused = await line.end()
            assert problem_of(refused)["type"] == "/problems/too-many-connections"
            assert b"retry-after: 5" in refused
        async with httpx.AsyncClient(base_url=server.url) as client:
            assert [(await client.get(path)).status_code for path in ("/livez", "/")] == [200, 200]


async def test_not_even_spare_places_are_without_bound() -> None:
    """What must live and does not end takes them one by one."""
    busy = b"GET /ops/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    entered = asyncio.Semaphore(0)

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        entered.release()
        await waiting(scope, receive, send)

    async with served(ConnectionLimits(most=10), app) as server, AsyncExitStack() as held:
        # Four fifths of the places, and all that are to spare.
        while server.connections < 10 + 64:
            await held.enter_async_context(lines(server, 1, busy))
            await entered.acquire()
        async with lines(server, 1, busy) as (line,):
            assert problem_of(await line.end())["type"] == "/problems/too-many-connections"


async def test_an_answer_that_goes_on_is_not_taken_for_idle() -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(25):
            await send({"type": "http.response.body", "body": b"beat ", "more_body": True})
            await asyncio.sleep(0.1)
        await send({"type": "http.response.body"})

    async with served(QUICK, app) as server, httpx.AsyncClient(timeout=6) as client:
        upgrade = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQ"}
        answers = await asyncio.gather(client.get(server.url), client.get(server.url, headers=upgrade))
        assert [answer.text.count("beat") for answer in answers] == [25, 25]
