import asyncio
import gzip
import random
import time
import tracemalloc
from collections.abc import Awaitable, Callable

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import (
    FetchError,
    LongstopError,
    MatchGoneError,
    OversizedBodyError,
    SourceFailingError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
    UnexpectedStatusError,
    UnreadableBodyError,
)
from longstop.fetch.http import HttpFetcher, HttpLimits
from longstop.fetch.snapshot import FetchRequest
from tests.servers.site import MEBIBYTE, Site

RawSite = Callable[[bytes, bool], Awaitable[str]]


def acquired(fetcher: HttpFetcher) -> int:
    """Connections that a call holds at this moment."""
    session = fetcher.transport.session  # type: ignore[attr-defined]  # it is the one of aiohttp
    assert session is not None
    return len(session.connector._acquired)


async def fallen_quiet(site: Site) -> None:
    """The server saw that nobody waits for its answers any more."""
    async with SystemClock().timeout(3.0):
        await site.quiet.wait()


async def test_a_good_answer_becomes_a_snapshot_with_both_times(site: Site, fetcher: HttpFetcher) -> None:
    before = SystemClock().now()
    shot = await fetcher.fetch(site.request("/answer"))
    assert (shot.status, shot.body, shot.rung) == (200, b'{"ok":true}', "replay")
    assert before <= shot.requested_at <= shot.fetched_at <= SystemClock().now()
    assert shot.headers["content-type"]
    assert shot.request.url.endswith("/answer")


async def test_a_packed_body_is_unpacked(site: Site, fetcher: HttpFetcher) -> None:
    assert (await fetcher.fetch(site.request("/compressed"))).body == b'{"ok":true}'


STATUSES: list[tuple[int, type[FetchError]]] = [
    (204, UnexpectedStatusError),
    (400, UnexpectedStatusError),
    (401, SourceRefusedError),
    (403, SourceRefusedError),
    (404, MatchGoneError),
    (410, MatchGoneError),
    (429, SourceThrottledError),
    (500, SourceFailingError),
    (502, SourceFailingError),
    (503, SourceFailingError),
]


@pytest.mark.req("B1")
@pytest.mark.parametrize(("status", "kind"), STATUSES)
async def test_a_bad_status_is_its_error(site: Site, fetcher: HttpFetcher, status: int, kind: type[FetchError]) -> None:
    with pytest.raises(kind, match=str(status)):
        await fetcher.fetch(site.request(f"/answer?status={status}"))


@pytest.mark.req("B1")
@pytest.mark.parametrize(("value", "seconds"), [("7", 7), ("junk", 5), ("-3", 5), ("86400", 3600)])
@pytest.mark.parametrize("status", [429, 503])
async def test_the_wish_for_a_pause_comes_with_the_error(
    site: Site, fetcher: HttpFetcher, status: int, value: str, seconds: float
) -> None:
    with pytest.raises(SourceThrottledError) as thrown:
        await fetcher.fetch(site.request(f"/answer?status={status}&h_Retry_After={value}"))
    assert thrown.value.retry_after_seconds == seconds


@pytest.mark.req("A3")
async def test_unchanged_is_no_answer_to_who_asked_for_the_whole(site: Site, fetcher: HttpFetcher) -> None:
    """Else a match would look fresh of which nothing was ever read."""
    with pytest.raises(UnexpectedStatusError, match="304"):
        await fetcher.fetch(site.request("/answer?status=304"))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(site: Site, fetcher: HttpFetcher, status: int) -> None:
    with pytest.raises(UnexpectedStatusError):
        await fetcher.fetch(site.request(f"/answer?status={status}&h_Location={site.base_url}/hang"))
    assert [request.path for request in site.seen] == ["/answer"]


@pytest.mark.parametrize("path", ["/hang", "/drip"])
async def test_a_source_that_hangs_or_drips_ends_at_our_deadline(site: Site, fetcher: HttpFetcher, path: str) -> None:
    started = time.perf_counter()
    with pytest.raises(SourceTimeoutError, match=r"state call took longer than 0\.2 s"):
        await fetcher.fetch(site.request(path, deadline_seconds=0.2))
    assert 0.15 < time.perf_counter() - started < 2.0
    await fallen_quiet(site)
    assert acquired(fetcher) == 0


async def test_the_deadline_of_the_limits_holds_where_a_request_has_none(site: Site) -> None:
    fetcher = HttpFetcher(SystemClock(), HttpLimits(deadline_seconds=0.1))
    with pytest.raises(SourceTimeoutError):
        await fetcher.fetch(site.request("/hang"))
    await fetcher.close()


