"""The site on a real socket: what `site` decides is carried out here, broken connections included."""

import asyncio
import ipaddress
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from aiohttp import web

from longstop_origin import control
from longstop_origin.exchange import Part
from longstop_origin.faults import FaultPlan
from longstop_origin.guards import Guards
from longstop_origin.site import Reply, Request, Site
from longstop_origin.world import World

LINGER_NOT = struct.pack("ii", 1, 0)
SHUTDOWN_SECONDS = 0.2
# "HTTP/1.1 200 OK" and the empty line after the head; a little more where the word is longer.
STATUS_LINE_BYTES = 19


class OriginAddressError(ValueError):
    """The simulator was told to listen where others could reach it."""


class OriginServer:
    """A running origin. `url` has no slash at its end."""

    def __init__(self, site: Site, host: str, port: int) -> None:
        self.site, self.host, self.port = site, host, port

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


@asynccontextmanager
async def serve(
    world: World,
    plan: FaultPlan | None = None,
    *,
    now: Callable[[], float],
    host: str = "127.0.0.1",
    port: int = 0,
    guards: Guards | None = None,
) -> AsyncIterator[OriginServer]:
    """Serves the world until the context is left. `now` tells the seconds since 1970; port 0 finds a free one."""
    async with serve_site(Site(world, plan, guards), now=now, host=host, port=port) as server:
        yield server


@asynccontextmanager
async def serve_site(
    site: Site, *, now: Callable[[], float], host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[OriginServer]:
    """The same for a site that is there already."""
    require_loopback(host)
    handler = _Handler(site, now)
    server = web.Server(handler.handle, handler_cancellation=True, access_log=None)
    runner = web.ServerRunner(server, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield OriginServer(site, host, runner.addresses[0][1])
    finally:
        await runner.cleanup()


def require_loopback(host: str) -> None:
    """Refuses every address that is not this machine's own."""
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise OriginAddressError(f"The origin only listens on this machine, not on {host}. Use 127.0.0.1.")


class _Handler:
    def __init__(self, site: Site, now: Callable[[], float]) -> None:
        self._site, self._now = site, now

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        # The stream itself: an account of many matches is larger than what `read` would take.
        body = await request.content.read() if request.method == "POST" else b""
        reply = self._reply(Request(request.method, request.path, request.query, request.headers, body))
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        if reply.broken is not None:
            reset(request)
        elif reply.cut_at is not None:
            return await _cut(request, reply)
        elif reply.parts is not None:
            return await _stream(request, reply, reply.parts)
        response = web.Response(status=reply.status or 200, body=reply.body, headers=reply.headers)
        await response.prepare(request)
        self._count(request, response, len(reply.body))
        return response

    def _count(self, request: web.BaseRequest, response: web.StreamResponse, body_bytes: int) -> None:
        """Whole answers only, as they go over the wire; what we are asked ourselves is no part of the site."""
        if not request.path.startswith(control.PREFIX):
            head = sum(len(name) + len(value) + 4 for name, value in response.headers.items())
            self._site.bytes_sent += STATUS_LINE_BYTES + head + body_bytes * (request.method != "HEAD")

    def _reply(self, request: Request) -> Reply:
        if request.path.startswith(control.PREFIX):
            return control.control(self._site, request, self._now())
        return self._site.respond(request, self._now())


def reset(request: web.BaseRequest) -> None:
    """Closes without a farewell: the client sees a reset connection."""
    transport = request.transport
    if transport is not None:
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
        transport.abort()


async def _cut(request: web.BaseRequest, reply: Reply) -> web.StreamResponse:
    """Promises the whole body, sends its beginning, and hangs up."""
    response = web.StreamResponse(status=reply.status, headers=reply.headers)
    response.content_length = len(reply.body)
    await response.prepare(request)
    await response.write(reply.body[: reply.cut_at])
    if request.transport is not None:
        request.transport.close()
    return response


async def _stream(request: web.BaseRequest, reply: Reply, parts: Iterable[Part]) -> web.StreamResponse:
    """Sends piece after piece, for as long as there are any and somebody takes them."""
    response = web.StreamResponse(status=reply.status, headers=reply.headers)
    await response.prepare(request)
    if request.method == "HEAD":
        return response
    for wait_seconds, part in parts:
        await asyncio.sleep(wait_seconds)
        if part:
            await response.write(part)
    return response
