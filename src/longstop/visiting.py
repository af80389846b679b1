"""How matches are visited before kickoff: the joined parts between an order and what a page's own calls bring.

    visitor ─┬─ a page ─────── browser pool ─┐
             ├─ direct calls ── HTTP ────────┴─ the session's port of the filtering proxy ── its exit
             ├─ politeness: rate, pauses, robots.txt, by the same port
             └─ bandwidth: the month's budget of bytes

A visitor lives as long as it is open, and everything it started ends with it. A browser pool that runs already may be
lent to it; without one it starts its own when the first page is needed.
"""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from longstop.approach_options import MB, http_limits, profile_of
from longstop.browsing import browser_pool
from longstop.clock import Clock
from longstop.fetch.browser.needs import Profile
from longstop.fetch.browser.pool import BrowserPool
from longstop.fetch.challenged import recognise
from longstop.fetch.coherent import CurlTransport
from longstop.fetch.egress.guard import EgressRules, rules_for
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver, SystemLookup
from longstop.fetch.exits.from_settings import manager_of
from longstop.fetch.exits.proxy_sessions import ExitEvent
from longstop.fetch.http import HttpFetcher
from longstop.fetch.identity import accept_language, require_coherent, require_stealth
from longstop.fetch.politeness import Manners, PoliteFetcher
from longstop.fetch.robots import RobotsGate
from longstop.fetch.transport import AiohttpTransport
from longstop.fetch.visits.bandwidth import Bandwidth, BandwidthOptions
from longstop.fetch.visits.by_exits import ByExits
from longstop.fetch.visits.direct import DirectCalls
from longstop.fetch.visits.month_file import MonthFile
from longstop.fetch.visits.own_address import OwnAddress, StickyTerms
from longstop.fetch.visits.page_visit import PageOptions, PageVisits
from longstop.fetch.visits.passage import Passage, Passages
from longstop.fetch.visits.sessions import SessionFetcher, Sessions
from longstop.fetch.visits.visit import Visitor
from longstop.fetch.visits.visitor import MatchVisitor
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings
from longstop.sources.contract import Manifest

MONTH_FILE = "bandwidth.json"
QUIET_SECONDS = 3.0