BROKEN = {
    "nothing at all": b"",
    "half a status line": b"HTTP/1.1 200",
    "no http": b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
    "cut body": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
    "cut chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n",
    "chunk sizes in words": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n",
    "length in words": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}",
    "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
    "broken packing": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
    "endless header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n{}",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 50_000 + b"Content-Length: 2\r\n\r\n{}",
    "status of words": b"HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\n{}",
}  # fmt: skip


@pytest.mark.req("B10")
@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_answer_is_an_unreachable_source(raw_site: RawSite, fetcher: HttpFetcher, name: str) -> None:
    url = await raw_site(BROKEN[name], False)
    with pytest.raises(LongstopError) as thrown:
        await fetcher.fetch(FetchRequest("crex", url, "state"))
    assert isinstance(thrown.value, SourceUnreachableError)
    assert len(str(thrown.value)) < 250
    assert acquired(fetcher) == 0


async def test_a_packed_body_that_is_cut_is_no_answer(raw_site: RawSite, fetcher: HttpFetcher) -> None:
    packed = gzip.compress(b'{"ok":true}')[:-9]
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with pytest.raises(SourceUnreachableError, match="ends too early"):
        await fetcher.fetch(FetchRequest("crex", await raw_site(head + packed, False), "state"))


async def test_a_reset_connection_is_an_unreachable_source(raw_site: RawSite, fetcher: HttpFetcher) -> None:
    url = await raw_site(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", True)
    with pytest.raises(SourceUnreachableError):
        await fetcher.fetch(FetchRequest("crex", url, "state"))


async def test_a_port_where_nobody_listens_is_an_unreachable_source(fetcher: HttpFetcher, free_port: int) -> None:
    with pytest.raises(SourceUnreachableError):
        await fetcher.fetch(FetchRequest("crex", f"http://127.0.0.1:{free_port}/", "state"))


@pytest.mark.parametrize(
    "url", ["", "nonsense", "http://", "http://[::1", "ftp://127.0.0.1/", "http://127.0.0.1:99999/"]
)
async def test_an_address_that_is_none_is_an_unreachable_source(fetcher: HttpFetcher, url: str) -> None:
    with pytest.raises(SourceUnreachableError):
        await fetcher.fetch(FetchRequest("crex", url, "state"))


@pytest.mark.parametrize("kind", ["zeros", "zip"])
async def test_a_bomb_is_dropped_at_the_bound_in_memory_and_time(site: Site, fetcher: HttpFetcher, kind: str) -> None:
    request = site.request(f"/bomb/{kind}")
    with pytest.raises(OversizedBodyError):  # once unmeasured: the server packs its bombs when it is first asked
        await fetcher.fetch(request)
    tracemalloc.start()
    started = time.perf_counter()
    with pytest.raises(OversizedBodyError):
        await fetcher.fetch(request)
    spent = time.perf_counter() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * MEBIBYTE
    assert spent < 2.0
    assert acquired(fetcher) == 0


async def test_a_bomb_in_a_bomb_is_opened_once(site: Site, fetcher: HttpFetcher) -> None:
    shot = await fetcher.fetch(site.request("/bomb/nested"))
    assert len(shot.body) < 4 * MEBIBYTE


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "x-unheard-of"])
async def test_an_encoding_that_nobody_asked_for_does_no_harm(site: Site, fetcher: HttpFetcher, encoding: str) -> None:
    try:
        shot = await fetcher.fetch(site.request(f"/encoded?as={encoding}"))
    except SourceUnreachableError:
        return
    assert len(shot.body) < 100


async def test_a_body_that_never_ends_is_dropped_at_the_bound(site: Site, fetcher: HttpFetcher) -> None:
    with pytest.raises(OversizedBodyError, match=str(4 * MEBIBYTE)):
        await fetcher.fetch(site.request("/flood"))
    await fallen_quiet(site)
    assert site.sent_bytes < 64 * MEBIBYTE
    assert acquired(fetcher) == 0


async def test_a_body_of_exactly_the_bound_is_let_in(site: Site) -> None:
    fetcher = HttpFetcher(SystemClock(), HttpLimits(body_bytes_max=1000))
    assert len((await fetcher.fetch(site.request("/size?bytes=1000"))).body) == 1000
    with pytest.raises(OversizedBodyError):
        await fetcher.fetch(site.request("/size?bytes=1001"))
    await fetcher.close()


