"""What visits to the football site cost in a real browser, beside a page that loads all that it would show a person.

Every byte is counted by the filtering proxy, and held against what the site says it has sent.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from longstop.browsing import browser_pool
from longstop.clock import SystemClock
from longstop.domain.match import MatchRef
from longstop.fetch.browser.needs import NO_RULES, ContextNeed
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver, SystemLookup
from longstop.fetch.visits.visit import Visit, Visitor, VisitOrder
from longstop.observe.signals import Signals
from longstop.settings import Settings, load
from longstop.sources.sofascore import requests
from longstop.sources.sofascore.source import load_manifest
from longstop.visiting import Visiting
from longstop_origin.football.fixture import Fixture
from longstop_origin.football.server import FootballServer, serve_football
from longstop_origin.football.world import FootballOptions, FootballWorld

CLOCK = SystemClock()
EPOCH = datetime(2026, 3, 6, 6, tzinfo=UTC).timestamp()
SOURCE = "sofascore"
LOADED = "document.body.dataset.state === 'loaded'"
LOAD_SECONDS = 30.0


class Costs(msgspec.Struct):
    """`full` is a page as a person loads it. `pages` are visits that opened a page, `calls` those that needed none;
    bytes by the proxy's count. `told` is what the visits say themselves, `sent` what the site has sent for them."""

    full: int = 0
    pages: list[int] = []
    calls: list[int] = []
    told: int = 0
    sent: int = 0
    families: int = 0

    @property
    def per_match(self) -> float:
        return (sum(self.pages) + sum(self.calls)) / (len(self.pages) + len(self.calls))


def measured(matches: int, batch: int) -> Costs:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure(Path(folder), matches, batch))


async def measure(folder: Path, matches: int, batch: int) -> Costs:
    """`batch` matches in each sticky session, five minutes before their kickoffs."""
    world = FootballWorld(FootballOptions(epoch=EPOCH, seed=3, matches=matches * 2))
    published = [each for each in world.fixtures if each.fate == "played" and each.plan.lead > 1200][:matches]
    moment = [EPOCH]
    async with serve_football(world, now=lambda: moment[0]) as server:
        settings = settings_for(server, folder, batch)
        moment[0] = published[0].final_kickoff - 300
        costs = Costs(full=await full_load(server, settings, published[0]))
        visiting = Visiting(load_manifest(), settings, CLOCK, Signals(), is_simulated=True)
        async with visiting.opened() as visitor:
            for fixture in published:
                moment[0] = fixture.final_kickoff - 300
                await _count(server, visitor, fixture, costs)
    return costs


def settings_for(server: FootballServer, folder: Path, batch: int) -> Settings:
    overrides = {
        "storage.root": str(folder),
        "scraper.browser.pool.browsers": "1",
        "scraper.proxy.sticky_max_matches": str(batch),
        f"sources.{SOURCE}.base_url": server.url,
    }
    return load(file=None, environ={}, overrides=overrides).settings


def order_for(server: FootballServer, fixture: Fixture) -> VisitOrder:
    ref = MatchRef(SOURCE, str(fixture.id), f"{server.url}{fixture.story.page}")
    built = (requests.event, requests.lineups, requests.incidents, requests.statistics)
    calls = {each.purpose: each for each in (build(server.url, ref) for build in built)}
    return VisitOrder(SOURCE, ref.key, ref.url, calls, frozenset({"event", "lineups"}))


async def _count(server: FootballServer, visitor: Visitor, fixture: Fixture, costs: Costs) -> None:
    order, before = order_for(server, fixture), server.site.bytes_sent
    visit: Visit = await visitor.visit(order, lambda _: None)
    visitor.judged(order, None)
    (costs.calls if visit.rung == "replay" else costs.pages).append(visit.network.bytes_in)
    costs.told += visit.network.bytes_in
    costs.sent += server.site.bytes_sent - before
    costs.families += len(visit.snapshots)


async def full_load(server: FootballServer, settings: Settings, fixture: Fixture) -> int:
    async with _whole_browser(server, settings) as (lease, traffic):
        page = await lease.new_page()
        url = f"{server.url}{fixture.story.page}"
        await lease.call(lambda: page.goto(url, wait_until="networkidle"), LOAD_SECONDS)
        await lease.call(lambda: page.wait_for_function(LOADED), LOAD_SECONDS)
        await lease.call(lambda: page.wait_for_load_state("networkidle"), LOAD_SECONDS)
        return int(traffic.bytes_in)


@asynccontextmanager
async def _whole_browser(server: FootballServer, settings: Settings) -> AsyncIterator[tuple[Any, Any]]:
    """Nothing is blocked in it; its bytes are counted in the same way."""
    lookup, proxy = SystemLookup(), FilteringProxy(CLOCK)
    door = await proxy.admit(PinnedResolver(rules_for(SOURCE, server.url), lookup, CLOCK), "whole")
    pool = browser_pool(settings, door.server, CLOCK, Signals())
    await pool.start()
    try:
        async with pool.lease(ContextNeed(SOURCE, proxy=door.server, route=NO_RULES), LOAD_SECONDS * 3) as lease:
            yield lease, door.traffic
    finally:
        await pool.stop()
        await proxy.close()
        lookup.close()
