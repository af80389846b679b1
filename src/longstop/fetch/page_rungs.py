"""The three rungs that need an open page: call from inside it, listen to it, read what it shows."""

import functools
from contextlib import nullcontext
from weakref import WeakKeyDictionary, WeakSet

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import (
    BrowserError,
    FetchError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
)
from longstop.fetch.answers import require_usable
from longstop.fetch.ladder import RungName
from longstop.fetch.page_keeper import PageKeeper
from longstop.fetch.patience import Patience
from longstop.fetch.politeness import Courtesy
from longstop.fetch.recipe import CapturedCall, learn
from longstop.fetch.snapshot import STATE, FetchRequest, Snapshot
from longstop.fetch.tabs import Tab, TabAnswer

REFUSALS = (401, 403)
# The poll has failed already; what it failed at is not waited for long.
EVIDENCE_SECONDS = 2.0


class PageRungOptions(msgspec.Struct, frozen=True):
    """Before a page is first read, what `selectors` find must have come, or the time that is allowed for it be over."""

    call_seconds: float = 4.0
    selectors: tuple[str, ...] = ()


class InPageRung:
    """The same call as replay makes, made by `fetch` inside the page, for sites that accept nothing else. It is a call
    of ours all the same, and made in turn."""

    name = RungName.IN_PAGE

    def __init__(
        self,
        keeper: PageKeeper,
        clock: Clock,
        options: PageRungOptions = PageRungOptions(),
        courtesy: Courtesy | None = None,
    ) -> None:
        self._keeper = keeper
        self._clock = clock
        self._options = options
        self._courtesy = courtesy

    async def fetch(self, request: FetchRequest) -> Snapshot:
        try:
            if request.purpose == STATE and request.key:
                return await self._keeper.payload(request, functools.partial(self._show, request))
            return await self._show(request, await self._keeper.page(request))
        except SourceThrottledError:
            # The page would go on asking by itself.
            self._keeper.discard(request.key)
            raise
        except BrowserError as error:
            raise SourceUnreachableError(f"The page could not make the call: {error.message}") from error

    async def _show(self, request: FetchRequest, tab: Tab) -> Snapshot:
        requested_at = self._clock.now()
        async with self._courtesy.turn(request) if self._courtesy is not None else nullcontext():
            answer = await self._answer(tab, request)
            require_usable(answer.status, answer.headers, request.purpose, self._clock)
        return Snapshot(
            request=request,
            status=answer.status,
            body=answer.body,
            requested_at=requested_at,
            fetched_at=self._clock.now(),
            rung=self.name.value,
            headers=answer.headers,
        )

    async def _answer(self, tab: Tab, request: FetchRequest) -> TabAnswer:
        """As the page itself makes the call, with the token it has at this moment. A page just opened may not have
        shown how; refused, we wait for that."""
        shown = tab.newest()
        answer = await tab.call(_as_shown(request, shown), self._options.call_seconds)
        if answer.status not in REFUSALS or not request.key:
            return answer
        try:
            shown = await tab.next_capture(shown, self._options.call_seconds)
        except (SourceTimeoutError, SourceRefusedError):
            return answer
        return await tab.call(_as_shown(request, shown), self._options.call_seconds)

    async def markup(self, key: str) -> bytes | None:
        """Of the open page, for who looks into a failure; one that cannot be had is no second failure."""
        tab = self._keeper.open_tab(key)
        if tab is None:
            return None
        try:
            return await tab.html(EVIDENCE_SECONDS)
        except (BrowserError, FetchError):
            return None

    async def picture(self, key: str) -> bytes | None:
        """Of the open page; a page that cannot be pictured is no second failure."""
        tab = self._keeper.open_tab(key)
        if tab is None:
            return None
        try:
            return await tab.picture(EVIDENCE_SECONDS)
        except BrowserError:
            return None

    def has_page(self, request: FetchRequest) -> bool:
        """Is there an open page from which this call could be made without opening one?"""
        return self._keeper.has_page(request.key)

    def renew(self, key: str) -> None:
        self._keeper.renew(key)

    def discard(self, key: str) -> None:
        self._keeper.discard(key)

    def distrust(self, key: str) -> None:
        self._keeper.distrust(key)

    def memory_bytes(self) -> dict[str, int]:
        return self._keeper.memory_bytes()

    async def let_go(self, key: str) -> None:
        await self._keeper.let_go(key)

    async def close(self) -> None:
        await self._keeper.close()


