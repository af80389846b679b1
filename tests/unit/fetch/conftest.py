"""Real servers on free ports: one that speaks HTTP and goes wrong in all ways, one that sends bytes as told."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web

from longstop.clock import SystemClock
from longstop.fetch.http import HttpFetcher, HttpLimits
from tests.servers.site import MEBIBYTE, Site

LIMITS = HttpLimits(deadline_seconds=2.0, body_bytes_max=4 * MEBIBYTE)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    runner = web.AppRunner(made.app(), handler_cancellation=True, shutdown_timeout=0.1)
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
