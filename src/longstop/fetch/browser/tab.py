"""One page of one match in a leased context: opened, listened to, called from, read."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from longstop.clock import Clock, from_millis
from longstop.domain.errors import (
    BrowserError,
    BrowserTimeoutError,
    OversizedBodyError,
    SourceTimeoutError,
)
from longstop.fetch.answers import error_for
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.recipe import CapturedCall, Cookie, names_key
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.tabs import TabAnswer

if TYPE_CHECKING:
    from playwright.async_api import Page, Response

LEASE_SECONDS = 60.0
BODY_SECONDS = 4.0
BODIES_AT_ONCE = 4
COOKIE_SECONDS = 4.0
# The browser's own deadline comes first; ours is for a driver that does not answer.
CALL_SPARE_SECONDS = 1.0
CALLED_KINDS = frozenset({"xhr", "fetch"})

# Runs inside the page. Headers the page may not set are left out by the browser itself.
_CALL = """async ([url, method, headers, sent, bytesMax]) => {
  const body = sent === null ? undefined : sent;
  const answer = await fetch(url, {method, headers, body, credentials: "include", cache: "no-store"});
  const text = await answer.text();
  if (text.length > bytesMax) return {status: -1, headers: {}, body: ""};
  return {status: answer.status, headers: Object.fromEntries(answer.headers), body: text};
}"""


class Pool(Protocol):
    async def acquire(self, need: ContextNeed, seconds: float) -> Lease: ...


# Address and content type of an answer: is it one that brings the state of a match?
IsWanted = Callable[[str, str], bool]


class BrowserTabs:
    """Fresh tabs for one source. `is_wanted` tells the calls of the page that bring the state."""

    def __init__(self, pool: Pool, need: ContextNeed, is_wanted: IsWanted, clock: Clock, body_bytes_max: int) -> None:
        self._pool = pool
        self._need = need
        self._is_wanted = is_wanted
        self._clock = clock
        self._body_bytes_max = body_bytes_max

    async def new_tab(self, key: str) -> "BrowserTab":
        lease = await self._pool.acquire(self._need, LEASE_SECONDS)
        return BrowserTab(lease, key, self._is_wanted, self._clock, self._body_bytes_max)


class BrowserTab:
    def __init__(self, lease: Lease, key: str, is_wanted: IsWanted, clock: Clock, body_bytes_max: int) -> None:
        self._lease = lease
        self._key = key
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

    @property
    def memory_bytes(self) -> int:
        return self._lease.whole_bytes()

    async def open(self, url: str, seconds: float) -> None:
        self._lease.renew(LEASE_SECONDS)
        page = await self._lease.new_page(seconds)
        self._page = page
        page.on("response", self._on_response)
        response = await self._lease.call(
            lambda: page.goto(url, wait_until="domcontentloaded", timeout=seconds * 1000), seconds
        )
        if response is not None and response.status >= 400:
            raise error_for(response.status, response.headers, "page", self._clock.now())

    async def call(self, request: FetchRequest, seconds: float) -> TabAnswer:
        page = self._opened()
        body = None if request.body is None else request.body.decode("utf-8", "replace")
        told = [request.url, request.method, dict(request.headers), body, self._body_bytes_max]
        with self._timed():
            answer: dict[str, Any] = await self._lease.call(lambda: page.evaluate(_CALL, told), seconds)
        if answer["status"] == -1:
            raise OversizedBodyError(f"The answer to the page's call is larger than {self._body_bytes_max} bytes.")
        return TabAnswer(answer["status"], dict(answer["headers"]), answer["body"].encode())

    async def shows(self, selectors: Sequence[str], seconds: float) -> bool:
        page = self._opened()
        any_of_them = ", ".join(selectors)
        try:
            await self._lease.call(
                lambda: page.wait_for_selector(any_of_them, state="attached", timeout=seconds * 1000),
                seconds + CALL_SPARE_SECONDS,
            )
        except BrowserTimeoutError:
            return False
        return True

    async def html(self, seconds: float) -> bytes:
        page = self._opened()
        with self._timed():
            text = await self._lease.call(page.content, seconds)
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
        # How long it waited is the page's rhythm and says nothing about the browser.
        self._lease.count_task()
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

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        """One thing that was asked and answered; a context that takes ever longer for it is replaced."""
        began = self._clock.monotonic()
        yield
        self._lease.count_task(self._clock.monotonic() - began)

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
        if request.resource_type not in CALLED_KINDS or not self._is_ours(response):
            return
        if response.status != 200 or len(self._reading) >= BODIES_AT_ONCE:
            return
        task = asyncio.create_task(self._read(response, self._clock.now()))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    def _is_ours(self, response: "Response") -> bool:
        is_wanted = self._is_wanted(response.url, response.headers.get("content-type", ""))
        return is_wanted and names_key(self._key, response.url, response.request.post_data_buffer)

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
