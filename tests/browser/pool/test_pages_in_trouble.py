"""What a held page of the real Chromium survives: calls that never end, answers without an end, going elsewhere."""

import asyncio
import shutil
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from longstop.domain.errors import BrowserLostError, OversizedBodyError, SourceThrottledError, SourceTimeoutError
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.tab import BrowserTab, BrowserTabs
from longstop.fetch.snapshot import FetchRequest
from tests.browser.pool.house import CLOCK, House, until

pytestmark = [
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium; `apt-get install chromium`"),
    pytest.mark.req("B4"),
]

BODY_BYTES_MAX = 1_000_000
PAGES = {
    "/calm": "<p>here</p>",
    "/polling": "<script>setInterval(() => fetch('/state?key=AB1').catch(() => {}), 200)</script>",
    "/restless": "<script>setTimeout(() => location.reload(), 200)</script>",
    "/huge": f"<p id=p></p><script>p.textContent = 'a'.repeat({2 * BODY_BYTES_MAX})</script>",
}


class Trouble:
    """A site whose state call does what `mood` says."""

    def __init__(self) -> None:
        self.mood = "well"
        self.url = ""
        self.sent_bytes = 0

    async def page(self, request: web.Request) -> web.Response:
        return web.Response(text=f"<!doctype html>{PAGES[request.path]}", content_type="text/html")

    async def state(self, request: web.Request) -> web.StreamResponse:
        if self.mood == "well":
            return web.json_response({})
        if self.mood == "throttled":
            return web.Response(status=429, headers={"Retry-After": "30"})
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        if self.mood == "silent":
            await asyncio.Event().wait()
        while self.mood == "endless":
            await answer.write(b" " * 65536)
            self.sent_bytes += 65536
        return answer

    def asked(self) -> FetchRequest:
        return FetchRequest("crex", f"{self.url}/state?key=AB1", "state", key="AB1")


@pytest.fixture
async def trouble() -> AsyncIterator[Trouble]:
    site = Trouble()
    app = web.Application()
    app.router.add_get("/state", site.state)
    for path in PAGES:
        app.router.add_get(path, site.page)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    site.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield site
    site.mood = "well"
    await runner.cleanup()


def is_state(url: str, content_type: str | None) -> bool:
    return "/state" in url and content_type in (None, "application/json")


@pytest.fixture
async def tabs(house: House) -> AsyncIterator[BrowserTabs]:
    async with house.pool() as pool:
        yield BrowserTabs(pool, ContextNeed("crex"), is_state, CLOCK, BODY_BYTES_MAX)


async def opened(tabs: BrowserTabs, url: str) -> BrowserTab:
    tab = await tabs.new_tab("AB1")
    await tab.open(url, 10.0)
    return tab


async def test_calls_that_were_never_answered_do_not_hold_up_the_next_ones(tabs: BrowserTabs, trouble: Trouble) -> None:
    """A browser has six connections for a host: six calls that nobody ended would be its last."""
    tab = await opened(tabs, f"{trouble.url}/calm")
    trouble.mood = "silent"
    for _ in range(8):
        with pytest.raises(SourceTimeoutError):
            await tab.call(trouble.asked(), 0.2)
    trouble.mood = "well"
    assert (await tab.call(trouble.asked(), 2.0)).status == 200


@pytest.mark.req("D3")
async def test_an_answer_without_an_end_is_left_at_the_bound_inside_the_page(
    tabs: BrowserTabs, trouble: Trouble
) -> None:
    tab = await opened(tabs, f"{trouble.url}/calm")
    trouble.mood = "endless"
    with pytest.raises(OversizedBodyError):
        await tab.call(trouble.asked(), 5.0)
    sent = trouble.sent_bytes
    assert sent < 40 * BODY_BYTES_MAX  # what fits into the buffers on the way
    trouble.mood = "well"
    assert (await tab.call(trouble.asked(), 2.0)).status == 200


@pytest.mark.req("D3")
async def test_a_page_that_has_grown_without_measure_is_not_brought_here(tabs: BrowserTabs, trouble: Trouble) -> None:
    tab = await opened(tabs, f"{trouble.url}/huge")
    with pytest.raises(OversizedBodyError):
        await tab.html(5.0)


async def test_a_page_that_reloads_once_too_often_is_lost_and_not_read_as_if_it_were_there(
    tabs: BrowserTabs, trouble: Trouble
) -> None:
    """It may load its own document so many times; then Chromium shows a page of its own in its place."""
    tab = await opened(tabs, f"{trouble.url}/restless")
    await until(lambda: tab.is_lost, 5.0)
    with pytest.raises(BrowserLostError, match="elsewhere"):
        await tab.html(5.0)
    await tab.close()


@pytest.mark.req("B1")
async def test_the_pause_that_a_page_is_asked_for_is_heard(tabs: BrowserTabs, trouble: Trouble) -> None:
    trouble.mood = "throttled"
    tab = await opened(tabs, f"{trouble.url}/polling")
    with pytest.raises(SourceThrottledError) as thrown:
        await tab.next_capture(None, 5.0)
    assert thrown.value.retry_after_seconds == pytest.approx(30, abs=1)
