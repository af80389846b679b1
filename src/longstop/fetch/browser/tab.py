"""One page of one match in a leased context: opened, listened to, called from, read."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from longstop.clock import Clock, from_millis
from longstop.domain.errors import BrowserError, OversizedBodyError, SourceTimeoutError, UnexpectedStatusError
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.recipe import CapturedCall, Cookie
from longstop.fetch.tabs import TabAnswer

if TYPE_CHECKING:
    from playwright.async_api import Page, Response

LEASE_SECONDS = 60.0
BODY_SECONDS = 4.0
BODIES_AT_ONCE = 4
COOKIE_SECONDS = 4.0
CALLED_KINDS = frozenset({"xhr", "fetch"})

# Runs inside the page. Headers the page may not set are left out by the browser itself.
_CALL = """async ([url, headers, bytesMax]) => {
  const answer = await fetch(url, {headers, credentials: "include", cache: "no-store"});
  const body = await answer.text();
  if (body.length > bytesMax) return {status: -1, headers: {}, body: ""};
  return {status: answer.status, headers: Object.fromEntries(answer.headers), body};
}"""


class Pool(Protocol):
    async def acquire(self, need: ContextNeed, seconds: float) -> Lease: ...


class BrowserTabs:
    """Fresh tabs for one source. `is_wanted` tells the calls of the page that bring the state."""

    def __init__(
        self, pool: Pool, need: ContextNeed, is_wanted: Callable[[str], bool], clock: Clock, body_bytes_max: int
    ) -> None:
        self._pool = pool
        self._need = need
        self._is_wanted = is_wanted
        self._clock = clock
        self._body_bytes_max = body_bytes_max

    async def new_tab(self) -> "BrowserTab":
        lease = await self._pool.acquire(self._need, LEASE_SECONDS)
        return BrowserTab(lease, self._is_wanted, self._clock, self._body_bytes_max)


class BrowserTab:
    def __init__(self, lease: Lease, is_wanted: Callable[[str], bool], clock: Clock, body_bytes_max: int) -> None:
        self._lease = lease
        self._is_wanted = is_wanted
        self._clock = clock
        self._body_bytes_max = body_bytes_max
        self._page: Page | None = None
        self._newest: CapturedCall | None = None
        self._captured = asyncio.Event()
        self._reading: set[asyncio.Task[None]] = set()

    @property
    def is_lost(self) -> bool:
        return self._lease.lost.is_set()

    @property
    def retiring(self) -> asyncio.Event:
        return self._lease.retiring

    async def open(self, url: str, seconds: float) -> None:
        self._lease.renew(LEASE_SECONDS)
        page = await self._lease.new_page(seconds)
        self._page = page
        page.on("response", self._on_response)
        response = await self._lease.call(
            lambda: page.goto(url, wait_until="domcontentloaded", timeout=seconds * 1000), seconds
        )
        if response is not None and response.status >= 400:
            raise UnexpectedStatusError(f"The page of the match answered {response.status}.")

    async def call(self, url: str, headers: dict[str, str], seconds: float) -> TabAnswer:
        page = self._opened()
        answer: dict[str, Any] = await self._lease.call(
            lambda: page.evaluate(_CALL, [url, headers, self._body_bytes_max]), seconds
        )
        self._served()
        if answer["status"] == -1:
            raise OversizedBodyError(f"The answer to the page's call is larger than {self._body_bytes_max} bytes.")
        return TabAnswer(answer["status"], dict(answer["headers"]), answer["body"].encode())

    async def html(self, seconds: float) -> bytes:
        page = self._opened()
        text = await self._lease.call(page.content, seconds)
        self._served()
        if len(text) > self._body_bytes_max:
            raise OversizedBodyError(f"The page is larger than {self._body_bytes_max} bytes.")
        return text.encode("utf-8", "replace")

    async def picture(self, seconds: float) -> bytes:
        page = self._opened()
        return await self._lease.call(lambda: page.screenshot(type="png", timeout=seconds * 1000), seconds)

    def newest(self) -> CapturedCall | None:
        return self._newest

    async def next_capture(self, after: CapturedCall | None, seconds: float) -> CapturedCall:
        """A lost page is told at once, not at the deadline."""
        self._opened()
        try:
            async with self._clock.timeout(seconds):
                while self._newest is None or self._newest is after:
                    self._captured.clear()
                    await self._wait_for_capture()
        except TimeoutError as error:
            raise SourceTimeoutError(f"The page made no call of its own for {seconds:g} s.") from error
        self._served()
        return self._newest

    async def cookies(self, url: str) -> list[Cookie]:
        found = await self._lease.call(lambda: self._lease.context.cookies(url), COOKIE_SECONDS)
        return [
            Cookie(str(each.get("name", "")), str(each.get("value", "")), _expiry(each.get("expires")))
            for each in found
        ]

    async def close(self) -> None:
        for task in tuple(self._reading):
            task.cancel()
        await self._lease.release()

    def _opened(self) -> "Page":
        if self._page is None:
            raise BrowserError("The page was not opened.")
        self._lease.renew(LEASE_SECONDS)
        return self._page

    def _served(self) -> None:
        self._lease.count_task()

    async def _wait_for_capture(self) -> None:
        """Until something was captured or the lease is lost; whoever waits looks which."""
        waits = [asyncio.create_task(event.wait()) for event in (self._captured, self._lease.lost)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
        if self.is_lost:
            await self._lease.call(asyncio.Event().wait, 0.0)

    # Captures: bodies are read at once, before the page moves on and they are gone.

    def _on_response(self, response: "Response") -> None:
        request = response.request
        if request.resource_type not in CALLED_KINDS or not self._is_wanted(response.url):
            return
        if response.status != 200 or len(self._reading) >= BODIES_AT_ONCE:
            return
        task = asyncio.create_task(self._read(response, self._clock.now()))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read(self, response: "Response", now: datetime) -> None:
        try:
            body = await self._lease.call(response.body, BODY_SECONDS)
            headers = await self._lease.call(response.request.all_headers, BODY_SECONDS)
        except BrowserError:
            # The page has gone elsewhere or died; its next call is read again.
            return
        if len(body) > self._body_bytes_max:
            return
        self._newest = CapturedCall(
            url=response.url,
            method=response.request.method,
            headers=headers,
            request_body=response.request.post_data_buffer,
            status=response.status,
            content_type=response.headers.get("content-type", ""),
            body=body,
            captured_at=now,
        )
        self._captured.set()


def _expiry(seconds: object) -> datetime | None:
    return from_millis(seconds * 1000) if isinstance(seconds, int | float) and seconds > 0 else None
