"""A lesson: open the match's page, watch which call brings the state, and note how it is made."""

from longstop.domain.errors import BrowserError, SourceUnreachableError
from longstop.fetch.opening import Opener
from longstop.fetch.recipe import Recipe, learn
from longstop.fetch.snapshot import STATE, FetchRequest


class Lessons:
    """Each lesson uses a tab of its own and gives it back. Whatever call gave rise to it, it is the state's that is
    learnt: the others are dressed with its headers and cookies."""

    def __init__(self, opener: Opener, capture_seconds: float = 6.0) -> None:
        self._opener = opener
        self._capture_seconds = capture_seconds

    async def take(self, request: FetchRequest) -> Recipe:
        try:
            return await self._take(request)
        except BrowserError as error:
            raise SourceUnreachableError(f"No browser could show how the call is made: {error.message}") from error

    async def _take(self, request: FetchRequest) -> Recipe:
        tab = await self._opener.open(request)
        try:
            call = await tab.next_capture(None, self._capture_seconds)
            return learn(request.source, STATE, request.key, call, await tab.cookies(call.url))
        finally:
            await tab.close()
