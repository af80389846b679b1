"""The engine: the supervision tree of everything that watches.

engine (top: 3 restarts in 60 s, then the process ends and says why)
├── resource meter, freshness sampling
└── for each source
    ├── discovery      which matches are there
    ├── naming         who is behind the codes
    └── scrapers       one a match (each: 5 restarts in 30 s, then the match rests and begins afresh)
"""

from collections.abc import Mapping, Sequence

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import LongstopError
from longstop.domain.match import Names
from longstop.fetch.evidence import EvidenceStore
from longstop.fetch.politeness import PoliteFetcher
from longstop.fetch.snapshot import Fetcher
from longstop.fetch.source_fetcher import SourceFetcher
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.pipeline import Pipeline
from longstop.resilience.pace import PaceLimits
from longstop.sources.contract import Source
from longstop.store.contract import Store
from longstop.supervise.discovery import Discovery
from longstop.supervise.naming import NameBook, Naming
from longstop.supervise.resources import ResourceMeter
from longstop.supervise.roster import Roster
from longstop.supervise.scraper import Scraper
from longstop.supervise.service import Service, Stop
from longstop.supervise.supervisor import SCRAPER_BUDGET, TOP_BUDGET, Ended, Supervisor
from longstop.watch import Watch

# A match that is gone may be listed again by mistake; one that broke us five times rests as a paused match does.
GONE_REST_SECONDS = 60.0
FAILED_REST_SECONDS = 300.0


class EngineOptions(msgspec.Struct, frozen=True):
    pace: PaceLimits = PaceLimits()
    ledger: LedgerLimits = LedgerLimits()
    discovery_seconds: float = 15.0
    shutdown_seconds: float = 30.0
    measures_resources: bool = True


class EngineParts(msgspec.Struct, frozen=True):
    """What the engine is joined from; bootstrap decides which parts these are.

    `fetchers` by source; one that knows several ways to its source is in `climbers` instead."""

    sources: tuple[Source, ...]
    store: Store
    clock: Clock
    bus: Signals
    fetchers: Mapping[str, Fetcher] = {}
    climbers: Mapping[str, SourceFetcher] = {}
    evidence: EvidenceStore | None = None


class Department:
    """Everything that belongs to one source."""

    def __init__(self, source: Source, engine: "Engine") -> None:
        parts = engine.parts
        self.source = source
        self.book = NameBook()
        self._engine = engine
        self.climber = parts.climbers.get(source.manifest.name)
        self._fetcher: Fetcher = self.climber or PoliteFetcher(
            parts.fetchers[source.manifest.name], parts.clock, max_concurrent=source.manifest.max_concurrent
        )
        self._pipeline = Pipeline(
            source, self._fetcher, parts.store, parts.clock, parts.bus, self.climber, parts.evidence
        )
        self.roster = Roster(parts.store, engine.options.ledger, self._start_scraper, parts.clock, parts.bus)

    def services(self) -> tuple[Service, ...]:
        parts = self._engine.parts
        return (
            Discovery(
                self.source,
                self._fetcher,
                self.roster.take,
                self._engine.options.discovery_seconds,
                parts.clock,
                parts.bus,
            ),
            Naming(
                self.source,
                self._fetcher,
                parts.store,
                self.book,
                lambda: (watch.codes for watch in self.roster.watches),
                parts.clock,
                parts.bus,
            ),
        )

    def _start_scraper(self, watch: Watch) -> None:
        parts = self._engine.parts
        scraper = Scraper(watch, self._pipeline, self._engine.options.pace, parts.clock, parts.bus)
        self._engine.watch(scraper, lambda failure: self._give_up(watch, failure))

    def _give_up(self, watch: Watch, failure: LongstopError | None) -> None:
        """A match that has gone, or that restarts could not help, rests; the others go on."""
        self.roster.rest(watch.ref.match_id, GONE_REST_SECONDS if failure is None else FAILED_REST_SECONDS)
        if failure is not None:
            self._engine.tell_given_up(watch, failure)


class Engine:
    def __init__(self, parts: EngineParts, options: EngineOptions) -> None:
        self.parts = parts
        self.options = options
        self._stop = Stop(parts.clock)
        self._top = Supervisor("engine", TOP_BUDGET, parts.clock, parts.bus)
        self._scrapers = Supervisor("scrapers", SCRAPER_BUDGET, parts.clock, parts.bus)
        self.departments = tuple(Department(source, self) for source in parts.sources)

    @property
    def watches(self) -> Sequence[Watch]:
        return [watch for department in self.departments for watch in department.roster.watches]

    def watch(self, scraper: Scraper, ended: Ended) -> None:
        self._scrapers.start(scraper, self._stop, ended)

    def tell_given_up(self, watch: Watch, failure: LongstopError) -> None:
        self.parts.bus.emit(
            signals.ErrorRaised(
                at=self.parts.clock.now(),
                severity="CRITICAL",
                error_type=failure.kind,
                error_message=failure.message,
                hint=failure.hint,
                match_id=watch.ref.match_id,
                scraper_id=watch.scraper_id,
                operation="supervision",
                url=watch.ref.url,
            )
        )
        self.parts.bus.emit(
            signals.ScraperStopped(
                at=self.parts.clock.now(),
                match_id=watch.ref.match_id,
                scraper_id=watch.scraper_id,
                reason="given up",
            )
        )

    def names(self, source: str) -> Names:
        return next(
            (department.book.names for department in self.departments if department.source.manifest.name == source),
            Names(),
        )

    async def start(self, *others: Service) -> None:
        """`others` are services that bootstrap wants in the same tree."""
        for service in others:
            self._top.start(service, self._stop)
        if self.options.measures_resources:
            self._top.start(ResourceMeter(self.parts.clock, self.parts.bus), self._stop)
        for department in self.departments:
            await department.roster.resume(department.source.manifest.name)
            for service in department.services():
                self._top.start(service, self._stop)

    async def failure(self) -> LongstopError:
        """Waits for something that restarts could not mend."""
        return await self._top.escalated()

    async def stop(self, reason: str) -> tuple[str, ...]:
        """Cycles are finished; what is not done in time is cancelled and named."""
        self._stop.ask(reason)
        late = await self._scrapers.join(self.options.shutdown_seconds)
        return late + await self._top.join(self.options.shutdown_seconds)
