"""A challenge is told as one by every call of ours, and a refusal that cannot be read stays what it is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from longstop.clock import SystemClock
from longstop.domain.errors import ChallengeError, SourceRefusedError, SourceThrottledError
from longstop.fetch.http import HttpFetcher
from longstop.fetch.snapshot import FetchRequest, Snapshot

pytestmark = pytest.mark.req("D7", "B12")
WALL = b"<html><head><script>window._cf_chl_opt={cvId:'3'};</script></head><body></body></html>"


@asynccontextmanager
async def answering(answer: web.StreamResponse | None) -> AsyncIterator[str]:
    async def handle(request: web.Request) -> web.StreamResponse:
        if answer is not None:
            return answer
        endless = web.StreamResponse(status=429, headers={"Retry-After": "9", "Content-Length": "1000"})
        await endless.prepare(request)
        await endless.write(b"<html>")
        await asyncio.Event().wait()
        return endless

    app = web.Application()
    app.router.add_get("/", handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def asked(answer: web.StreamResponse | None) -> Snapshot:
    async with answering(answer) as url:
        fetcher = HttpFetcher(SystemClock())
        try:
            return await fetcher.fetch(FetchRequest("site", url, "state"))
        finally:
            await fetcher.close()


@pytest.mark.parametrize("status", [200, 202, 403, 429, 503])
async def test_a_page_that_is_a_challenge_is_no_answer_whatever_its_status(status: int) -> None:
    with pytest.raises(ChallengeError) as caught:
        await asked(web.Response(status=status, body=WALL, content_type="text/html"))
    assert caught.value.challenge == "cloudflare"


async def test_a_refusal_without_one_stays_a_refusal() -> None:
    with pytest.raises(SourceRefusedError) as caught:
        await asked(web.Response(status=403, body=b"<html>Forbidden</html>", content_type="text/html"))
    assert not isinstance(caught.value, ChallengeError)


async def test_a_refusal_whose_page_never_ends_is_told_all_the_same() -> None:
    with pytest.raises(SourceThrottledError) as caught:
        await asked(None)
    assert caught.value.retry_after_seconds == 9


async def test_a_refusal_packed_in_a_strange_way_is_told_all_the_same() -> None:
    with pytest.raises(SourceRefusedError):
        await asked(web.Response(status=403, body=b"x", headers={"Content-Encoding": "br"}))
