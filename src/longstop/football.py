"""Football before kickoff, joined: the service that captures one match, for whoever calls it, and the scheduler.

    async with football(settings, clock) as service:
        result = await service.scrape_match(match_id=7, kickoff_utc=kickoff, home_team="Reds", away_team="Blues")

Everything that was started for it ends with it. With a store what is captured is kept.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from longstop.clock import Clock
from longstop.fetch.visits.visit import Visitor
from longstop.jobs.captures.circuit import Circuit
from longstop.jobs.captures.options import CaptureOptions
from longstop.jobs.captures.scheduling import CaptureScheduler
from longstop.jobs.captures.service import CaptureParts, SofascoreScraperService
from longstop.observe.signals import Signals
from longstop.resilience.breaker import BreakerPolicy, WindowRule
from longstop.settings import Settings
from longstop.sources.sofascore import SofascoreReader
from longstop.store.contract import Store
from longstop.supervise.service import Stop
from longstop.visiting import Visiting

Reading = Callable[[], Settings]
# Taken while we run: they are read anew at each use.
CAPTURE_SETTINGS = tuple(
    f"scraper.capture.{name}"
    for name in (
        *("window_hours", "max_attempts", "base_delay", "jitter", "max_null_percent"),
        *("concurrency", "list_interval", "tournaments"),
    )
)


def capture_options(settings: Settings) -> CaptureOptions:
    wanted = settings.scraper.capture
    return CaptureOptions(
        attempts_max=wanted.max_attempts,
        base_seconds=wanted.base_delay,
        jitter_seconds=wanted.jitter,
        visit_seconds=settings.scraper.scheduling.total_timeout,
        window_seconds=wanted.window_hours * 3600,
        null_rate_max=wanted.max_null_percent / 100,
        at_once=wanted.concurrency,
        list_seconds=wanted.list_interval,
        tournaments=wanted.tournaments,
        keeps_raw=settings.storage.keep_captures,
    )


def circuit_of(settings: Settings, source: str, clock: Clock, bus: Signals) -> Circuit:
    wanted = settings.scraper.resilience.source_breaker
    rule = WindowRule(wanted.window, wanted.min_attempts, wanted.error_percent)
    policy = BreakerPolicy(wanted.cooldown, probes=wanted.probes, successes_to_close=wanted.probes)
    return Circuit(source, clock, bus, rule, policy)


def parts_of(
    read: Reading, visitor: Visitor, clock: Clock, bus: Signals, store: Store | None, circuit: Circuit | None = None
) -> CaptureParts:
    settings = read()
    source = SofascoreReader(settings.sources.sofascore.base_url or None)
    return CaptureParts(
        source,
        visitor,
        clock,
        store,
        bus,
        lambda: capture_options(read()),
        circuit=circuit or circuit_of(settings, source.manifest.name, clock, bus),
    )


@asynccontextmanager
async def football(
    settings: Settings,
    clock: Clock,
    bus: Signals | None = None,
    store: Store | None = None,
    *,
    is_simulated: bool = False,
) -> AsyncIterator[SofascoreScraperService]:
    bus = bus or Signals()
    visiting = Visiting(SofascoreReader().manifest, settings, clock, bus, is_simulated=is_simulated)
    async with visiting.opened() as visitor:
        yield SofascoreScraperService(parts_of(lambda: settings, visitor, clock, bus, store))


class Captures:
    """The scheduler as a service of the tree. Its visits begin and end with it; the breaker outlives a restart."""

    name = CaptureScheduler.name

    def __init__(self, read: Reading, store: Store, clock: Clock, bus: Signals, *, is_simulated: bool) -> None:
        self._read = read
        self._store = store
        self._clock = clock
        self._bus = bus
        self._is_simulated = is_simulated
        self._circuit = circuit_of(read(), SofascoreReader().manifest.name, clock, bus)

    async def run(self, stop: Stop) -> None:
        settings = self._read()
        manifest = SofascoreReader().manifest
        visiting = Visiting(manifest, settings, self._clock, self._bus, is_simulated=self._is_simulated)
        async with visiting.opened() as visitor:
            parts = parts_of(self._read, visitor, self._clock, self._bus, self._store, self._circuit)
            await CaptureScheduler(SofascoreScraperService(parts), parts).run(stop)
