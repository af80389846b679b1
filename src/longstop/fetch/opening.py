"""Opens the page of a match, with the patience its site needs lately, and once more when that was not enough."""

import asyncio

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserTimeoutError, FetchError
from longstop.fetch.patience import SECOND_TRY_FACTOR, Patience
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.tabs import Tab, Tabs


class Opener:
    def __init__(self, tabs: Tabs, clock: Clock, patience: Patience) -> None:
        self._tabs = tabs
        self._clock = clock
        self._patience = patience

    async def open(self, request: FetchRequest) -> Tab:
        """The page is loaded; whoever gets it closes it. A slow page is tried twice, each time in a fresh tab."""
        try:
            return await self._open(request, 1.0)
        except BrowserTimeoutError:
            return await self._open(request, SECOND_TRY_FACTOR)

    async def _open(self, request: FetchRequest, factor: float) -> Tab:
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
