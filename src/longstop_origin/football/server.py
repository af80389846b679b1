"""The football site on a real socket. Who calls is told by the address of the connection, never by a header."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from longstop_origin.exchange import Reply, Request
from longstop_origin.football import control
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.site import FootballSite
from longstop_origin.football.world import FootballWorld
from longstop_origin.server import SHUTDOWN_SECONDS, STATUS_LINE_BYTES, require_loopback, reset


class FootballServer:
    """A running site. `url` has no slash at its end."""

    def __init__(self, site: FootballSite, host: str, port: int) -> None:
        self.site, self.host, self.port = site, host, port

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


@asynccontextmanager
async def serve_football(
    world: FootballWorld,
    *,
    now: Callable[[], float],
    host: str = "127.0.0.1",
    port: int = 0,
    guards: FootballGuards | None = None,
) -> AsyncIterator[FootballServer]:
    """Serves the world until the context is left. `now` tells the seconds since 1970; port 0 finds a free one."""
    require_loopback(host)
    site = FootballSite(world, guards)
    server = web.Server(_Handler(site, now).handle, handler_cancellation=True, access_log=None)
    runner = web.ServerRunner(server, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield FootballServer(site, host, runner.addresses[0][1])
    finally:
        await runner.cleanup()


class _Handler:
    def __init__(self, site: FootballSite, now: Callable[[], float]) -> None:
        self._site, self._now = site, now

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.content.read() if request.method == "POST" else b""
        asked = Request(request.method, request.path, request.query, request.headers, body)
        reply = self._reply(asked, _address(request))
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        if reply.broken is not None:
            reset(request)
        headers = {"Content-Type": reply.content_type, **reply.headers}
        response = web.Response(status=reply.status or 200, body=reply.body, headers=headers)
        await response.prepare(request)
        self._count(request, response, len(reply.body))
        return response

    def _reply(self, asked: Request, address: str) -> Reply:
        if asked.path.startswith(control.PREFIX):
            return control.control(self._site, asked, self._now())
        return self._site.respond(asked, self._now(), address)

    def _count(self, request: web.BaseRequest, response: web.StreamResponse, body_bytes: int) -> None:
        """Whole answers only, as they go over the wire; what we are asked ourselves is no part of the site."""
        if not request.path.startswith(control.PREFIX):
            head = sum(len(name) + len(value) + 4 for name, value in response.headers.items())
            self._site.bytes_sent += STATUS_LINE_BYTES + head + body_bytes * (request.method != "HEAD")


def _address(request: web.BaseRequest) -> str:
    peer = request.transport.get_extra_info("peername") if request.transport is not None else None
    return str(peer[0]) if peer else ""
