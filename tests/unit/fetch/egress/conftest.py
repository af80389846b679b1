"""A site that may be reached, canaries that may not, and a proxy between."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest
from aiohttp import WSMsgType, web

from longstop.clock import SystemClock
from longstop.fetch.egress.guard import EgressRules, rules_for
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver


class Canary:
    """Listens where nobody may go, and counts who came."""

    def __init__(self) -> None:
        self.connections = 0
        self.port = 0
        self._server: asyncio.Server | None = None

    async def start(self, host: str = "127.0.0.2", port: int = 0) -> None:
        self._server = await asyncio.start_server(self._note, host, port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _note(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.transport.abort()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()


class OwnSite:
    """Says what it was asked, and answers as it is told to."""

    def __init__(self) -> None:
        self.seen: list[web.Request] = []
        self.bodies: list[bytes] = []
        self.base_url = ""
        self.port = 0
        self.redirect_to = "/"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request)
        self.bodies.append(await request.read())
        path = request.path
        if path == "/ws":
            return await self._echo(request)
        if path.startswith("/to/"):
            return web.Response(status=int(path[4:]), headers={"Location": self.redirect_to})
        if path.startswith("/hops/"):
            left = int(path[6:])
            target = f"/hops/{left - 1}" if left else self.redirect_to
            return web.Response(status=302, headers={"Location": target})
        if path.startswith("/big/"):
            return web.Response(body=bytes(int(path[5:])))
        if path.startswith("/etag/"):
            return self._tagged(request, path[6:])
        return web.Response(text=f"{request.method} {request.raw_path}")

    def _tagged(self, request: web.Request, tag: str) -> web.Response:
        headers = {"ETag": f'"{tag}"', "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}
        if request.headers.get("If-None-Match") == f'"{tag}"':
            return web.Response(status=304, headers=headers)
        return web.Response(body=tag.encode(), headers=headers)

    async def _echo(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await socket.send_str(f"echo {message.data}")
        return socket


@pytest.fixture
async def canary() -> AsyncIterator[Canary]:
    made = Canary()
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def own_site() -> AsyncIterator[OwnSite]:
    made = OwnSite()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", made.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    listener = web.TCPSite(runner, "127.0.0.1", 0)
    await listener.start()
    made.port = runner.addresses[0][1]
    made.base_url = f"http://127.0.0.1:{made.port}"
    yield made
    await runner.cleanup()


@pytest.fixture
def rules(own_site: OwnSite) -> EgressRules:
    return rules_for("crex", own_site.base_url, ("site.example",))


@pytest.fixture
def resolver(rules: EgressRules) -> PinnedResolver:
    return PinnedResolver(rules, nowhere, SystemClock())


async def nowhere(host: str) -> Sequence[str]:
    """Names of tests are never asked for at a real resolver."""
    return ["127.0.0.2"]


@pytest.fixture
async def proxy() -> AsyncIterator[FilteringProxy]:
    made = FilteringProxy(SystemClock())
    yield made
    await made.close()


Say = Callable[[str, bytes], Awaitable[bytes]]


@pytest.fixture
def say() -> Say:
    """Sends these bytes to the proxy and returns all that comes back until it closes."""

    async def said(server: str, data: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.rpartition(":")[2]))
        writer.write(data)
        async with SystemClock().timeout(5.0):
            answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer

    return said
