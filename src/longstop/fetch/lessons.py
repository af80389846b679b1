"""A lesson: open the match's page, watch which call brings the state, and note how it is made."""

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, SourceUnreachableError
from longstop.fetch.recipe import Recipe, learn
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.tabs import Tabs


class Lessons:
    """Each lesson uses a tab of its own and gives it back."""

    def __init__(self, tabs: Tabs, clock: Clock, open_seconds: float = 8.0, capture_seconds: float = 6.0) -> None:
        self._tabs = tabs
        self._clock = clock
        self._open_seconds = open_seconds
        self._capture_seconds = capture_seconds

    async def take(self, request: FetchRequest) -> Recipe:
        try:
            return await self._take(request)
        except BrowserError as error:
            raise SourceUnreachableError(f"No browser could show how the call is made: {error.message}") from error

    async def _take(self, request: FetchRequest) -> Recipe:
        tab = await self._tabs.new_tab()
        try:
            await tab.open(request.page, self._open_seconds)
            call = await tab.next_capture(None, self._capture_seconds)
            return learn(request.source, request.purpose, request.key, call, await tab.cookies(call.url))
        finally:
            await tab.close()
