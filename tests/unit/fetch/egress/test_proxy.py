import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longstop.clock import SystemClock
from longstop.fetch.egress import heads
from longstop.fetch.egress.guard import check_url, rules_for
from longstop.fetch.egress.proxy import USERNAME, FilteringProxy, Lease, ProxyLimits, Refusal
from longstop.fetch.egress.resolver import PinnedResolver

if TYPE_CHECKING:
    Canary = Any
    OwnSite = Any

Say = Callable[[str, bytes], Awaitable[bytes]]


@asynccontextmanager
async def limited(resolver: PinnedResolver, **bounds: Any) -> AsyncIterator[tuple[FilteringProxy, Lease]]:
    proxy = FilteringProxy(SystemClock(), ProxyLimits(**bounds))
    try:
        yield proxy, await proxy.admit(resolver, "lease")
    finally:
        await proxy.close()


@pytest.fixture
async def lease(proxy: FilteringProxy, resolver: PinnedResolver) -> Lease:
    return await proxy.admit(resolver, "match 1")


async def until(holds: Callable[[], bool]) -> None:
    async with SystemClock().timeout(3.0):
        while not holds():  # noqa: ASYNC110 - what is waited for are counters of the code under test
            await asyncio.sleep(0.005)


def get(url: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {url} HTTP/1.1", "Host: ignored.example", *headers, "", ""]).encode()


async def test_a_plain_request_goes_out_under_the_name_that_was_checked(
    lease: Lease, own_site: "OwnSite", say: Say
) -> None:
    answer = await say(lease.server, get(f"{own_site.base_url}/a?b=c", "Proxy-Connection: keep-alive", "X-Mine: 1"))
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"GET /a?b=c")
    sent = own_site.seen[0].headers
    assert sent["Host"] == f"127.0.0.1:{own_site.port}"
    assert sent["X-Mine"] == "1"
    assert not [name for name in sent if name.lower().startswith("proxy")]


async def test_a_tunnel_passes_bytes_both_ways_and_counts_them(lease: Lease, own_site: "OwnSite", say: Say) -> None:
    inside = b"GET /big/300000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = await say(lease.server, f"CONNECT 127.0.0.1:{own_site.port} HTTP/1.1\r\n\r\n".encode() + inside)
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
    assert lease.traffic.bytes_out == len(inside)
    assert lease.traffic.bytes_in > 300_000


@pytest.mark.req("D3")
async def test_a_request_to_a_stranger_is_refused_and_nothing_is_sent(
    proxy: FilteringProxy, lease: Lease, canary: "Canary", say: Say
) -> None:
    place = f"127.0.0.2:{canary.port}"
    for request in (
        get(f"http://{place}/?token=canary"),
        f"CONNECT {place} HTTP/1.1\r\n\r\n".encode(),
        get("ftp://site.example/"),
    ):
        answer = await say(lease.server, request)
        assert answer.startswith(b"HTTP/1.1 403")
        assert b"X-Longstop-Refused: " in answer
    assert canary.connections == 0
    assert lease.traffic.refused == 3
    assert [each.reason for each in proxy.refusals] == ["host", "host", "scheme"]
    assert "token" not in repr(proxy.refusals)


async def test_a_name_that_leads_inside_is_refused(lease: Lease, canary: "Canary", say: Say) -> None:
    """The name is the source's own; its address (the resolver of these tests says 127.0.0.2) is not."""
    answer = await say(lease.server, get("http://site.example/"))
    assert b"X-Longstop-Refused: address" in answer
    assert canary.connections == 0


async def test_refusals_are_told_to_whoever_asked(resolver: PinnedResolver, say: Say) -> None:
    told: list[Refusal] = []
    proxy = FilteringProxy(SystemClock(), on_refused=told.append)
    lease = await proxy.admit(resolver, "match 7")
    await say(lease.server, get("http://evil.example/"))
    await proxy.close()
    assert [(each.source, each.lease, each.reason) for each in told] == [("crex", "match 7", "host")]


