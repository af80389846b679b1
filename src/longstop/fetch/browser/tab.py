"""One page of one match in a leased context: opened, listened to, called from, read."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from longstop.clock import Clock, from_millis
from longstop.domain.errors import (
    BrowserError,
    BrowserLostError,
    BrowserTimeoutError,
    FetchError,
    OversizedBodyError,
    SourceTimeoutError,
)
from longstop.fetch.answers import error_for
from longstop.fetch.browser import page_scripts
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.listening import IsWanted, Listener
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.recipe import CapturedCall, Cookie
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.tabs import TabAnswer

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page, Response

LEASE_SECONDS = 60.0
COOKIE_SECONDS = 4.0
# The browser's own deadline comes first; ours is for a driver that does not answer.
CALL_SPARE_SECONDS = 1.0


class Pool(Protocol):
    async def acquire(self, need: ContextNeed, seconds: float) -> Lease: ...


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
    """`also` sees every answer from the first on, for who listens for more than one kind of call."""

    def __init__(
        self,
        lease: Lease,
        key: str,
        is_wanted: IsWanted,
        clock: Clock,
        body_bytes_max: int,
        also: "Callable[[Response], None] | None" = None,
    ) -> None:
        self._lease = lease
        self._also = also
        self._clock = clock
        self._body_bytes_max = body_bytes_max
        self._listener = Listener(lease, key, is_wanted, clock, body_bytes_max)
        self._page: Page | None = None
        self._gone = asyncio.Event()

    @property
    def is_lost(self) -> bool:
        """With its browser, or for itself: a page that went elsewhere shows nothing of the match any more."""
        return self._lease.lost.is_set() or self._gone.is_set()

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
        page.on("response", self._listener.on_response)
        if self._also is not None:
            page.on("response", self._also)
        page.on("framenavigated", self._on_navigated)
        page.on("close", lambda _: self._gone.set())
        response = await self._lease.call(
            lambda: page.goto(url, wait_until="domcontentloaded", timeout=seconds * 1000), seconds
        )
        if response is not None and response.status >= 400:
            raise error_for(response.status, response.headers, "page", self._clock.now())

    async def call(self, request: FetchRequest, seconds: float) -> TabAnswer:
        page = self._opened()
        body = None if request.body is None else request.body.decode("utf-8", "replace")
        told = [request.url, request.method, dict(request.headers), body, self._body_bytes_max, seconds * 1000]
        with self._timed():
            answer: dict[str, Any] = await self._lease.call(
                lambda: page.evaluate(page_scripts.CALL, told), seconds + CALL_SPARE_SECONDS
            )
        self._require_answer(answer["status"], seconds)
        is_redirected = bool(answer.get("redirected"))
        return TabAnswer(answer["status"], dict(answer["headers"]), answer["body"].encode(), is_redirected)

    def _require_answer(self, status: int, seconds: float) -> None:
        if status == page_scripts.TOO_LARGE:
            raise OversizedBodyError(f"The answer to the page's call is larger than {self._body_bytes_max} bytes.")
        if status == page_scripts.TOO_SLOW:
            raise SourceTimeoutError(f"The page's call took longer than {seconds:g} s.")
        if status == page_scripts.GONE_ELSEWHERE:
            raise self._gone_elsewhere()

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
            text: str | None = await self._lease.call(
                lambda: page.evaluate(page_scripts.SHOWN, self._body_bytes_max), seconds
            )
        if text is None:
            raise OversizedBodyError(f"The page is larger than {self._body_bytes_max} bytes.")
        if not text:
            raise self._gone_elsewhere()
        return text.encode("utf-8", "replace")

    async def picture(self, seconds: float) -> bytes:
        page = self._opened()
        return await self._lease.call(lambda: page.screenshot(type="png", timeout=seconds * 1000), seconds)

    def newest(self) -> CapturedCall | None:
        return self._listener.newest

    async def next_capture(self, after: CapturedCall | None, seconds: float) -> CapturedCall:
        """A lost page is told at once, and so is the site's wish for a pause. Another refusal only at the deadline:
        pages renew their tokens when they are refused."""
        self._opened()
        try:
            async with self._clock.timeout(seconds):
                while (newest := self._listener.newest) is None or newest is after:
                    self._require_no_pause()
                    self._listener.changed.clear()
                    await self.wait_for(self._listener.changed)
        except TimeoutError as error:
            silence = SourceTimeoutError(f"The page made no call of its own for {seconds:g} s.")
            raise self._listener.refusal() or silence from error
        # How long it waited is the page's rhythm and says nothing about the browser.
        self._lease.count_task()
        return newest

    async def cookies(self, url: str) -> list[Cookie]:
        found = await self._lease.call(lambda: self._lease.context.cookies(url), COOKIE_SECONDS)
        return [
            Cookie(str(each.get("name", "")), str(each.get("value", "")), _expiry(each.get("expires")))
            for each in found
        ]

    async def close(self) -> None:
        self._listener.close()
        await self._lease.release()

    def _opened(self) -> "Page":
        if self._page is None:
            raise BrowserError("The page was not opened.")
        if self._gone.is_set():
            raise self._gone_elsewhere()
        self._lease.renew(LEASE_SECONDS)
        return self._page

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        """One thing that was asked and answered; a context that takes ever longer for it is replaced."""
        began = self._clock.monotonic()
        yield
        self._lease.count_task(self._clock.monotonic() - began)

    def _on_navigated(self, frame: "Frame") -> None:
        if frame.parent_frame is None and frame.url.startswith(page_scripts.ERROR_PAGE):
            self._gone.set()

    def _gone_elsewhere(self) -> BrowserLostError:
        self._gone.set()
        return BrowserLostError("The page has gone elsewhere, or was closed.", hint="The next poll opens it anew.")

    def _require_no_pause(self) -> None:
        error: FetchError | None = self._listener.refusal() if self._listener.is_throttled() else None
        if error is not None:
            raise error

    async def wait_for(self, event: asyncio.Event) -> None:
        """Until then, or until the page is lost, which is raised."""
        waits = [asyncio.create_task(each.wait()) for each in (event, self._lease.lost, self._gone)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
        if self._lease.lost.is_set():
            await self._lease.call(asyncio.Event().wait, 0.0)
        if self._gone.is_set():
            raise self._gone_elsewhere()


def _expiry(seconds: object) -> datetime | None:
    return from_millis(seconds * 1000) if isinstance(seconds, int | float) and seconds > 0 else None
