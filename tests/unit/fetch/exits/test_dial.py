"""Leaving by real proxies: with passwords, by HTTP and by SOCKS5, and what is told when an exit is none."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp import web

from longstop.clock import SystemClock
from longstop.domain.errors import EgressRefusedError, ExitFailedError, SourceUnreachableError
from longstop.fetch.egress.guard import CheckedUrl, rules_for
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.exits.dial import DialLimits, ExitDial
from longstop.fetch.exits.exit import exit_at
from longstop.fetch.http import HttpFetcher
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.transport import AiohttpTransport
from tests.servers.socks import socks_proxy
from tests.servers.tinyproxy import TinyProxies

pytestmark = pytest.mark.req("D6")
LIMITS = DialLimits(connect_seconds=1.0, answer_seconds=0.5)
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Site:
    """Says from which address it was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.came_from: list[str] = []
        self.headers: dict[str, str] = {}

    async def answer(self, request: web.Request) -> web.Response:
        self.came_from.append(request.remote or "")
        return web.Response(text=f"{request.remote} {request.path}", headers=self.headers)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.port = runner.addresses[0][1]
    yield made
    await runner.cleanup()


class House:
    """The filtering proxy, and one call by an exit."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.host = "localhost"
        self.looked_up: list[str] = []
        self.proxy = FilteringProxy(SystemClock())

    async def look_up(self, host: str) -> Sequence[str]:
        self.looked_up.append(host)
        return ["127.0.0.1"]

    async def call(self, url: str, to: str = "") -> Snapshot:
        """By an exit, as a session of a source does."""
        base = f"http://{self.host}:{self.site.port}"
        resolver = PinnedResolver(rules_for("site", base), self.look_up, SystemClock())
        dial = ExitDial(exit_at(url).address, SystemClock(), LIMITS)
        lease = await self.proxy.admit(resolver, "session", dial=dial)
        transport = AiohttpTransport("test", 4, None, lease.url)
        http = HttpFetcher(SystemClock(), resolver=resolver, transport=transport)
        try:
            return await http.fetch(FetchRequest("site", to or f"{base}/state", "state"))
        finally:
            await http.close()
            await self.proxy.dismiss(lease)


@pytest.fixture
async def house(site: Site) -> AsyncIterator[House]:
    made = House(site)
    yield made
    await made.proxy.close()


@asynccontextmanager
async def false_proxy(handler: Handler) -> AsyncIterator[str]:
    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await server.wait_closed()


def saying(data: bytes) -> Handler:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(data)
        await writer.drain()
        writer.close()

    return handler


async def hanging(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(100)
    await reader.read()
    writer.close()


async def test_a_call_arrives_from_the_address_of_its_exit(house: House, tiny_proxies: TinyProxies) -> None:
    for tiny in tiny_proxies.take(2):
        found = await house.call(tiny.url)
        assert found.body.decode() == f"{tiny.exit_address} /state"
    assert house.looked_up == ["localhost", "localhost"], "names are resolved here, not by the exit"


async def test_a_socks_exit_is_given_an_address_and_no_name(house: House) -> None:
    async with socks_proxy("me", "a word", "127.0.0.9") as socks:
        found = await house.call(f"socks5://me:{quote('a word')}@{socks.host}:{socks.port}")
        assert found.body == b"127.0.0.9 /state"
        assert socks.targets == [("127.0.0.1", house.site.port)]


async def test_with_socks5h_the_exit_looks_the_name_up_and_we_do_not(house: House) -> None:
    async with socks_proxy("me", "word", "127.0.0.9") as socks:
        found = await house.call(f"socks5h://me:word@{socks.host}:{socks.port}")
        assert found.body == b"127.0.0.9 /state"
        assert socks.targets == [("localhost", house.site.port)]
        assert house.looked_up == []


async def test_with_socks5h_a_host_that_is_not_the_sources_is_still_refused(house: House) -> None:
    async with socks_proxy("", "", "127.0.0.9") as socks:
        with pytest.raises(EgressRefusedError):
            await house.call(f"socks5h://{socks.host}:{socks.port}", "http://elsewhere.example/")
        assert socks.targets == []


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_a_wrong_password_is_the_exits_failure_and_not_the_sources(
    house: House, tiny_proxies: TinyProxies, kind: str
) -> None:
    async with socks_proxy("me", "word") as socks:
        place = tiny_proxies.take(1)[0] if kind == "http" else socks
        with pytest.raises(ExitFailedError) as caught:
            await house.call(f"{kind}://me:wrong@{place.host}:{place.port}")
    assert caught.value.reason == "account"
    assert house.site.came_from == []


LIES = {
    "hangs": (hanging, "silent"),
    "hangs up": (saying(b""), "hung_up"),
    "speaks no HTTP": (saying(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "nonsense"),
    "never ends its head": (saying(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000), "nonsense"),
    "is out of traffic": (saying(b"HTTP/1.1 402 Payment Required\r\n\r\n"), "account"),
    "forbids the site": (saying(b"HTTP/1.1 403 Forbidden\r\n\r\n"), "refused"),
    "is crowded": (saying(b"HTTP/1.1 503 Busy\r\n\r\n"), "crowded"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_an_exit_that_is_none_is_told_apart_from_the_source(house: House, lie: str) -> None:
    handler, reason = LIES[lie]
    async with false_proxy(handler) as place:
        with pytest.raises(ExitFailedError) as caught:
            await house.call(f"http://user:word@{place}")
    assert caught.value.reason == reason
    assert caught.value.heals


@pytest.mark.parametrize("said", [b"HTTP/1.1 200 OK\r\n\r\n", b"\x05\xff", b"\x05\x02\x01\x01"])
async def test_a_socks_exit_that_lies_is_no_source_either(house: House, said: bytes) -> None:
    async with false_proxy(saying(said)) as place:
        with pytest.raises(ExitFailedError):
            await house.call(f"socks5://user:word@{place}")


async def test_an_exit_where_nobody_listens_is_told_as_such(house: House) -> None:
    async with false_proxy(hanging) as place:
        pass
    with pytest.raises(ExitFailedError, match="unreachable"):
        await house.call(f"http://user:word@{place}")


async def test_a_site_that_an_exit_cannot_reach_is_no_fault_of_the_exit(
    house: House, tiny_proxies: TinyProxies, unused_tcp_port: int
) -> None:
    house.site.port = unused_tcp_port
    async with socks_proxy("me", "word") as socks:
        for url in (tiny_proxies.take(1)[0].url, socks.url):
            with pytest.raises(SourceUnreachableError):
                await house.call(url)


async def test_a_site_cannot_say_that_an_exit_failed(house: House, tiny_proxies: TinyProxies) -> None:
    house.site.headers = {"X-Longstop-Exit-Failed": "account", "X-Longstop-Refused": "host"}
    assert (await house.call(tiny_proxies.take(1)[0].url)).status == 200


async def test_an_exit_may_be_spoken_to_in_tls(house: House, tmp_path: Path) -> None:
    """Under a certificate that we trust; under another one not a word of the account is said."""
    certificate = await made_certificate(tmp_path)
    heard: list[bytes] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nthere")
        await writer.drain()
        writer.close()

    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(certificate)
    server = await asyncio.start_server(handler, "127.0.0.1", 0, ssl=own)
    address = exit_at(f"https://me:word@localhost:{server.sockets[0].getsockname()[1]}").address
    to, addresses = CheckedUrl("", "http", "127.0.0.1", 8000, "/"), [ip_address("127.0.0.1")]
    with pytest.raises(ExitFailedError) as caught:
        await ExitDial(address, SystemClock(), LIMITS)(to, addresses)
    assert caught.value.reason == "tls"
    assert heard == []
    trust = ssl.create_default_context(cafile=certificate)
    streams = await ExitDial(address, SystemClock(), LIMITS, trust)(to, addresses)
    assert await streams.reader.read(5) == b"there"
    assert base64.b64encode(b"me:word") in heard[0]
    streams.cut()
    server.close()
    await server.wait_closed()


async def made_certificate(folder: Path) -> Path:
    name = folder / "proxy.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(folder / "key.pem"), "-out", str(name)]
    made = await asyncio.create_subprocess_exec(*words, stderr=asyncio.subprocess.DEVNULL)
    assert await made.wait() == 0
    name.write_bytes(name.read_bytes() + (folder / "key.pem").read_bytes())
    return name


@pytest.mark.req("H2")
async def test_no_word_of_an_account_stands_in_any_error_or_in_the_log_at_debug(
    house: House, tiny_proxies: TinyProxies, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither plain, nor packed, nor as an address spells it; also not in what an error was raised from."""
    caplog.set_level("DEBUG")
    asyncio.get_running_loop().set_debug(True)
    user, word = "canary-user", "canary wörd/@:"
    secrets = [user, word, quote(word, safe=""), base64.b64encode(f"{user}:{word}".encode()).decode()]
    secrets += [base64.b64encode(word.encode()).decode()[:10], "canary"]
    said: list[str] = []
    async with false_proxy(hanging) as silent, false_proxy(saying(b"HTTP/1.1 407 canary-user\r\n\r\n")) as refusing:
        places = [f"{tiny_proxies.take(1)[0].host}:{tiny_proxies.take(1)[0].port}", silent, refusing, "127.0.0.1:1"]
        for kind in ("http", "socks5", "https", "socks5h"):
            for place in places:
                with pytest.raises(ExitFailedError) as caught:
                    await house.call(f"{kind}://{user}:{quote(word, safe='')}@{place}")
                said += whole_story(caught.value)
    said += [record.getMessage() + str(record.__dict__) for record in caplog.records]
    assert len(said) > 16
    assert [(secret, each) for secret in secrets for each in said if secret in each] == []


def whole_story(error: BaseException | None) -> list[str]:
    said = []
    while error is not None:
        said += [str(error), repr(error), str(error.args), str(vars(error))]
        error = error.__cause__ or error.__context__
    return said
