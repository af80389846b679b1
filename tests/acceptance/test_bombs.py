"""A5: whatever a source sends, memory grows by 64 MiB at most, and it ends within two seconds or at our deadline."""

import asyncio
import contextlib
import gzip
import resource
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import FetchError, OversizedBodyError, PayloadError, SourceTimeoutError, UnreadableBodyError
from longstop.domain.match import MatchRef
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.http import HttpFetcher, HttpLimits
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.sources import registry
from longstop.sources.contract import Missing

MEBIBYTE = 1024 * 1024
GROWTH_MAX = 64 * MEBIBYTE
SECONDS_MAX = 2.0
DEADLINE = 0.5
Attack = Callable[[asyncio.StreamWriter], Awaitable[None]]


@cache
def zeros(window: int, mebibytes: int = 300) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, window)
    block = bytes(MEBIBYTE)
    return b"".join(packer.compress(block) for _ in range(mebibytes)) + packer.flush()


def packed(body: bytes, encoding: str) -> Attack:
    async def attack(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()

    return attack


def endless(head: bytes, piece: bytes, pause: float = 0.0) -> Attack:
    async def attack(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return attack


PACKED = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
# 455 bytes of this become 300 MB: a run of zeros in brotli's own words. It must be refused unread, so its body is
# never looked at and may be any bytes.
ATTACKS: dict[str, tuple[Callable[[], Attack], type[FetchError]]] = {
    "gzip": (lambda: packed(zeros(31), "gzip"), OversizedBodyError),
    "deflate": (lambda: packed(zeros(15), "deflate"), OversizedBodyError),
    "raw deflate": (lambda: packed(zeros(-15), "deflate"), OversizedBodyError),
    "gzip said twice": (lambda: packed(gzip.compress(zeros(31)), "gzip, gzip"), UnreadableBodyError),
    "brotli": (lambda: packed(b"\xcf\xff\xff\x7f\xf8" * 91, "br"), UnreadableBodyError),
    "zstd": (lambda: packed(b"\x28\xb5\x2f\xfd" * 100, "zstd"), UnreadableBodyError),
    "endless chunks": (lambda: endless(CHUNKED, b"10000\r\n" + bytes(65536) + b"\r\n"), OversizedBodyError),
    "endless small chunks": (lambda: endless(CHUNKED, b"1\r\nx\r\n" * 10000), FetchError),
    "endless chunk extension": (lambda: endless(CHUNKED + b"1;", b"a" * 65536), FetchError),
    "endless trailers": (lambda: endless(CHUNKED + b"0\r\n", b"a: b\r\n" * 1000), FetchError),
    "endless body": (lambda: endless(b"HTTP/1.1 200 OK\r\n\r\n", bytes(65536)), OversizedBodyError),
    "endless gzip members": (lambda: endless(PACKED, gzip.compress(b"") * 1000), UnreadableBodyError),
    "endless header line": (lambda: endless(b"HTTP/1.1 200 OK\r\nX: ", b"a" * 65536), FetchError),
    "endless headers": (lambda: endless(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n" * 1000), FetchError),
    "endless status line": (lambda: endless(b"HTTP/1.1 200 ", b"a" * 65536), FetchError),
    "endless interim answers": (lambda: endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100), FetchError),
    "a byte a second": (lambda: endless(CHUNKED, b"1\r\n \r\n", 0.1), SourceTimeoutError),
    "a header a second": (lambda: endless(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n", 0.1), SourceTimeoutError),
    "nothing": (lambda: endless(b"", b"", 0.1), SourceTimeoutError),
}  # fmt: skip


@pytest.fixture
async def attacker() -> AsyncIterator[Callable[[Attack], Awaitable[str]]]:
    servers: list[asyncio.Server] = []
    tasks: set[asyncio.Task[None]] = set()

    async def serve(attack: Attack) -> str:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.readuntil(b"\r\n\r\n")
                await attack(writer)
                await reader.read()  # a slow close: the other end must let go first
            except OSError:
                pass
            finally:
                writer.transport.abort()

        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(handle(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        servers.append(await asyncio.start_server(begin, "127.0.0.1", 0))
        return f"http://127.0.0.1:{servers[-1].sockets[0].getsockname()[1]}/"

    yield serve
    for server in servers:
        server.close()
    for task in tuple(tasks):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def fetcher_for(url: str) -> HttpFetcher:
    async def no_name(host: str) -> list[str]:
        raise AssertionError

    limits = HttpLimits(deadline_seconds=DEADLINE, body_bytes_max=16 * MEBIBYTE)
    return HttpFetcher(SystemClock(), limits, PinnedResolver(rules_for("crex", url), no_name, SystemClock()))


def most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.req("D3")
@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_by_answer_ends_soon_and_costs_little(
    attacker: Callable[[Attack], Awaitable[str]], name: str
) -> None:
    attack, kind = ATTACKS[name]
    url = await attacker(attack())
    fetcher = fetcher_for(url)
    before, began = most_memory(), time.perf_counter()
    with pytest.raises(kind):
        await fetcher.fetch(FetchRequest("crex", url, "state"))
    assert time.perf_counter() - began < SECONDS_MAX
    assert most_memory() - before < GROWTH_MAX
    await fetcher.close()


async def test_a_bomb_in_a_bomb_stays_packed(attacker: Callable[[Attack], Awaitable[str]]) -> None:
    inner = zeros(31)
    url = await attacker(packed(gzip.compress(inner), "gzip"))
    fetcher = fetcher_for(url)
    assert (await fetcher.fetch(FetchRequest("crex", url, "state"))).body == inner
    await fetcher.close()


async def test_an_answer_is_used_although_the_site_never_closes(attacker: Callable[[Attack], Awaitable[str]]) -> None:
    url = await attacker(packed(b"{}", "identity"))
    fetcher = fetcher_for(url)
    began = time.perf_counter()
    assert (await fetcher.fetch(FetchRequest("crex", url, "state"))).body == b"{}"
    await fetcher.close()
    assert time.perf_counter() - began < DEADLINE / 2


PAYLOADS: dict[str, Callable[[], bytes]] = {
    "2,000 deep arrays": lambda: b"[" * 2000 + b"]" * 2000,
    "2,000 deep objects": lambda: b'{"a":' * 2000 + b"1" + b"}" * 2000,
    "2,000 deep inside a field": lambda: b'{"a":' + b"[" * 2000 + b"]" * 2000 + b',"j":"1"}',
    "2,000 deep in a field that nobody reads": lambda: b'{"zz":' + b"[" * 2000 + b"]" * 2000 + b"}",
    "a million deep and cut": lambda: b"[" * 1_000_000,
    "a million keys": lambda: b"{" + b",".join(b'"k%d":1' % number for number in range(1_000_000)) + b"}",
    "a million equal keys": lambda: b"{" + b",".join([b'"a":1'] * 1_000_000) + b"}",
    "a number of 100,000 digits": lambda: b'{"a":' + b"9" * 100_000 + b"}",
    "a list of such a number": lambda: b"[" + b"9" * 100_000 + b"]",
    "a float of 100,000 digits": lambda: b'{"a":0.' + b"9" * 100_000 + b"}",
    "a huge exponent": lambda: b'{"a":1e999999999}',
    "NaN": lambda: b'{"a":NaN}',
    "not UTF-8": lambda: b'{"a":"\xff\xfe"}',
    "half a surrogate": lambda: b'{"a":"\\ud800"}',
    "a string of 4 MiB": lambda: b'{"a":"' + b"x" * 4 * MEBIBYTE + b'"}',
}


@pytest.mark.req("D3")
@pytest.mark.parametrize("reader", ["state", "feed", "any", "list", "names"])
@pytest.mark.parametrize("name", PAYLOADS)
def test_an_attack_by_payload_ends_soon_and_costs_little(name: str, reader: str) -> None:
    """Lists drop the row that is bad, and names have no field that must be there: those two may find nothing in it."""
    now = SystemClock().now()
    shot = Snapshot(FetchRequest("crex", "http://127.0.0.1/", "state"), 200, PAYLOADS[name](), now, now)
    source = registry.create("crex")
    ref = MatchRef("crex", "ABC")
    read: dict[str, Callable[[], object]] = {
        "state": lambda: source.parse_state(ref, shot),
        "list": lambda: source.parse_list(shot),
        "feed": lambda: source.parse_feed(ref, Missing(1, 0, 5), shot),
        "names": lambda: source.parse_names(shot),
        "any": lambda: source.read(shot),
    }
    before, began = most_memory(), time.perf_counter()
    with contextlib.suppress(PayloadError) if reader in ("list", "names") else pytest.raises(PayloadError):
        assert not read[reader]() or reader == "names"
    assert time.perf_counter() - began < SECONDS_MAX
    assert most_memory() - before < 4 * GROWTH_MAX