class InterceptRung:
    """Listens: what the page fetches for itself is taken as it comes. Nothing is asked of the site beyond that."""

    name = RungName.INTERCEPT

    def __init__(
        self,
        keeper: PageKeeper,
        clock: Clock,
        options: PageRungOptions = PageRungOptions(),
        courtesy: Courtesy | None = None,
    ) -> None:
        self._keeper = keeper
        self._clock = clock
        self._options = options
        self._courtesy = courtesy
        self._told: WeakKeyDictionary[Tab, CapturedCall] = WeakKeyDictionary()

    async def fetch(self, request: FetchRequest) -> Snapshot:
        try:
            return await self._keeper.payload(request, functools.partial(self._show, request))
        except SourceThrottledError as error:
            self._keeper.discard(request.key)
            raise self._courtesy.heed(request, error) if self._courtesy is not None else error from error
        except BrowserError as error:
            raise SourceUnreachableError(f"The page could not be listened to: {error.message}") from error

    async def _show(self, request: FetchRequest, tab: Tab) -> Snapshot:
        requested_at = self._clock.now()
        call = await tab.next_capture(self._told.get(tab), self._options.call_seconds)
        self._told[tab] = call
        return Snapshot(
            request=request,
            status=call.status,
            body=call.body,
            requested_at=requested_at,
            fetched_at=call.captured_at,
            rung=self.name.value,
            headers={"Content-Type": call.content_type},
        )

    async def let_go(self, key: str) -> None:
        await self._keeper.let_go(key)

    async def close(self) -> None:
        await self._keeper.close()


class DomRung:
    """Reads what the page shows to people. The last resort: it knows the score and nothing of the balls before."""

    name = RungName.DOM

    def __init__(
        self, keeper: PageKeeper, clock: Clock, patience: Patience, options: PageRungOptions = PageRungOptions()
    ) -> None:
        self._keeper = keeper
        self._clock = clock
        self._patience = patience
        self._options = options
        self._waited: WeakSet[Tab] = WeakSet()

    async def fetch(self, request: FetchRequest) -> Snapshot:
        try:
            return await self._keeper.payload(request, functools.partial(self._show, request))
        except BrowserError as error:
            raise SourceUnreachableError(f"The page could not be read: {error.message}") from error

    async def _show(self, request: FetchRequest, tab: Tab) -> Snapshot:
        requested_at = self._clock.now()
        await self._wait_until_shown(tab)
        body = await tab.html(self._options.call_seconds)
        return Snapshot(
            request=request,
            status=200,
            body=body,
            requested_at=requested_at,
            fetched_at=self._clock.now(),
            rung=self.name.value,
            headers={"Content-Type": "text/html"},
        )

    async def _wait_until_shown(self, tab: Tab) -> None:
        """Once for each page: one that never shows it is read all the same, and says by that what is wrong."""
        if self._options.selectors and tab not in self._waited:
            self._waited.add(tab)
            await tab.shows(self._options.selectors, self._patience.timeouts.selector_seconds)

    async def let_go(self, key: str) -> None:
        await self._keeper.let_go(key)

    async def close(self) -> None:
        await self._keeper.close()


def _as_shown(request: FetchRequest, shown: CapturedCall | None) -> FetchRequest:
    """The page's cookies go along by themselves; what its script adds is taken from its own last call."""
    if shown is None:
        return request
    recipe = learn(request.source, STATE, request.key, shown, ())
    return recipe.request_for(request) if request.purpose == STATE and request.key else recipe.dress(request)
