"""One browser context of one lease: its pages, what they fetched, which renderers they live in."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from longstop.clock import Clock
from longstop.domain.errors import BrowserLostError, BrowserTimeoutError, LongstopError
from longstop.fetch.browser.blocking import Traffic
from longstop.fetch.browser.drivers import driver_errors
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.translate import in_time

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

# The smallest question that driver, browser and renderer must all take part in answering.
QUESTION = "0"


class HeldContext:
    """`renderers` tells the renderer processes of the unit at this moment, `lock` keeps page openings apart."""

    def __init__(
        self,
        raw: "BrowserContext",
        need: ContextNeed,
        clock: Clock,
        lock: asyncio.Lock,
        renderers: Callable[[], set[int]],
    ) -> None:
        self.raw = raw
        self.traffic = Traffic(need.route)
        self.crashed = asyncio.Event()
        self.claimed: set[int] = set()
        self._clock = clock
        self._lock = lock
        self._renderers = renderers
        raw.on("page", self._meet)

    @property
    def pages(self) -> "list[Page]":
        return self.raw.pages

    async def new_page(self) -> "Page":
        """One at a time in the whole browser, so that the renderer that appears is known to be this page's."""
        async with self._lock:
            before = self._renderers()
            page = await self.raw.new_page()
            self.claimed |= self._renderers() - before
        return page

    async def probe(self, seconds: float) -> None:
        """Asks every page; raises when one does not answer in time. An error is an answer too: it may be navigating."""
        for page in self.pages:
            try:
                await in_time(self._clock, page.evaluate(QUESTION), seconds, "answer from one of its pages")
            except BrowserTimeoutError:
                raise
            except BrowserLostError:
                if not page.is_closed():
                    raise
            except LongstopError:
                continue

    async def close(self, seconds: float) -> None:
        """Closes all its pages with it; a renderer in an endless loop does not keep it."""
        await in_time(self._clock, self.raw.close(), seconds, "close a context")

    async def _meet(self, page: "Page") -> None:
        """A page that another page opened is nobody's, and closed; a crash of ours is noticed."""
        page.on("crash", lambda _: self.crashed.set())
        with contextlib.suppress(*driver_errors()):
            if await page.opener() is not None:
                await page.close()


def with_overhead(told: Mapping[str, int], unit_bytes: int) -> dict[str, int]:
    """What a browser takes that is no context's (its own process, its driver), divided among all of them."""
    overhead = max(0, unit_bytes - sum(told.values()))
    return {key: size + overhead // len(told) for key, size in told.items()}


def attributed(renderers: Mapping[int, int], claims: Mapping[str, set[int]]) -> dict[str, int]:
    """Bytes for each context. Chromium does not tell whose a renderer is: those seen to appear with a page are its own,
    those that came later (a page that moved to another site) are shared among the contexts that lost theirs, or else
    among all."""
    told = {key: sum(renderers[pid] for pid in pids if pid in renderers) for key, pids in claims.items()}
    known = set().union(*claims.values()) if claims else set()
    unclaimed = sum(size for pid, size in renderers.items() if pid not in known)
    bare = [key for key, pids in claims.items() if not any(pid in renderers for pid in pids)] or list(claims)
    for key in bare:
        told[key] += unclaimed // len(bare)
    return told
