"""A table set for scraping: one match on the real scheduler, with a pipeline that does as it is told."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from longstop.domain.errors import MalformedPayloadError, MatchGoneError, SourceFailingError, SourceThrottledError
from longstop.domain.match import MatchListing, MatchStatus
from longstop.domain.scraper_state import ScraperState
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe import signals
from longstop.pipeline import Outcome, OutcomeKind
from longstop.resilience.retry import RetryPolicy
from longstop.supervise.assignment import Assignment
from longstop.supervise.options import EngineOptions
from longstop.supervise.scheduler import Scheduler
from longstop.supervise.scraper import Scraper, ScraperParts
from longstop.supervise.service import Stop
from longstop.watch import Watch
from tests.cricket import REF
from tests.virtual import Heard, noon_clock

CLOCK = noon_clock()
UPDATED = Outcome(OutcomeKind.UPDATED)
UNCHANGED = Outcome(OutcomeKind.UNCHANGED)
GONE = Outcome(OutcomeKind.GONE, error=MatchGoneError("Gone."))
FAILED = Outcome(OutcomeKind.FAILED, error=SourceFailingError("It broke."))
CHANGED = Outcome(OutcomeKind.UPDATED, is_changed=True)
_BROKEN = MalformedPayloadError("No selector found the score.")
_BROKEN.evidence = ("error_pages/x.html",)
UNREADABLE = Outcome(OutcomeKind.FAILED, error=_BROKEN)
HELD = Outcome(OutcomeKind.HELD, reasons=("older",))


def throttled(seconds: float) -> Outcome:
    return Outcome(OutcomeKind.THROTTLED, error=SourceThrottledError("Slow.", retry_after_seconds=seconds))


def in_play(number: int) -> Outcome:
    """Something new at each fourth look: neither a break nor busy."""
    return CHANGED if number % 4 == 0 else UNCHANGED


class Script:
    """Stands in for the pipeline: says what it is told to, as slowly as it is told to."""

    def __init__(self, outcome: Callable[[int], Outcome], seconds: float = 0.0) -> None:
        self.polled_at: list[float] = []
        self.polled_by: list[str] = []
        self.concluded = 0
        self.begun_afresh = 0
        self.shut_for: list[str] = []
        self.steps: list[str] = []
        self.saved: tuple[ScraperState, ...] = ()
        self._outcome = outcome
        self._seconds = seconds

    async def poll(self, watch: Watch) -> Outcome:
        self.polled_at.append(CLOCK.monotonic())
        self.polled_by.append(watch.scraper_id)
        await CLOCK.sleep(self._seconds)
        outcome = self._outcome(len(self.polled_at))
        watch.polled(outcome.is_success, CLOCK.now())
        return outcome

    async def conclude(self, watch: Watch) -> None:
        self.concluded += 1

    def shut(self, watch: Watch, reason: str) -> None:
        self.shut_for.append(reason)

    async def afresh(self, watch: Watch) -> None:
        self.begun_afresh += 1

    async def step(self, watch: Watch, event: str, scraper_status: str, known: tuple[ScraperState, ...] = ()) -> None:
        self.steps.append(event)
        self.saved += known
        watch.advance(event)


class Run:
    """One match on the scheduler, with a pipeline that does as told and a source that answers or not."""

    def __init__(self, script: Script, status: MatchStatus = MatchStatus.LIVE, is_answering: bool = True) -> None:
        self.heard = Heard()
        self.script = script
        self.options = EngineOptions(retry=RetryPolicy(base_seconds=2.0))
        self.is_answering = is_answering
        self.asked = 0
        pipeline: Any = script
        self.parts = ScraperParts(pipeline, lambda: self.options, CLOCK, self.heard.bus, Random(1), self.answers)
        listing = MatchListing(REF, "A v B", ("CD", "EF"), status)
        self.watch = Watch(listing, "scraper-1", CLOCK.now(), LedgerLimits())
        self.gone: list[str] = []
        self.reloads = 0
        self.assignment = Assignment(Scraper(self.watch, self.parts), self.parts, self)
        self.scheduler = Scheduler(CLOCK)
        self.stop = Stop(CLOCK)

    async def answers(self) -> bool:
        self.asked += 1
        return self.is_answering

    def scraper(self, watch: Watch, prior: ScraperState | None) -> Scraper:
        lives = len(self.heard.of(signals.ScraperStarted)) + 1
        fresh = Watch(watch.listing, f"scraper-{lives}", CLOCK.now(), LedgerLimits(), watch.state, prior)
        return Scraper(fresh, self.parts)

    def ended(self, match_id: str) -> None:
        self.gone.append(match_id)

    async def reload(self) -> None:
        self.reloads += 1

    def begin(self) -> "asyncio.Task[None]":
        self.scheduler.add(self.assignment, CLOCK.monotonic())
        return asyncio.create_task(self.scheduler.run(self.stop))

    async def for_seconds(self, seconds: float) -> list[float]:
        task = self.begin()
        await asyncio.wait([task], timeout=seconds)
        self.stop.ask("the test is over")
        await task
        return self.script.polled_at

    @property
    def paces(self) -> list[tuple[float, str]]:
        return [(told.seconds, told.reason) for told in self.heard.of(signals.PaceChanged)]
