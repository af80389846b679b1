"""How each source is approached: the joined parts between a request and the bytes.

    ladder ─┬─ replay ──── politeness (rate, pauses, robots) ── HTTP, held to the source's hosts
            └─ in page, intercept, dom ── page keeper ── browser pool ── filtering proxy, held to the same hosts

One browser pool and one filtering proxy serve all sources. The browser starts when the first lease is asked for, so
a source that answers plain calls never costs one.
"""

import importlib.util
import random
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from longstop.approach_options import (
    agreement_of,
    http_limits,
    keeper_options,
    patience_of,
    profile_of,
    wanted_calls,
)
from longstop.browsing import browser_pool
from longstop.climbing import Bearing, Joint, climber
from longstop.clock import Clock
from longstop.domain.errors import BrowserError, EgressRefusedError, RecordRefusedError
from longstop.domain.match import MatchRef
from longstop.fetch.authorized import AuthorizedFetcher
from longstop.fetch.browser.needs import Allow, ContextNeed, RouteRules
from longstop.fetch.browser.orphans import OrphanReport, remove_orphans
from longstop.fetch.browser.pool import BrowserPool
from longstop.fetch.browser.tab import BrowserTabs
from longstop.fetch.coherent import CurlTransport
from longstop.fetch.egress.guard import EgressRules, rules_for
from longstop.fetch.egress.proxy import FilteringProxy, Refusal
from longstop.fetch.egress.resolver import PinnedResolver, SystemLookup
from longstop.fetch.egress.streams import Traffic
from longstop.fetch.http import HttpFetcher
from longstop.fetch.identity import accept_language, require_coherent, require_stealth
from longstop.fetch.ladder import RungName
from longstop.fetch.lessons import Lessons
from longstop.fetch.opening import Opener
from longstop.fetch.page_keeper import PageKeeper
from longstop.fetch.politeness import Manners, PoliteFetcher
from longstop.fetch.recipe import Recipe, stored_recipe
from longstop.fetch.recipe_book import RecipeBook
from longstop.fetch.replay import ReplayRung
from longstop.fetch.robots import RobotsGate
from longstop.fetch.snapshot import Fetcher
from longstop.fetch.source_fetcher import SourceFetcher
from longstop.fetch.token_desk import TokenDeskCall
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.breaker import worst_first
from longstop.resilience.token_keeper import TokenKeeper
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings
from longstop.sources.contract import Source
from longstop.store.contract import RecipeRow, Store, WriteBatch

BREAKERS_SHOWN_MAX = 200


