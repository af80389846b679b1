"""The proxies that other tests go through are real: they ask for a password and leave by an address of their own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from aiohttp_socks import ProxyConnector, ProxyError

from tests.servers.socks import socks_proxy
from tests.servers.tinyproxy import TinyProxies


@asynccontextmanager
async def mirror() -> AsyncIterator[str]:
    """Tells who came."""

    async def tell(request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        return web.Response(text=request.transport.get_extra_info("peername")[0])

    runner = web.ServerRunner(web.Server(tell))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


async def told(url: str, **options: object) -> tuple[int, str]:
    connector = options.pop("connector", None)
    async with (
        aiohttp.ClientSession(connector=connector) as session,  # type: ignore[arg-type]  # one of aiohttp's own
        session.get(url, **options) as answer,  # type: ignore[arg-type]  # words of the test
    ):
        return answer.status, await answer.text()


@pytest.mark.req("D6")
async def test_what_goes_through_a_proxy_arrives_from_the_address_of_its_exit(tiny_proxies: TinyProxies) -> None:
    first, second = tiny_proxies.take(2)
    async with mirror() as url:
        assert await told(url) == (200, "127.0.0.1")
        assert await told(url, proxy=first.url) == (200, "127.0.0.2")
        assert await told(url, proxy=second.url) == (200, "127.0.0.3")


async def test_a_proxy_without_its_password_lets_nobody_through(tiny_proxies: TinyProxies) -> None:
    (proxy,) = tiny_proxies.take(1)
    async with mirror() as url:
        assert (await told(url, proxy=proxy.bare_url))[0] == 407


async def test_a_socks_proxy_leaves_by_its_exit_and_knows_its_users() -> None:
    async with mirror() as url, socks_proxy(exit_address="127.0.0.9") as proxy:
        assert await told(url, connector=ProxyConnector.from_url(proxy.url)) == (200, "127.0.0.9")
        with pytest.raises(ProxyError):
            await told(url, connector=ProxyConnector.from_url(proxy.url.replace("pa55", "guess")))
        assert proxy.refused == 1


async def test_a_socks_proxy_says_when_nobody_listens_there(free_port: int) -> None:
    async with socks_proxy() as proxy:
        with pytest.raises(ProxyError):
            await told(f"http://127.0.0.1:{free_port}/", connector=ProxyConnector.from_url(proxy.url))
