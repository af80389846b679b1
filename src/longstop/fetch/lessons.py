"""A lesson: open the match's page, watch which call brings the state, and note how it is made."""

from typing import Protocol

from longstop.domain.errors import BrowserError, SourceUnreachableError
from longstop.fetch.opening import Opener
from longstop.fetch.recipe import Recipe, learn
from longstop.fetch.snapshot import STATE, FetchRequest
from longstop.fetch.tabs import Tab


class HeldPages(Protocol):
    def teacher(self, key: str) -> tuple[str, Tab] | None:
        """An open page and its match: that of this key, or another's; None where none is open."""
        ...


class Lessons:
    """Each lesson uses a tab of its own and gives it back, since a fresh page has the freshest tokens. Where no browser
    has a place for one, a page that is open anyway is watched: else who holds the last place could never give it up.

    Whatever call gave rise to it, it is the state's that is learnt: others are dressed with its headers and cookies.
    """

    def __init__(self, opener: Opener, held: HeldPages | None = None, capture_seconds: float = 6.0) -> None:
        self._opener = opener
        self._held = held
        self._capture_seconds = capture_seconds

    async def take(self, request: FetchRequest) -> Recipe:
        try:
            try:
                return await self._take(request)
            except BrowserError:
                if (recipe := await self._watch(request)) is None:
                    raise
                return recipe
        except BrowserError as error:
            raise SourceUnreachableError(f"No browser could show how the call is made: {error.message}") from error

    async def _take(self, request: FetchRequest) -> Recipe:
        tab = await self._opener.open(request)
        try:
            call = await tab.next_capture(None, self._capture_seconds)
            return learn(request.source, STATE, request.key, call, await tab.cookies(call.url))
        finally:
            await tab.close()

    async def _watch(self, request: FetchRequest) -> Recipe | None:
        """Its next call, not its last one: that may be the one that was refused since."""
        found = self._held.teacher(request.key) if self._held is not None else None
        if found is None:
            return None
        key, tab = found
        call = await tab.next_capture(tab.newest(), self._capture_seconds)
        return learn(request.source, STATE, key, call, await tab.cookies(call.url))
