"""A real HTTP server on a free port, with an answer for every way a source can go wrong."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache

import pytest
from aiohttp import web

from longstop.clock import SystemClock
from longstop.fetch.http import HttpFetcher, HttpLimits
from longstop.fetch.snapshot import FetchRequest

LIMITS = HttpLimits(deadline_seconds=2.0, body_bytes_max=4 * 1024 * 1024)
BOMB_BYTES = 200 * 1024 * 1024
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """What it was asked is in `seen`; `open_now` counts the connections that are open."""

    def __init__(self) -> None:
        self.seen: list[web.Request] = []
        self.peers: list[object] = []
        self.open_now = 0
        self.sent_bytes = 0
        self.arrived = asyncio.Event()
        self.base_url = ""

    def request(self, path: str, deadline_seconds: float | None = None) -> FetchRequest:
        return FetchRequest("crex", f"{self.base_url}{path}", "state", deadline_seconds=deadline_seconds)

    @web.middleware
    async def note(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self.seen.append(request)
        self.peers.append(request.transport.get_extra_info("peername") if request.transport else None)
        self.arrived.set()
        self.open_now += 1
        try:
            return await handler(request)
        finally:
            self.open_now -= 1

    async def answer(self, request: web.Request) -> web.Response:
        query = request.query
        headers = {name[2:].replace("_", "-"): value for name, value in query.items() if name.startswith("h_")}
        return web.Response(status=int(query.get("status", "200")), body=b'{"ok":true}', headers=headers)

    async def hang(self, request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async def drip(self, request: web.Request) -> web.StreamResponse:
        response = await begun(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.05)

    async def flood(self, request: web.Request) -> web.StreamResponse:
        response = await begun(request)
        while True:
            await response.write(bytes(65536))
            self.sent_bytes += 65536

    async def bomb(self, request: web.Request) -> web.Response:
        kind = request.match_info["kind"]
        headers = {"Content-Encoding": {"nested": "gzip", "zip": "deflate"}.get(kind, "gzip")}
        return web.Response(body=bombs()[kind], headers=headers)

    async def encoded(self, request: web.Request) -> web.Response:
        return web.Response(body=b"\x8b\x01\x80{}\x03", headers={"Content-Encoding": request.query["as"]})

    async def compressed(self, request: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(b'{"ok":true}'), headers={"Content-Encoding": "gzip"})

    async def size(self, request: web.Request) -> web.Response:
        return web.Response(body=bytes(int(request.query["bytes"])))


async def begun(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    response.enable_chunked_encoding()
    await response.prepare(request)
    return response


@cache
def bombs() -> dict[str, bytes]:
    """Zeros, small on the wire: packed once, packed twice, and packed by the other method."""
    packed = _packed(31)
    return {"zeros": packed, "nested": gzip.compress(packed), "zip": _packed(15)}


def _packed(window: int) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, window)
    block = bytes(1024 * 1024)
    return b"".join(packer.compress(block) for _ in range(BOMB_BYTES // len(block))) + packer.flush()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    app = web.Application(middlewares=[made.note])
    app.router.add_get("/answer", made.answer)
    app.router.add_get("/hang", made.hang)
    app.router.add_get("/drip", made.drip)
    app.router.add_get("/flood", made.flood)
    app.router.add_get("/bomb/{kind}", made.bomb)
    app.router.add_get("/encoded", made.encoded)
    app.router.add_get("/compressed", made.compressed)
    app.router.add_get("/size", made.size)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    listener = web.TCPSite(runner, "127.0.0.1", 0)
    await listener.start()
    made.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


@pytest.fixture
async def fetcher() -> AsyncIterator[HttpFetcher]:
    made = HttpFetcher(SystemClock(), LIMITS)
    yield made
    await made.close()


@pytest.fixture
async def raw_site() -> AsyncIterator[Callable[[bytes, bool], Awaitable[str]]]:
    """A server that sends exactly these bytes, then closes (or resets) the connection."""
    servers: list[asyncio.Server] = []

    async def serve(answer: bytes, reset: bool) -> str:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            if reset:
                writer.transport.abort()
            else:
                await writer.drain()
                writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        servers.append(server)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

    yield serve
    for server in servers:
        server.close()
        await server.wait_closed()
