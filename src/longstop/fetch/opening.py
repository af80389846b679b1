"""Opens the page of a match, with the patience its site needs lately, and once more when that was not enough."""

import asyncio

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserTimeoutError, FetchError, SourceThrottledError
from longstop.fetch.patience import SECOND_TRY_FACTOR, Patience
from longstop.fetch.politeness import Courtesy
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.tabs import Tab, Tabs


class Opener:
    """Pages too are asked for in turn, and only where the site's own rules allow it. `courtesy` is missing in tests."""

    def __init__(self, tabs: Tabs, clock: Clock, patience: Patience, courtesy: Courtesy | None = None) -> None:
        self._tabs = tabs
        self._clock = clock
        self._patience = patience
        self._courtesy = courtesy

    async def open(self, request: FetchRequest) -> Tab:
        """The page is loaded; whoever gets it closes it. A slow page is tried twice, each time in a fresh tab."""
        try:
            return await self._open(request, 1.0)
        except BrowserTimeoutError:
            return await self._open(request, SECOND_TRY_FACTOR)

    async def _open(self, request: FetchRequest, factor: float) -> Tab:
        asked = msgspec.structs.replace(request, url=request.page, purpose="page", method="GET", body=None)
        if self._courtesy is not None:
            # A slow page keeps nobody's place in the line.
            async with self._courtesy.turn(asked):
                pass
        try:
            return await self._loaded(request, factor)
        except SourceThrottledError as error:
            raise self._courtesy.heed(asked, error) if self._courtesy is not None else error from error

    async def _loaded(self, request: FetchRequest, factor: float) -> Tab:
        tab = await self._tabs.new_tab(request.key)
        began = self._clock.monotonic()
        try:
            await self._load(tab, request.page, factor)
        except (FetchError, BrowserError, asyncio.CancelledError):
            await tab.close()
            raise
        finally:
            self._patience.note(self._clock.monotonic() - began)
        return tab

    async def _load(self, tab: Tab, url: str, factor: float) -> None:
        """`navigation` bounds the answer to the address, `page` all of it."""
        timeouts = self._patience.timeouts
        seconds = timeouts.page_seconds * factor
        try:
            async with self._clock.timeout(seconds):
                await tab.open(url, timeouts.navigation_seconds * factor)
        except TimeoutError as error:
            raise BrowserTimeoutError(f"The page was not open within {seconds:g} s.") from error