async def test_no_cookie_is_kept(site: Site, fetcher: HttpFetcher) -> None:
    await fetcher.fetch(site.request("/answer?h_Set_Cookie=session%3Dsecret"))
    await fetcher.fetch(site.request("/answer"))
    assert "Cookie" not in site.seen[1].headers


async def test_we_say_who_we_are_and_ask_for_what_we_can_bound(site: Site, fetcher: HttpFetcher) -> None:
    await fetcher.fetch(site.request("/answer"))
    headers = site.seen[0].headers
    assert headers["User-Agent"].startswith("Longstop/")
    assert not {"mozilla", "chrome", "safari"} & set(headers["User-Agent"].lower().replace("/", " ").split())
    assert headers["Accept-Encoding"] == "gzip, deflate"
    assert "Referer" not in headers


async def test_the_headers_of_a_request_are_sent(site: Site, fetcher: HttpFetcher) -> None:
    request = FetchRequest("crex", f"{site.base_url}/answer", "state", headers=(("Accept", "application/json"),))
    await fetcher.fetch(request)
    assert site.seen[0].headers["Accept"] == "application/json"


async def test_a_connection_is_used_again(site: Site, fetcher: HttpFetcher) -> None:
    for _ in range(5):
        await fetcher.fetch(site.request("/answer"))
    assert len(set(site.peers)) == 1


async def test_the_proxies_of_the_machine_are_not_asked(
    site: Site, fetcher: HttpFetcher, monkeypatch: pytest.MonkeyPatch, free_port: int
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port}")
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port}")
    monkeypatch.setenv("NO_PROXY", "")
    assert (await fetcher.fetch(site.request("/answer"))).status == 200


@pytest.mark.parametrize("path", ["/hang", "/drip", "/flood"])
async def test_a_cancelled_call_leaves_no_connection_open(site: Site, path: str) -> None:
    fetcher = HttpFetcher(SystemClock(), HttpLimits(body_bytes_max=10**12))
    call = asyncio.create_task(fetcher.fetch(site.request(path)))
    await site.arrived.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await fallen_quiet(site)
    assert acquired(fetcher) == 0
    await fetcher.close()


async def test_one_call_that_fails_does_not_disturb_the_others(site: Site, fetcher: HttpFetcher) -> None:
    paths = ["/answer", "/answer?status=500", "/hang", "/answer", "/flood"] * 4
    calls = [fetcher.fetch(site.request(path, deadline_seconds=0.5)) for path in paths]
    found = await asyncio.gather(*calls, return_exceptions=True)
    good = [each for each, path in zip(found, paths, strict=True) if path == "/answer"]
    assert len(good) == 8
    assert not [each for each in good if isinstance(each, BaseException)]


async def test_closing_twice_is_legal(site: Site) -> None:
    fetcher = HttpFetcher(SystemClock())
    await fetcher.close()
    await fetcher.fetch(site.request("/answer"))
    await fetcher.close()
    await fetcher.close()


async def test_a_site_may_say_unchanged_as_often_as_it_likes(fetcher: HttpFetcher) -> None:
    """None of these answers has a body, and reading one must not depend on how many came before it."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_known = b"If-None-Match" in await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 304 Not Modified\r\n" if is_known else b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n")
        writer.write(b'ETag: "1"\r\n\r\n' + (b"" if is_known else b"{}"))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        request = FetchRequest("crex", url, "state", is_conditional=True)
        answers = [await fetcher.fetch(request) for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 304, 304, 304]


@pytest.mark.req("D3")
@pytest.mark.parametrize("packing", ["identity", "gzip"])
async def test_a_flood_of_chunks_with_almost_nothing_in_them_is_not_sat_through(
    raw_site: RawSite, packing: str
) -> None:
    """Millions of them would keep a core busy until the deadline."""
    body = b"[" + b" " * 1_000_000 + b"]"
    sent = body if packing == "identity" else gzip.compress(random.Random(1).randbytes(1_000_000))
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in sent) + b"0\r\n\r\n"
    head = f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: {packing}\r\n\r\n".encode()
    url = await raw_site(head + chunks, False)
    fetcher = HttpFetcher(SystemClock(), HttpLimits(deadline_seconds=10.0))
    with pytest.raises(UnreadableBodyError, match="almost nothing"):
        await fetcher.fetch(FetchRequest("crex", url, "state"))
    await fetcher.close()