class Visiting:
    """The parts of one source's visits, from its settings and its manifest."""

    def __init__(
        self,
        manifest: Manifest,
        settings: Settings,
        clock: Clock,
        bus: Signals,
        *,
        is_simulated: bool = False,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        """`is_simulated`: the site is our own origin, which needs neither manners nor robots.txt. A page that has been
        quiet for `quiet_seconds` says no more by itself."""
        self._manifest = manifest
        self._settings = settings
        self._clock = clock
        self._bus = bus
        self._is_simulated = is_simulated
        self._quiet_seconds = quiet_seconds
        self._lookup = SystemLookup()
        self._proxy = FilteringProxy(clock)
        self._resolver = PinnedResolver(self._rules(), self._lookup, clock)

    @asynccontextmanager
    async def opened(self, lent: BrowserPool | None = None) -> AsyncIterator[Visitor]:
        async with AsyncExitStack() as stack:
            stack.callback(self._lookup.close)
            stack.push_async_callback(self._proxy.close)
            pool = lent if lent is not None and not self._wanted.stealth else await self._own_pool(stack)
            visitor = self._visitor(pool)
            stack.push_async_callback(visitor.close)
            yield visitor

    # The parts.

    @property
    def _wanted(self) -> SourceSettings:
        found: SourceSettings = getattr(self._settings.sources, self._manifest.name)
        return found

    def _rules(self) -> EgressRules:
        wanted, manifest = self._wanted, self._manifest
        base_url = wanted.base_url or manifest.base_url
        hosts = (urlsplit(base_url).hostname or "",) if wanted.base_url else manifest.hosts
        return rules_for(manifest.name, base_url, hosts, wanted.allowed_hosts)

    def _visitor(self, pool: BrowserPool) -> MatchVisitor:
        limits = http_limits(self._settings)
        sessions = Sessions(self._passages(), self._open_http)
        courtesy = self._courtesy(SessionFetcher(sessions.latest))
        options = PageOptions(
            page_seconds=self._settings.scraper.browser.timeouts.page,
            quiet_seconds=self._quiet_seconds,
            body_bytes_max=limits.body_bytes_max,
            types=self._manifest.state_types,
        )
        pages = PageVisits(pool, self._resolver.rules, courtesy, recognise, self._clock, options)
        direct = DirectCalls(courtesy, limits.body_bytes_max)
        return MatchVisitor(sessions, pages, direct, self._bandwidth(), self._clock)

    def _passages(self) -> Passages:
        proxy = self._settings.scraper.proxy
        if self._wanted.use_proxy:
            exits = manager_of(self._manifest.name, proxy, self._profile(), random.Random(), self._tell_exit)
            return ByExits(exits, self._proxy, self._resolver, self._clock)
        terms = StickyTerms(proxy.sticky_ttl, 1 if proxy.mode == "rotating" else proxy.sticky_max_matches)
        return OwnAddress(self._proxy, self._resolver, self._profile(), self._clock, terms)

    def _tell_exit(self, event: ExitEvent) -> None:
        told = {"source": event.source, "proxy": event.proxy_id, "reason": event.reason}
        if event.name == "exit_ejected":
            rests = round(event.rests_seconds, 1)
            self._bus.emit(
                signals.ExitRested(
                    at=self._clock.now(), **told, rests_seconds=rests, resting=event.resting, exits=event.exits
                )
            )
        elif event.name == "exits_short":
            self._bus.emit(signals.ExitsShort(at=self._clock.now(), **told, resting=event.resting, exits=event.exits))

    def _profile(self) -> Profile:
        return require_coherent(profile_of(self._wanted, http_limits(self._settings).user_agent))

    def _open_http(self, passage: Passage) -> HttpFetcher:
        """By the session's own port and nothing else. A redirect is followed nowhere: a page must be seen again."""
        limits = http_limits(self._settings)
        transport = (
            CurlTransport(
                self._proxy,
                self._resolver,
                body_bytes_max=limits.body_bytes_max,
                language=accept_language(passage.profile.locale),
                lease=passage.lease,
            )
            if self._wanted.coherent_tls
            else AiohttpTransport(limits.user_agent, limits.connections_per_host, None, passage.server)
        )
        without_redirects = msgspec.structs.replace(limits, redirects_max=0)
        return HttpFetcher(self._clock, without_redirects, self._resolver, transport)

    def _courtesy(self, fetcher: SessionFetcher) -> PoliteFetcher:
        limits = self._wanted.rate_limits
        if self._is_simulated:
            return PoliteFetcher(fetcher, self._clock, max_concurrent=limits.max_concurrent_contexts)
        agent = http_limits(self._settings).user_agent
        return PoliteFetcher(
            fetcher,
            self._clock,
            max_concurrent=limits.max_concurrent_contexts,
            manners=Manners(limits.min_interval_seconds, limits.burst_allowance),
            permission=RobotsGate(fetcher, self._clock, agent) if self._wanted.respect_robots else None,
        )

    def _bandwidth(self) -> Bandwidth:
        path = Path(self._settings.storage.root) / MONTH_FILE
        options = BandwidthOptions(budget_bytes=self._settings.scraper.proxy.bandwidth_budget_mb * MB)
        return Bandwidth(MonthFile(path), self._clock, self._bus, options)

    # The browser.

    async def _own_pool(self, stack: AsyncExitStack) -> BrowserPool:
        """Browsers start when the first page is needed. What is in no session's context has no business anywhere."""
        if self._wanted.stealth:
            require_stealth(self._manifest.name)
        nowhere = PinnedResolver(EgressRules("nobody", frozenset()), self._lookup, self._clock)
        door = await self._proxy.admit(nowhere, "nobody")
        pool = browser_pool(self._settings, door.server, self._clock, self._bus, is_stealthy=self._wanted.stealth)
        await pool.start()
        stack.push_async_callback(pool.stop)
        return pool
