"""The engine: the supervision tree of everything that watches.

engine (top: 3 restarts in 60 s, then the process ends and says why)
├── resource meter, freshness sampling
└── for each source
    ├── discovery      which matches are there
    ├── naming         who is behind the codes
    └── scrapers       one a match (each: 5 restarts in 30 s, then the failure goes up)
"""

from collections.abc import Sequence

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import LongstopError
from longstop.domain.match import Names
from longstop.fetch.politeness import PoliteFetcher
from longstop.fetch.snapshot import Fetcher
from longstop.ledger.match_ledger import LedgerLimits
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
from longstop.supervise.supervisor import SCRAPER_BUDGET, TOP_BUDGET, Supervisor
from longstop.watch import Watch


class EngineOptions(msgspec.Struct, frozen=True):
    pace: PaceLimits = PaceLimits()
    ledger: LedgerLimits = LedgerLimits()
    discovery_seconds: float = 15.0
    shutdown_seconds: float = 30.0
    measures_resources: bool = True


class EngineParts(msgspec.Struct, frozen=True):
    """What the engine is joined from; bootstrap decides which parts these are."""

    sources: tuple[Source, ...]
    fetcher: Fetcher
    store: Store
    clock: Clock
    bus: Signals


class Department:
    """Everything that belongs to one source."""

    def __init__(self, source: Source, engine: "Engine") -> None:
        parts = engine.parts
        self.source = source
        self.book = NameBook()
        self._engine = engine
        self._fetcher = PoliteFetcher(parts.fetcher, parts.clock, max_concurrent=source.manifest.max_concurrent)
        self._pipeline = Pipeline(source, self._fetcher, parts.store, parts.clock, parts.bus)
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
        self._engine.watch(scraper)


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

    def watch(self, scraper: Scraper) -> None:
        self._scrapers.start(scraper, self._stop)

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