class Approaches:
    """Every way out of the house. Nothing else opens a connection to a source."""

    def __init__(self, settings: Settings, store: Store, clock: Clock, bus: Signals, *, is_simulated: bool) -> None:
        """`is_simulated`: the site is our own origin, which needs neither manners nor robots.txt."""
        self._settings = settings
        self._joined: dict[str, SourceSettings] = {}
        self._store = store
        self._clock = clock
        self._bus = bus
        self._is_simulated = is_simulated
        self._joint = Joint(settings, clock, bus)
        self._lookup = SystemLookup()
        self._proxy = FilteringProxy(clock, on_refused=self._tell_refused)
        self._http: list[HttpFetcher] = []
        self._books: dict[str, RecipeBook] = {}
        self._fetchers: dict[str, SourceFetcher] = {}
        self._browser_folder = Path(settings.storage.root) / "browser"
        self.pool: BrowserPool | None = None
        self._stealthy: BrowserPool | None = None
        self._moved: dict[str, Traffic] = {}
        bus.subscribe(signals.BrowsersMeasured, lambda _: self._tell_transferred())

    async def start(self, sources: tuple[Source, ...]) -> dict[str, SourceFetcher]:
        """What each source is fetched with. Without a browser only replay is left, and that is told."""
        for source in sources:
            if self._wanted(source).stealth and self._wants_pages():
                require_stealth(source.manifest.name)
        if self._wants_pages():
            self.pool = await self._start_pool()
        for source in sources:
            await self.add(source)
        return self._fetchers

    async def add(self, source: Source, wanted: SourceSettings | None = None) -> SourceFetcher:
        """The way to one source, also while the others are under way, and then by settings that are newer than ours."""
        if wanted is not None:
            self._joined[source.manifest.name] = wanted
        if self._wanted(source).stealth and self._wants_pages() and self._stealthy is None:
            self._stealthy = await self._start_pool(is_stealthy=True)
        found = self._fetchers[source.manifest.name] = await self._approach(source)
        return found

    async def stop(self) -> None:
        for fetcher in self._fetchers.values():
            await fetcher.close()
        for pool in (self.pool, self._stealthy):
            if pool is not None:
                await pool.stop()
        self._tell_transferred()
        await self._proxy.close()
        for http in self._http:
            await http.close()
        self._lookup.close()

    async def recycle(self, reason: str) -> dict[str, str | int | float | bool | None]:
        """Every browser is replaced, its successor first, and every connection made anew; figures for the audit."""
        for http in self._http:
            await http.renew()
        before = self.pool.accounting() if self.pool is not None else None
        if self.pool is None or before is None:
            return {"connections_renewed": len(self._http), "browsers_replaced": 0}
        replaced = await self.pool.recycle(reason)
        after = self.pool.accounting()
        return {
            "connections_renewed": len(self._http),
            "browsers_replaced": replaced,
            "pids_before": before.pids,
            "pids_after": after.pids,
            "contexts_before": before.contexts,
            "contexts_after": after.contexts,
        }

    def why(self, source: str, key: str) -> str:
        fetcher = self._fetchers.get(source)
        return fetcher.where(key)[1] if fetcher else ""

    def shut(self, source: str, key: str) -> tuple[str, ...]:
        fetcher = self._fetchers.get(source)
        return fetcher.not_closed(key) if fetcher else ()

    def breakers(self) -> list[dict[str, Any]]:
        """Those that were ever asked, the worst first: of a thousand the closed ones may be left out."""
        views = (view for fetcher in self._fetchers.values() for view in fetcher.all_breakers())
        return [dict(msgspec.to_builtins(view)) for view in worst_first(views, BREAKERS_SHOWN_MAX)]

    def browser_bytes(self) -> dict[str, int]:
        """What the pages of each match take, with their part of the browser; 0 is not known yet."""
        return {
            MatchRef(source, key, "").match_id: size
            for source, fetcher in self._fetchers.items()
            for key, size in fetcher.page_bytes().items()
        }

    async def sweep(self) -> OrphanReport:
        """A run without a browser may follow one that had some."""
        if self.pool is not None:
            return await self.pool.sweep()
        return await remove_orphans(self._browser_folder, self._clock)

    def _tell(self, error_type: str, message: str, hint: str) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error_type,
                error_message=message,
                hint=hint,
                operation="approach",
            )
        )

    def _tell_refused(self, refusal: Refusal) -> None:
        self._tell(
            "egress", refusal.said, f"A page of {refusal.source} asked for it; sources.*.allowed_hosts names more."
        )

    def _tell_transferred(self) -> None:
        """What pages moved is paid for and counted like what our own calls do; with the rhythm of the pool's looks."""
        for name in self._fetchers:
            now, before = self._proxy.traffic(name), self._moved.get(name, Traffic())
            if now.requests == before.requests and now.bytes_in == before.bytes_in:
                continue
            self._moved[name] = now
            self._bus.emit(
                signals.PagesTransferred(
                    at=self._clock.now(),
                    source=name,
                    requests=now.requests - before.requests,
                    refused=now.refused - before.refused,
                    bytes_in=now.bytes_in - before.bytes_in,
                    bytes_out=now.bytes_out - before.bytes_out,
                )
            )

    # The browser.

    def _wants_pages(self) -> bool:
        return any(name is not RungName.REPLAY for name in self._joint.rungs) and has_playwright()

    async def _start_pool(self, *, is_stealthy: bool = False) -> BrowserPool | None:
        """Sources that ask for stealth have browsers of their own: another driver moves them."""
        # What is in no source's context has no business anywhere: the browser's own door leads nowhere.
        nowhere = await self._proxy.admit(
            PinnedResolver(EgressRules("nobody", frozenset()), self._lookup, self._clock),
            "nobody in stealth" if is_stealthy else "nobody",
        )
        pool = browser_pool(self._settings, nowhere.server, self._clock, self._bus, is_stealthy=is_stealthy)
        try:
            await pool.start()
        except BrowserError as error:
            self._tell(error.kind, f"{error.message} Only plain calls are left.", error.hint)
            return None
        return pool

    # One source.

    async def _approach(self, source: Source) -> SourceFetcher:
        manifest = source.manifest
        wanted = self._wanted(source)
        base_url = _base_url_of(source)
        hosts = (urlsplit(base_url).hostname or "",) if self._is_simulated else manifest.hosts
        rules = rules_for(manifest.name, base_url, hosts, wanted.allowed_hosts)
        resolver = PinnedResolver(rules, self._lookup, self._clock)
        polite = self._polite(wanted, resolver)
        direct = self._authorized(manifest.name, wanted, polite)
        keeper, replay = None, ReplayRung(direct, None)
        patience = patience_of(self._settings)
        pool = self._stealthy if wanted.stealth else self.pool
        if pool is not None:
            opener = Opener(await self._tabs(source, pool, resolver), self._clock, patience, polite)
            keeper = PageKeeper(opener, self._clock, agreement_of(source), keeper_options(self._settings))
            replay = ReplayRung(direct, await self._book(source, Lessons(opener, keeper), rules))
        return climber(source, replay, keeper, Bearing(patience, polite), self._joint)

    def _authorized(self, name: str, wanted: SourceSettings, fetcher: PoliteFetcher) -> Fetcher:
        """With a token on each direct call, where the source gives tokens for a key."""
        if not wanted.token_url:
            return fetcher
        call = TokenDeskCall(name, wanted.token_url, wanted.api_key.get_secret_value(), fetcher)
        return AuthorizedFetcher(fetcher, TokenKeeper(name, call, self._clock, self._bus, random.Random()))

    def _wanted(self, source: Source) -> SourceSettings:
        name = source.manifest.name
        found: SourceSettings = self._joined.get(name) or getattr(self._settings.sources, name)
        return found

    def _polite(self, wanted: SourceSettings, resolver: PinnedResolver) -> PoliteFetcher:
        limits_of_body = http_limits(self._settings)
        transport = (
            CurlTransport(
                self._proxy,
                resolver,
                body_bytes_max=limits_of_body.body_bytes_max,
                language=accept_language(wanted.profile.locale),
            )
            if wanted.coherent_tls
            else None
        )
        http = HttpFetcher(self._clock, limits_of_body, resolver, transport)
        self._http.append(http)
        limits = wanted.rate_limits
        if self._is_simulated:
            return PoliteFetcher(http, self._clock, max_concurrent=limits.max_concurrent_contexts)
        agent = http_limits(self._settings).user_agent
        return PoliteFetcher(
            http,
            self._clock,
            max_concurrent=limits.max_concurrent_contexts,
            manners=Manners(limits.min_interval_seconds, limits.burst_allowance),
            permission=RobotsGate(http, self._clock, agent) if wanted.respect_robots else None,
        )

    async def _tabs(self, source: Source, pool: BrowserPool, resolver: PinnedResolver) -> BrowserTabs:
        lease = await self._proxy.admit(resolver, source.manifest.name)
        need = ContextNeed(
            source=source.manifest.name,
            profile=require_coherent(profile_of(self._wanted(source), http_limits(self._settings).user_agent)),
            proxy=lease.server,
            route=RouteRules(allow=tuple(Allow(host) for host in sorted(resolver.rules.hosts)), documents_max=3),
        )
        return BrowserTabs(pool, need, wanted_calls(source), self._clock, http_limits(self._settings).body_bytes_max)

    async def _book(self, source: Source, lessons: Lessons, rules: EgressRules) -> RecipeBook:
        name = source.manifest.name
        book = RecipeBook(name, lessons.take, self._keep, self._clock, self._bus)
        for row in await self._store.recipes(name):
            try:
                book.restore(stored_recipe(row.payload, rules))
            except (EgressRefusedError, RecordRefusedError) as error:
                self._tell("recipe", error.message, "It is left aside; the next one is learnt when it is needed.")
        self._books[name] = book
        return book

    async def _keep(self, recipe: Recipe) -> None:
        """A restart needs no browser as long as the recipe holds."""
        row = RecipeRow(
            source=recipe.source,
            purpose=recipe.purpose,
            payload=msgspec.json.encode(recipe),
            learnt_at=recipe.learnt_at,
            expires_at=recipe.expires_at,
        )
        await self._store.save(WriteBatch(recipes=(row,)))


def has_playwright() -> bool:
    return importlib.util.find_spec("playwright") is not None


def _base_url_of(source: Source) -> str:
    parts = urlsplit(source.list_matches().url)
    return f"{parts.scheme}://{parts.netloc}"
