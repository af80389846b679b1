"""The right to one context for a time: until it is given back, is not renewed, or its browser ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from longstop.clock import Clock
from longstop.domain.errors import BrowserLostError, BrowserTimeoutError
from longstop.fetch.browser.drivers import driver_errors
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.recycling import Trend

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

    from longstop.fetch.browser.blocking import Traffic

T = TypeVar("T")

PAGE_SECONDS = 10.0


class Held(Protocol):
    """What a lease holds: a context and what is known of it."""

    @property
    def raw(self) -> "BrowserContext": ...

    @property
    def pages(self) -> "list[Page]": ...

    @property
    def traffic(self) -> "Traffic": ...

    @property
    def crashed(self) -> asyncio.Event: ...

    @property
    def claimed(self) -> set[int]: ...

    async def new_page(self) -> "Page": ...

    async def probe(self, seconds: float) -> None: ...

    async def close(self, seconds: float) -> None: ...


class Lease:
    """`retiring` says: please move to a new lease, and give this one back then. `lost` says: it is over.

    Who does not move is given `PoolOptions.drain_seconds`, then the lease is lost.
    """

    def __init__(self, held: Held, need: ContextNeed, unit: str, clock: Clock, on_release: "OnRelease") -> None:
        self.need = need
        self.unit = unit
        self.lost = asyncio.Event()
        self.retiring = asyncio.Event()
        self.reason = ""
        self.held = held
        self.opened_at = clock.monotonic()
        self.expires_at = float("inf")
        self.tasks = 0
        self.trend = Trend()
        self.measured_bytes = 0
        self.pids: tuple[int, ...] = ()
        self.share_bytes = 0
        self.is_followed = False
        self._clock = clock
        self._on_release = on_release

    @property
    def context(self) -> "BrowserContext":
        """Playwright's own; give every call on it to `call`."""
        return self.held.raw

    @property
    def traffic(self) -> "Traffic":
        """How many requests were made and which were refused."""
        return self.held.traffic

    @property
    def age_seconds(self) -> float:
        return self._clock.monotonic() - self.opened_at

    def renew(self, seconds: float) -> None:
        """From now on so long. A lost lease cannot be renewed."""
        if not self.lost.is_set():
            self.expires_at = self._clock.monotonic() + seconds

    def memory_bytes(self) -> int:
        """As last measured: exact where the renderers are known to be this lease's alone, else a share."""
        return self.measured_bytes

    def whole_bytes(self) -> int:
        """The same with its part of what the browser itself takes. 0 was not measured yet."""
        return self.share_bytes

    def count_task(self, seconds: float = 0.0) -> None:
        """One poll or update was served in this time: contexts are replaced by count and when they become slow."""
        self.tasks += 1
        if seconds > 0:
            self.trend.add(seconds)

    async def new_page(self, seconds: float = PAGE_SECONDS) -> "Page":
        return await self.call(self.held.new_page, seconds)

    async def call(self, work: Callable[[], Awaitable[T]], seconds: float) -> T:
        """Playwright's work with our deadline, its errors in our words; ends at once when the lease is lost."""
        self._require_held()
        task = asyncio.create_task(_awaited(work))
        lost = asyncio.create_task(self.lost.wait())
        try:
            async with self._clock.timeout(seconds):
                await asyncio.wait({task, lost}, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError as error:
            raise BrowserTimeoutError(f"The browser did not finish within {seconds:g} s.") from error
        finally:
            lost.cancel()
            task.add_done_callback(seen)
            task.cancel()
        if not task.done():
            self._require_held()
        return self._result(task)

    def _result(self, task: "asyncio.Task[T]") -> T:
        from longstop.fetch.browser.translate import translated

        try:
            return task.result()
        except driver_errors() as error:
            self._require_held()
            raise translated(error) from error

    def _require_held(self) -> None:
        if self.lost.is_set():
            raise BrowserLostError(f"The lease on a browser for {self.need.source} ended: {self.reason}.")

    def end(self, reason: str) -> None:
        """The pool's word that it is over; the first reason stays."""
        if not self.lost.is_set():
            self.reason = reason
            self.lost.set()

    async def release(self) -> None:
        """Gives it back. Safe to repeat; a cancellation meanwhile does not keep the context."""
        await self._on_release(self)


OnRelease = Callable[[Lease], Awaitable[None]]


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def seen(task: "asyncio.Task[T]") -> None:
    """Nobody waits for it any more; its error is not news."""
    if not task.cancelled():
        task.exception()
