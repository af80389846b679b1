"""The server inside our own loop: ports, addresses, ends."""

import asyncio
import signal
import socket

import httpx
import pytest

from longstop.domain.errors import PortTakenError
from longstop.serve.server import ApiServer
from tests.unit.serve.world import World


@pytest.fixture
def world() -> World:
    made = World()
    made.add()
    return made


async def fetch(url: str) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        return await client.get(url)


async def test_port_zero_takes_a_free_one_and_tells_which(world: World) -> None:
    server = ApiServer(world.app(), "127.0.0.1", 0)
    await server.start()
    assert server.port > 0
    answer = await fetch(f"{server.url}/livez")
    assert answer.json() == {"status": "alive"}
    assert "server" not in answer.headers
    await server.stop()


async def test_a_taken_port_is_told_before_anything_starts(world: World) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = ApiServer(world.app(), "127.0.0.1", port)
        with pytest.raises(PortTakenError, match=f"127.0.0.1:{port}.*choose another port"):
            await server.bind()
        await server.stop()


async def test_stopping_twice_or_before_the_start_is_legal(world: World) -> None:
    server = ApiServer(world.app(), "127.0.0.1", 0)
    await server.stop()
    await server.start()
    port = server.port
    await server.stop()
    await server.stop()
    again = ApiServer(world.app(), "127.0.0.1", port)
    await again.start()
    await again.stop()


async def test_a_request_under_way_is_finished_before_the_end() -> None:
    entered, release = asyncio.Event(), asyncio.Event()

    async def app(scope: dict[str, object], receive: object, send: object) -> None:
        entered.set()
        await release.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]  # plain ASGI
        await send({"type": "http.response.body", "body": b"done"})  # type: ignore[operator]  # plain ASGI

    server = ApiServer(app, "127.0.0.1", 0)
    await server.start()
    asked = asyncio.create_task(fetch(server.url))
    await entered.wait()
    ending = asyncio.create_task(server.stop())
    release.set()
    assert (await asked).text == "done"
    await ending


async def test_a_request_that_never_ends_does_not_hold_up_the_end() -> None:
    entered = asyncio.Event()

    async def app(scope: dict[str, object], receive: object, send: object) -> None:
        entered.set()
        await asyncio.Event().wait()

    server = ApiServer(app, "127.0.0.1", 0)
    await server.start()
    asked = asyncio.create_task(fetch(server.url))
    await entered.wait()
    await server.stop(deadline_seconds=0.2)
    assert (await asked).status_code == 500


async def test_the_process_keeps_its_own_signal_handlers(world: World) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    server = ApiServer(world.app(), "127.0.0.1", 0)
    await server.start()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    await server.stop()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "[::1]", "localhost", "0.0.0.0", "::"])
def test_any_address_may_be_listened_on(world: World, host: str) -> None:
    assert ApiServer(world.app(), host, 0).url.startswith("http://")