async def test_a_lease_with_a_password_opens_to_nobody_else(
    proxy: FilteringProxy, resolver: PinnedResolver, own_site: "OwnSite", say: Say
) -> None:
    lease = await proxy.admit(resolver, "guarded", with_password=True)
    known = lease.playwright_proxy()
    url = own_site.base_url + "/"
    wrong = [
        "",
        "Basic",
        "Basic !!!",
        basic(USERNAME, "guess"),
        basic("root", lease.password),
        f"Bearer {lease.password}",
    ]
    for given_password in wrong:
        header = (f"Proxy-Authorization: {given_password}",) if given_password else ()
        answer = await say(lease.server, get(url, *header))
        assert answer.startswith(b"HTTP/1.1 407")
        assert b'Proxy-Authenticate: Basic realm="longstop"' in answer
    assert own_site.seen == []
    right = f"Proxy-Authorization: {basic(known['username'], known['password'])}"
    assert (await say(lease.server, get(url, right))).startswith(b"HTTP/1.1 200")
    assert lease.password not in str(own_site.seen[0].headers)


def basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


async def test_what_follows_a_request_is_never_passed_on(lease: Lease, own_site: "OwnSite", say: Say) -> None:
    second = get(f"{own_site.base_url}/smuggled")
    body = b"POST %s/first HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc" % own_site.base_url.encode()
    answer = await say(lease.server, body + second)
    assert answer.count(b"HTTP/1.1") == 1
    assert [(request.path, body) for request, body in zip(own_site.seen, own_site.bodies, strict=True)] == [
        ("/first", b"abc")
    ]


UNCLEAR = {
    "two lengths": (b"POST {} HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 30\r\n\r\nabc", b"411"),
    "chunks": (b"POST {} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"411"),
    "both": (b"POST {} HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", b"411"),
    "length in words": (b"POST {} HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc", b"411"),
    "too long": (b"POST {} HTTP/1.1\r\nContent-Length: 999999999\r\n\r\nabc", b"413"),
    "folded header": (b"GET {} HTTP/1.1\r\nA: b\r\n c\r\n\r\n", b"400"),
    "space in name": (b"GET {} HTTP/1.1\r\nHost : a\r\n\r\n", b"400"),
    "bare line feed": (b"GET {} HTTP/1.1\r\nA: b\nHost: c\r\n\r\n", b"400"),
    "nul": (b"GET {} HTTP/1.1\r\nA: \0\r\n\r\n", b"400"),
    "old protocol": (b"GET {} HTTP/0.9\r\n\r\n", b"400"),
    "new protocol": (b"PRI * HTTP/2.0\r\n\r\n", b"400"),
    "no address": (b"GET / HTTP/1.1\r\n\r\n", b"403"),
    "words": (b"hello\r\n\r\n", b"400"),
    "endless head": (b"GET {} HTTP/1.1\r\nA: " + b"a" * 70000, b"431"),
    "many headers": (b"GET {} HTTP/1.1\r\n" + b"A: b\r\n" * 300 + b"\r\n", b"400"),
}


@pytest.mark.parametrize("name", UNCLEAR)
async def test_a_request_that_could_be_read_in_two_ways_is_not_sent(
    lease: Lease, own_site: "OwnSite", say: Say, name: str
) -> None:
    data, status = UNCLEAR[name]
    answer = await say(lease.server, data.replace(b"{}", own_site.base_url.encode() + b"/"))
    assert answer.split(b" ", 2)[1] == status
    assert own_site.seen == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.sampled_from([b"GET ", b"CONNECT ", b"POST http://site.example/ HTTP/1.1\r\n", b""]))
def test_no_bytes_make_a_head_that_is_read_wrongly(noise: bytes, before: bytes) -> None:
    raw = before + noise.replace(b"\r\n\r\n", b"") + b"\r\n\r\n"
    head = heads.read_request(raw)
    if head is None:
        return
    sent = heads.request_to_send(head, check_url("http://site.example/", rules_for("x", "http://site.example")))
    assert sent.count(b"\r\n\r\n") == 1
    assert sent.count(b"\n") == sent.count(b"\r\n")
    assert heads.read_request(sent) is not None


async def test_a_web_socket_passes_by_tunnel_and_by_upgrade(lease: Lease, own_site: "OwnSite", say: Say) -> None:
    async with aiohttp.ClientSession() as session:
        call = session.ws_connect(f"{own_site.base_url}/ws", proxy=lease.server)
        async with call as socket:
            await socket.send_str("a")
            assert (await socket.receive_str(timeout=2)) == "echo a"


