"""One page, visited once: what its own calls bring, and a call from inside it for what it did not ask for."""

from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import (
    BrowserError,
    BrowserTimeoutError,
    FetchError,
    LongstopError,
    SourceThrottledError,
    SourceTimeoutError,
)
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.needs import Allow, ContextNeed, RouteRules
from longstop.fetch.browser.tab import LEASE_SECONDS, BrowserTab, Pool
from longstop.fetch.egress.guard import EgressRules
from longstop.fetch.politeness import Courtesy
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.visits.allow_list import AllowList
from longstop.fetch.visits.gathering import INTERCEPTED, Gathering, Recognise
from longstop.fetch.visits.session import VisitSession
from longstop.fetch.visits.visit import OnStep, VisitOrder

PAGE_PURPOSE: Final = "page"


class PageOptions(msgspec.Struct, frozen=True):
    """A page of which nothing has come for `quiet_seconds` says no more by itself. `call_seconds` bounds a call from
    inside it, `page_seconds` the coming of its document."""

    page_seconds: float = 30.0
    quiet_seconds: float = 3.0
    call_seconds: float = 8.0
    body_bytes_max: int = 4 * 1024 * 1024
    types: tuple[str, ...] = ("application/json",)


class PageCosts(msgspec.Struct):
    """What was asked in the browser, also when nothing came of it."""

    requests: int = 0
    blocked: int = 0
    caught: int = 0


class PageVisits:
    """All visits of one source to its pages. A context lasts for one visit; the session's cookies go along."""

    def __init__(
        self,
        pool: Pool,
        rules: EgressRules,
        courtesy: Courtesy,
        recognise: Recognise,
        clock: Clock,
        options: PageOptions,
    ) -> None:
        self._pool = pool
        self._rules = rules
        self._courtesy = courtesy
        self._recognise = recognise
        self._clock = clock
        self._options = options

    def allow_list(self, order: VisitOrder) -> AllowList:
        return AllowList(self._rules, order.calls, self._options.types)

    async def make(self, order: VisitOrder, session: VisitSession, on_step: OnStep, costs: PageCosts) -> Gathering:
        """What was gathered, whether it is enough or not."""
        lease = await self._pool.acquire(self._need(order, session), LEASE_SECONDS)
        try:
            on_step("browser_leased")
            gathering = await self._listened(order, session, lease, on_step)
            costs.caught = sum(each.rung == INTERCEPTED for each in gathering.snapshots.values())
            return gathering
        finally:
            costs.requests += lease.traffic.requests
            costs.blocked += lease.traffic.blocked.total()
            await lease.release()

    def _need(self, order: VisitOrder, session: VisitSession) -> ContextNeed:
        """The document comes once; heavy kinds and trackers never do."""
        allow = tuple(Allow(host) for host in sorted(self._rules.hosts))
        return ContextNeed(
            source=order.source,
            profile=session.passage.profile,
            proxy=session.passage.server,
            route=RouteRules(allow=allow, documents_max=1),
        )

    async def _listened(self, order: VisitOrder, session: VisitSession, lease: Lease, on_step: OnStep) -> Gathering:
        options = self._options
        gathering = Gathering(
            lease, order, self.allow_list(order), self._recognise, self._clock, options.body_bytes_max
        )
        tab = BrowserTab(lease, order.key, _nothing, self._clock, options.body_bytes_max, gathering.on_response)
        try:
            await session.jar.pour_into(lease)
            on_step("sent")
            await self._open(order, tab, gathering)
            on_step("arrived")
            await self._gather(tab, gathering)
            await session.jar.fill_from(lease)
            if not order.is_plain:
                session.learn(order.source, order.key, gathering.calls, await tab.cookies(order.page))
        finally:
            await gathering.close()
        return gathering

    # The page.

    async def _open(self, order: VisitOrder, tab: BrowserTab, gathering: Gathering) -> None:
        """Which page stands in its place is told before what status it came with."""
        asked = FetchRequest(order.source, order.page, PAGE_PURPOSE, key=order.key, page=order.page)
        try:
            async with self._courtesy.turn(asked):
                order.gate.send()
                await self._load(order, tab)
        except FetchError:
            await gathering.settle()
            if gathering.challenge is not None:
                raise gathering.challenge from None
            raise

    async def _load(self, order: VisitOrder, tab: BrowserTab) -> None:
        """A page that does not come is the site's silence, or that of the way to it; the browser is asked elsewhere."""
        try:
            await tab.open(order.page, self._options.page_seconds)
        except BrowserTimeoutError as error:
            message = f"The page did not come within {self._options.page_seconds:g} s."
            raise SourceTimeoutError(message) from error

    async def _gather(self, tab: BrowserTab, gathering: Gathering) -> None:
        while not gathering.is_complete and await self._comes_more(tab, gathering):
            pass
        for purpose in gathering.missing():
            if gathering.is_complete:
                break
            await self._ask(gathering.order.calls[purpose], tab, gathering)

    async def _comes_more(self, tab: BrowserTab, gathering: Gathering) -> bool:
        """False when it has been quiet. A lost page is told at once."""
        gathering.changed.clear()
        try:
            async with self._clock.timeout(self._options.quiet_seconds):
                await tab.wait_for(gathering.changed)
        except TimeoutError:
            return gathering.is_reading
        return True

    async def _ask(self, request: FetchRequest, tab: BrowserTab, gathering: Gathering) -> None:
        """Once, from inside the page, with what the page's other calls carry."""
        asked = msgspec.structs.replace(request, headers=(*request.headers, *_tokens(gathering)))
        asked_at = self._clock.now()
        gathering.asked.add(request.purpose)
        try:
            async with self._courtesy.turn(asked):
                gathering.order.gate.send()
                answer = await tab.call(asked, self._options.call_seconds)
        except (FetchError, BrowserError) as error:
            if tab.is_lost:
                raise
            gathering.refusals.setdefault(request.purpose, _plain(error, request.purpose))
            return
        gathering.take(request.purpose, answer, asked_at)
        refused = gathering.refusals.get(request.purpose)
        if isinstance(refused, SourceThrottledError):
            gathering.refusals[request.purpose] = self._courtesy.heed(asked, refused)


def _tokens(gathering: Gathering) -> list[tuple[str, str]]:
    """What lets the page's own calls in, beside its cookies."""
    seen = next(iter(gathering.calls.values()), None)
    headers = {} if seen is None else seen.headers
    return [(name, value) for name, value in headers.items() if _is_token(name.lower())]


def _is_token(name: str) -> bool:
    return name == "authorization" or name.startswith("x-")


def _plain(error: LongstopError, purpose: str) -> LongstopError:
    """What a script inside the page says of a call that failed names no cause; the kind of error is ours."""
    if isinstance(error, BrowserError):
        return SourceTimeoutError(f"The page asked for {purpose}, and no answer came to it.")
    return error


def _nothing(_: str, __: str | None) -> bool:
    return False
