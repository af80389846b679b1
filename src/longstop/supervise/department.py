"""Everything that belongs to one source: its discovery, its names, its matches and their scrapers."""

import random
import uuid
from collections.abc import Awaitable, Callable

import msgspec

from longstop.capturing import Shelf
from longstop.clock import Clock
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchListing
from longstop.domain.scraper_state import ScraperState
from longstop.fetch.evidence import EvidenceStore
from longstop.fetch.politeness import PoliteFetcher
from longstop.fetch.snapshot import Fetcher
from longstop.fetch.source_fetcher import SourceFetcher
from longstop.observe.signals import Signals
from longstop.pipeline import Pipeline
from longstop.sources.contract import Source
from longstop.store.contract import Store
from longstop.supervise.assignment import Assignment
from longstop.supervise.control import SourceControl
from longstop.supervise.discovery import Discovery
from longstop.supervise.gap_keeping import GapKeeping
from longstop.supervise.naming import NameBook, Naming
from longstop.supervise.options import Options
from longstop.supervise.roster import Admit, Roster, admit_all
from longstop.supervise.scheduler import Scheduler
from longstop.supervise.scraper import Scraper, ScraperParts
from longstop.supervise.service import Service
from longstop.supervise.turns import Turns
from longstop.watch import Watch


async def keep_settings() -> None:
    """Where nobody reads the settings again."""


class DepartmentParts(msgspec.Struct, frozen=True):
    """What departments share. `climber` knows several ways to the source; without one there is only `fetcher`."""

    store: Store
    scheduler: Scheduler
    options: Options
    clock: Clock
    bus: Signals
    chance: random.Random
    evidence: EvidenceStore | None = None
    admit: Admit = admit_all
    reload: Callable[[], Awaitable[None]] = keep_settings
    turns: Turns = msgspec.field(default_factory=Turns)


class Department:
    def __init__(
        self, source: Source, parts: DepartmentParts, fetcher: Fetcher | None, climber: SourceFetcher | None
    ) -> None:
        self.source = source
        self.book = NameBook()
        self.climber = climber
        self._parts = parts
        self._fetcher: Fetcher = climber or PoliteFetcher(
            _required(fetcher, source), parts.clock, max_concurrent=source.manifest.max_concurrent
        )
        shelf = Shelf(parts.store, lambda: parts.options().has_captures)
        pipeline = Pipeline(source, self._fetcher, parts.store, parts.clock, parts.bus, climber, parts.evidence, shelf)
        self.pipeline = pipeline
        control = SourceControl(source, self._fetcher, parts.clock)
        self._scraping = ScraperParts(
            pipeline,
            parts.options,
            parts.clock,
            parts.bus,
            parts.chance,
            control.is_answering,
            control.lists_as_live,
            parts.turns,
        )
        self.roster = Roster(parts.store, self._begin, parts.clock, parts.bus, parts.admit)
        parts.scheduler.set_places(source.manifest.name, places_of(source))

    @property
    def name(self) -> str:
        return self.source.manifest.name

    def services(self) -> tuple[Service, ...]:
        parts = self._parts
        return (
            Discovery(
                self.source,
                self._fetcher,
                self.roster.take,
                parts.options,
                parts.clock,
                parts.bus,
                lambda: self.roster.is_open,
            ),
            Naming(
                self.source,
                self._fetcher,
                parts.store,
                self.book,
                lambda: (assignment.watch.codes for assignment in self.roster.assignments),
                parts.clock,
                parts.bus,
            ),
            GapKeeping(self.name, self.pipeline, lambda: self.roster.assignments),
        )

    # What assignments ask of their household.

    def scraper(self, watch: Watch, prior: ScraperState | None) -> Scraper:
        listing = msgspec.structs.replace(watch.listing, status=watch.status)
        return Scraper(self._watch(listing, watch.state, prior), self._scraping)

    def ended(self, match_id: str) -> None:
        """The site has dropped the match; should it list it again, it is taken in again, but not at once."""
        self.roster.rest(match_id, self._parts.options().not_found_seconds)

    async def reload(self) -> None:
        await self._parts.reload()

    def _begin(self, listing: MatchListing, state: MatchState, prior: ScraperState | None) -> Assignment:
        scraper = Scraper(self._watch(listing, state, prior), self._scraping)
        assignment = Assignment(scraper, self._scraping, self)
        if prior is not None:
            assignment.go_on_resting(prior.rest_seconds(self._parts.clock.now()))
        self._parts.scheduler.add(assignment, assignment.rests_until or scraper.first_due())
        return assignment

    def _watch(self, listing: MatchListing, state: MatchState, prior: ScraperState | None) -> Watch:
        scraper_id = str(uuid.UUID(int=self._parts.chance.getrandbits(128), version=4))
        return Watch(listing, scraper_id, self._parts.clock.now(), self._parts.options().ledger, state, prior)


def places_of(source: Source) -> int:
    """Turns of one source under way at once: as many as may call, and as many again that write meanwhile."""
    return 2 * source.manifest.max_concurrent


def _required(fetcher: Fetcher | None, source: Source) -> Fetcher:
    if fetcher is None:
        raise LookupError(f"nobody fetches for {source.manifest.name}")
    return fetcher
