"""What one page of a match counts and captures; the page itself is played."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from longstop.clock import LoopClock
from longstop.domain.errors import MatchGoneError, SourceRefusedError, SourceThrottledError
from longstop.fetch.browser import page_scripts
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.tab import BrowserTab
from tests.cricket import NOON
from tests.unit.fetch.fake_tabs import asked
from tests.virtual import on_virtual_time

CLOCK = LoopClock(NOON)
SITE = "http://127.0.0.1:8100"
JSON = {"content-type": "application/json"}


class FakeLease:
    def __init__(self, page: "FakePage") -> None:
        self.page = page
        self.lost = asyncio.Event()
        self.retiring = asyncio.Event()
        self.counted: list[float] = []

    def renew(self, seconds: float) -> None: ...

    def count_task(self, seconds: float = 0.0) -> None:
        self.counted.append(seconds)

    async def new_page(self, seconds: float) -> "FakePage":
        return self.page

    async def call(self, work: Callable[[], Awaitable[Any]], seconds: float) -> Any:
        return await work()

    async def release(self) -> None: ...


class FakePage:
    def __init__(self, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.answer = FakeResponse(SITE, status=status, headers=headers or {})
        self.listeners: dict[str, Callable[[Any], None]] = {}
        self.evaluated: list[Any] = []

    def on(self, event: str, listener: Callable[[Any], None]) -> None:
        self.listeners.setdefault(event, listener)

    def respond(self, response: "FakeResponse") -> None:
        self.listeners["response"](response)

    async def goto(self, url: str, **_: Any) -> "FakeResponse":
        return self.answer

    async def evaluate(self, script: str, told: Any) -> Any:
        if script == page_scripts.SHOWN:
            await CLOCK.sleep(0.7)
            return "<p></p>"
        self.evaluated.append(told)
        await CLOCK.sleep(0.3)
        return {"status": 200, "headers": {}, "body": "{}"}


class FakeResponse:
    resource_type = "fetch"
    method = "GET"
    status = 200
    body_seconds = 0.0

    def __init__(self, url: str, *, sent: bytes | None = None, status: int = 200, headers: dict[str, str]) -> None:
        self.url = url
        self.status = status
        self.headers = headers
        self.post_data_buffer = sent

    @property
    def request(self) -> "FakeResponse":
        return self

    async def body(self) -> bytes:
        await CLOCK.sleep(self.body_seconds)
        return self.url.encode()

    async def all_headers(self) -> dict[str, str]:
        return {}


def is_state(url: str, content_type: str | None) -> bool:
    return "/state" in url and content_type in (None, "application/json")


async def opened(page: FakePage) -> tuple[BrowserTab, FakeLease]:
    lease = FakeLease(page)
    tab = BrowserTab(cast(Lease, lease), "AB1", is_state, CLOCK, 1000)
    await tab.open(SITE, 5.0)
    return tab, lease


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_context_is_told_how_long_each_thing_took() -> None:
    """By that it is known when it has become slow, and replaced."""
    tab, lease = await opened(FakePage())
    await tab.html(5.0)
    await tab.call(asked(), 5.0)
    assert lease.counted == [pytest.approx(0.7), pytest.approx(0.3)]


@pytest.mark.req("A2")
@pytest.mark.req("D3")
@on_virtual_time
async def test_only_calls_of_the_right_kind_about_this_match_are_captured() -> None:
    page = FakePage()
    tab, _ = await opened(page)
    json = {"content-type": "application/json"}
    others = [
        FakeResponse(f"{SITE}/state?key=CD2", headers=json),
        FakeResponse(f"{SITE}/state?key=AB1", headers={"content-type": "text/html"}),
        FakeResponse(f"{SITE}/other?key=AB1", headers=json),
        FakeResponse(f"{SITE}/state?key=AB1", headers=json, status=500),
    ]
    for response in others:
        page.respond(response)
    await CLOCK.sleep(0.1)
    assert tab.newest() is None
    page.respond(FakeResponse(f"{SITE}/state", headers=json, sent=b'{"key":"AB1"}'))
    assert (await tab.next_capture(None, 1.0)).request_body == b'{"key":"AB1"}'


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_call_inside_the_page_keeps_its_method_and_its_body() -> None:
    page = FakePage()
    tab, _ = await opened(page)
    request = asked()
    await tab.call(type(request)(request.source, request.url, "state", method="POST", body=b"{}"), 5.0)
    assert page.evaluated[0][1:4] == ["POST", {}, "{}"]


@pytest.mark.req("B1")
@on_virtual_time
async def test_what_the_site_says_for_its_page_is_heeded_like_an_answer_to_a_call() -> None:
    with pytest.raises(MatchGoneError):
        await opened(FakePage(status=410))
    with pytest.raises(SourceThrottledError) as thrown:
        await opened(FakePage(status=503, headers={"retry-after": "30"}))
    assert thrown.value.retry_after_seconds == 30


@pytest.mark.req("B10")
@on_virtual_time
async def test_an_answer_that_was_slow_to_come_does_not_replace_a_newer_one() -> None:
    page = FakePage()
    tab, _ = await opened(page)
    old, new = (FakeResponse(f"{SITE}/state?key=AB1&n={n}", headers=JSON) for n in (1, 2))
    old.body_seconds = 2.0
    page.respond(old)
    await CLOCK.sleep(0.5)
    page.respond(new)
    assert (await tab.next_capture(None, 5.0)).url.endswith("n=2")
    await CLOCK.sleep(3.0)
    newest = tab.newest()
    assert newest is not None
    assert newest.url.endswith("n=2")


@pytest.mark.req("B1")
@on_virtual_time
async def test_what_the_page_itself_is_refused_is_told_and_a_pause_at_once() -> None:
    page = FakePage()
    tab, _ = await opened(page)
    page.respond(FakeResponse(f"{SITE}/state?key=CD2", status=403, headers={}))
    page.respond(FakeResponse(f"{SITE}/state?key=AB1", status=401, headers={"content-type": "text/html"}))
    with pytest.raises(SourceRefusedError):
        await tab.next_capture(None, 2.0)
    began = CLOCK.monotonic()
    page.respond(FakeResponse(f"{SITE}/state?key=AB1", status=429, headers={"retry-after": "30"}))
    await CLOCK.sleep(1.0)
    with pytest.raises(SourceThrottledError) as thrown:
        await tab.next_capture(None, 20.0)
    assert CLOCK.monotonic() - began == pytest.approx(1.0)
    assert thrown.value.retry_after_seconds == pytest.approx(29.0)


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_page_that_renews_its_token_when_it_is_refused_is_waited_for() -> None:
    page = FakePage()
    tab, _ = await opened(page)
    page.respond(FakeResponse(f"{SITE}/state?key=AB1", status=401, headers={}))
    waiting = asyncio.create_task(tab.next_capture(None, 4.0))
    await CLOCK.sleep(1.0)
    page.respond(FakeResponse(f"{SITE}/state?key=AB1", headers=JSON))
    assert (await waiting).status == 200