async def test_redirects_are_left_to_the_browser_whose_next_request_is_checked(
    lease: Lease, own_site: "OwnSite", canary: "Canary"
) -> None:
    own_site.redirect_to = f"http://127.0.0.2:{canary.port}/"
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{own_site.base_url}/hops/5", proxy=lease.server) as answer,
    ):
        assert answer.status == 403
        assert len(answer.history) == 6
    assert canary.connections == 0


async def test_a_site_that_is_down_or_talks_nonsense_is_a_bad_gateway(
    proxy: FilteringProxy, free_port: int, say: Say
) -> None:
    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(nonsense, "127.0.0.1", 0)
    for port in (free_port, server.sockets[0].getsockname()[1]):
        url = f"http://127.0.0.1:{port}/"
        lease = await proxy.admit(PinnedResolver(rules_for("crex", url), never, SystemClock()), f"lease {port}")
        assert (await say(lease.server, get(url))).startswith(b"HTTP/1.1 502")
    server.close()


async def never(host: str) -> list[str]:
    raise AssertionError


async def test_a_client_that_says_nothing_is_let_go(resolver: PinnedResolver) -> None:
    async with limited(resolver, head_seconds=0.1) as (proxy, lease):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(lease.server.rpartition(":")[2]))
        writer.write(b"GET http://")
        assert await reader.read() == b""
        writer.close()
        assert proxy.connections == 0


async def test_a_tunnel_in_which_nothing_moves_is_cut(resolver: PinnedResolver, own_site: "OwnSite", say: Say) -> None:
    async with limited(resolver, idle_seconds=0.15) as (proxy, lease):
        answer = await say(lease.server, f"CONNECT 127.0.0.1:{own_site.port} HTTP/1.1\r\n\r\n".encode())
        assert answer.endswith(b"established\r\n\r\n")
        assert proxy.connections == 0


async def test_connections_beyond_the_bound_are_turned_away(
    resolver: PinnedResolver, own_site: "OwnSite", say: Say
) -> None:
    async with limited(resolver, connections_per_lease_max=2) as (proxy, lease):
        port = int(lease.server.rpartition(":")[2])
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        await until(lambda: proxy.connections == 2)
        assert (await say(lease.server, get(own_site.base_url + "/"))).startswith(b"HTTP/1.1 503")
        for _, writer in held:
            writer.close()
            await writer.wait_closed()


async def test_a_client_that_does_not_read_holds_no_memory(resolver: PinnedResolver, own_site: "OwnSite") -> None:
    async with limited(resolver) as (_, lease):
        _, writer = await asyncio.open_connection("127.0.0.1", int(lease.server.rpartition(":")[2]), limit=1024)
        writer.write(get(f"{own_site.base_url}/big/60000000"))
        await until(lambda: lease.traffic.bytes_in > 0)
        before = -1
        while before != lease.traffic.bytes_in:
            before = lease.traffic.bytes_in
            await asyncio.sleep(0.1)
        assert lease.traffic.bytes_in < 20_000_000
        writer.transport.abort()


async def test_giving_a_lease_back_cuts_it_and_keeps_its_count(
    proxy: FilteringProxy, resolver: PinnedResolver, own_site: "OwnSite"
) -> None:
    lease = await proxy.admit(resolver, "short")
    port = int(lease.server.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"CONNECT 127.0.0.1:{own_site.port} HTTP/1.1\r\n\r\nGET /big/1000 HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(1000)
    await proxy.dismiss(lease)
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await reader.readexactly(10_000)
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    await proxy.dismiss(lease)
    assert proxy.traffic("crex").bytes_in == lease.traffic.bytes_in > 1000
    assert proxy.traffic("other").bytes_in == 0


async def test_two_leases_are_counted_apart_and_a_name_is_taken_once(
    proxy: FilteringProxy, resolver: PinnedResolver, own_site: "OwnSite", say: Say
) -> None:
    first, second = await proxy.admit(resolver, "a"), await proxy.admit(resolver, "b")
    with pytest.raises(ValueError, match="in use"):
        await proxy.admit(resolver, "a")
    for lease, count in ((first, 1), (second, 3)):
        for _ in range(count):
            await say(lease.server, get(own_site.base_url + "/"))
    assert (first.traffic.requests, second.traffic.requests) == (1, 3)
    assert proxy.traffic("crex").requests == 4
