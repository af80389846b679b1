"""The engine: the tree of supervision, joined and running, and what others may ask of it.

`tree.py` is the list of what runs. What is asked from outside (a watchdog, an operator) is asked by match id.
"""

import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import InputError, LongstopError
from longstop.domain.match import MatchListing, MatchStatus, Names
from longstop.fetch.evidence import EvidenceStore
from longstop.fetch.snapshot import Fetcher
from longstop.fetch.source_fetcher import SourceFetcher
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.sources.contract import Source
from longstop.store.contract import Store
from longstop.supervise.archive import Archive
from longstop.supervise.assignment import Assignment
from longstop.supervise.budget import RestartBudget
from longstop.supervise.capture_pruning import CapturePruning
from longstop.supervise.department import Department, DepartmentParts, keep_settings
from longstop.supervise.options import EngineOptions
from longstop.supervise.resources import ResourceMeter
from longstop.supervise.roster import Admit, admit_all
from longstop.supervise.scheduler import Progress, Scheduler
from longstop.supervise.service import Service, Stop
from longstop.supervise.states import StateKeeping
from longstop.supervise.supervisor import Supervisor
from longstop.supervise.tree import ENGINE, TREE, Level, post_of
from longstop.supervise.turns import Turns
from longstop.supervise.watchdogs.beats import Beating, Beats
from longstop.watch import Watch

# Of the time that a shutdown may take. The rest is for what was cancelled, for the stores, the browsers and the API.
CYCLES_SHARE = 0.6
SAVING_SHARE = 0.05
UNWIND_SHARE = 0.2
# What cycles of a source that is switched off may take to end.
FINISH_SECONDS = 8.0


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
    chance: random.Random | None = None
    admit: Admit = admit_all
    reload: Callable[[], Awaitable[None]] = keep_settings


class Engine:
    def __init__(self, parts: EngineParts, options: EngineOptions) -> None:
        self.parts = parts
        self.options = options
        self._stop = Stop(parts.clock)
        self.beats = Beats(parts.clock)
        self._top = Supervisor(ENGINE, options.top_budget, parts.clock, parts.bus)
        self.scheduler = Scheduler(parts.clock, options.scheduler)
        self.turns = Turns()
        self._states = StateKeeping(parts.store, self.assignments, self._options, parts.clock, parts.bus)
        self._shared = DepartmentParts(
            store=parts.store,
            scheduler=self.scheduler,
            options=self._options,
            clock=parts.clock,
            bus=parts.bus,
            chance=parts.chance or random.Random(),
            evidence=parts.evidence,
            admit=parts.admit,
            reload=parts.reload,
            turns=self.turns,
        )
        parts.bus.subscribe(signals.SpoolFound, self._read_again)
        self.departments = tuple(
            Department(source, self._shared, parts.fetchers.get(name), parts.climbers.get(name))
            for source in parts.sources
            for name in (source.manifest.name,)
        )

    # Life.

    async def start(self, *others: Service) -> None:
        """`others` are services that bootstrap wants in the same tree."""
        services = self._services(others)
        for department in self.departments:
            await department.roster.resume(department.name, self.options.archive_seconds)
        self._start(services)

    def _start(self, services: Sequence[Service]) -> None:
        """In the order of the tree."""
        for post in TREE:
            for service in services:
                if post_of(service.name) is post:
                    heard = Beating(service, self.beats) if post.is_periodic else service
                    self._top.start(heard, self._stop, budget=self._budget(post.level))

    async def failure(self) -> LongstopError:
        """Waits for something that restarts could not mend."""
        return await self._top.escalated()

    def surrender(self, error: LongstopError) -> None:
        """Ends the process with this reason, as a failure does that restarts could not mend."""
        self._top.escalate(error)

    async def stop(self, reason: str) -> tuple[str, ...]:
        """Cycles are finished and what scrapers know is saved; what is not done in time is cancelled and named.

        It is saved at first too: whoever kills what takes too long to end takes nothing from us."""
        allowed = self.options.shutdown_seconds
        self._stop.ask(reason)
        await self._save_states(reason, max(1.0, SAVING_SHARE * allowed))
        late = await self._top.join(CYCLES_SHARE * allowed, UNWIND_SHARE * allowed)
        await self._save_states(reason, max(1.0, SAVING_SHARE * allowed))
        for assignment in self.assignments():
            assignment.scraper.stop("stopped")
        return (*late, *self.scheduler.late)

    async def _save_states(self, reason: str, seconds: float) -> None:
        """A store that hangs does not hold up the end."""
        try:
            async with self.parts.clock.timeout(seconds):
                await self._states.save(reason)
        except TimeoutError:
            return

    def reconfigure(self, options: EngineOptions) -> None:
        """Everybody asks for the options when they need them, so this is all there is to it."""
        self.options = options
        self.scheduler.limits = options.scheduler

    # What is read.

    def assignments(self) -> tuple[Assignment, ...]:
        return tuple(each for department in self.departments for each in department.roster.assignments)

    @property
    def is_off(self) -> bool:
        """No source is switched on, so nobody is watched; that was chosen."""
        return not any(department.roster.is_open for department in self.departments)

    def assignment(self, match_id: str) -> Assignment | None:
        return self._find(match_id)

    @property
    def watches(self) -> Sequence[Watch]:
        return [assignment.watch for assignment in self.assignments()]

    def names(self, source: str) -> Names:
        return next((found.book.names for found in self.departments if found.name == source), Names())

    def progress(self) -> Progress:
        return self.scheduler.progress()

    # What is asked for.

    def restart(self, match_id: str, reason: str) -> bool:
        """Make before break: a successor is tried out at once. False when there is nobody to replace now."""
        assignment = self._find(match_id)
        if assignment is None or not assignment.replace(reason):
            return False
        self.scheduler.hasten(match_id, self.parts.clock.monotonic())
        return True

    def kill(self, match_id: str, reason: str) -> bool:
        """The turn under way is cancelled and the match begins afresh."""
        assignment = self._find(match_id)
        if assignment is None:
            return False
        self.scheduler.cancel(match_id)
        assignment.kill(reason)
        self.scheduler.add(assignment, self.parts.clock.monotonic())
        return True

    async def pause(self, match_id: str, seconds: float, reason: str) -> bool:
        assignment = self._find(match_id)
        if assignment is None:
            return False
        self.scheduler.cancel(match_id)
        self.scheduler.add(assignment, await assignment.pause(seconds, reason))
        return True

    def wake(self, match_id: str) -> bool:
        """Ends a rest before its time."""
        assignment = self._find(match_id)
        if assignment is None or assignment.rests_until is None:
            return False
        assignment.wake()
        self.scheduler.hasten(match_id, self.parts.clock.monotonic())
        return True

    def hasten(self, match_id: str) -> None:
        """Looks at once, also in a break."""
        self.wake(match_id)
        self.scheduler.hasten(match_id, self.parts.clock.monotonic())

    async def drop(self, match_id: str, reason: str) -> bool:
        """No longer watched, until it is listed or asked for again."""
        department = self._department(match_id)
        assignment = department.roster.assignment(match_id) if department else None
        if department is None or assignment is None:
            return False
        self.scheduler.cancel(match_id)
        self.scheduler.remove(match_id)
        assignment.scraper.stop(reason)
        department.roster.rest(match_id, self.options.pause.pause_seconds)
        await department.pipeline.let_go(assignment.watch)
        return True

    async def begin(self, url: str) -> str:
        """A match that somebody names by its address; its id. What is watched already goes on."""
        for department in self.departments:
            try:
                ref = department.source.match_for_url(url)
            except InputError:
                continue
            listing = MatchListing(ref, ref.key, ("", ""), MatchStatus.UPCOMING)
            if self._find(ref.match_id) is None:
                await self.parts.admit(ref.match_id, partial(department.roster.take, [listing]))
            await department.roster.take([listing])
            return ref.match_id
        raise InputError(
            "No source that is switched on has an address like this.",
            hint="Give the address of a match page of one of: "
            + (", ".join(department.name for department in self.departments) or "none is on")
            + ".",
        )

    def choose_rung(self, match_id: str, rung: str) -> bool:
        """False where there is only one way. Raises an InputError for a rung that is not there."""
        department, assignment = self._department(match_id), self._find(match_id)
        if department is None or department.climber is None or assignment is None:
            return False
        department.climber.choose(assignment.watch.ref.key, rung)
        return True

    def department(self, name: str) -> Department | None:
        """Of a source; None when it was off from the start on."""
        return next((each for each in self.departments if each.name == name), None)

    async def add(self, source: Source, climber: SourceFetcher) -> None:
        """A source that was off so far is watched like the others from now on."""
        department = Department(source, self._shared, None, climber)
        self.departments = (*self.departments, department)
        await self._take_up(department)
        self._start(department.services())

    async def switch_on(self, department: Department) -> None:
        """What was under way when it was switched off goes on."""
        department.roster.is_open = True
        department.roster.forget_rests()
        await self._take_up(department)

    async def switch_off(self, department: Department, reason: str) -> None:
        """Nobody asks the source any more; what is stored stays. Cycles come to their end, and what scrapers know is
        saved: from that they go on."""
        department.roster.is_open = False
        leaving = department.roster.assignments
        try:
            await self.scheduler.finish([each.key for each in leaving], FINISH_SECONDS)
            await self._states.save_of(leaving, reason)
        finally:
            for assignment in leaving:
                await self.drop(assignment.key, reason)

    async def _take_up(self, department: Department) -> None:
        """What was under way goes on; where that is not known, as with the database away, the source stays off."""
        try:
            await department.roster.resume(department.name, self.options.archive_seconds)
        except BaseException:
            department.roster.is_open = False
            for assignment in department.roster.assignments:
                await self.drop(assignment.key, "the source could not be switched on")
            raise

    def renew_page(self, match_id: str) -> None:
        """A match with a page gets a fresh one, which shows before the old one goes."""
        department, assignment = self._department(match_id), self._find(match_id)
        if department is not None and department.climber is not None and assignment is not None:
            department.climber.renew_page(assignment.watch.ref.key)

    def discard_page(self, match_id: str) -> None:
        department, assignment = self._department(match_id), self._find(match_id)
        if department is not None and department.climber is not None and assignment is not None:
            department.climber.discard_page(assignment.watch.ref.key)

    def restart_service(self, name: str) -> bool:
        """Whoever does not come round is ended, and begun anew by his supervisor."""
        return self._top.restart(name)

    def gather(self) -> int:
        """Matches that nobody means to poll are due again, each at its place in the beat."""
        lost = [each for each in self.assignments() if not self.scheduler.has(each.key)]
        for assignment in lost:
            self.scheduler.add(assignment, assignment.rests_until or assignment.scraper.first_due())
        return len(lost)

    async def retire(self, assignment: Assignment) -> None:
        """Over for long: a last word to the record, and nobody asks for it any more."""
        department = self._department(assignment.key)
        if department is None:
            return
        self.scheduler.remove(assignment.key)
        department.roster.forget(assignment.key)
        assignment.scraper.stop("archived")
        await department.pipeline.step(assignment.watch, "aged", "stopped")
        await department.pipeline.let_go(assignment.watch)

    def _read_again(self, found: signals.SpoolFound) -> None:
        """What a ledger holds for durable may be gone with a record that was damaged: all of them go by the store."""
        for watch in self.watches if found.damaged else ():
            watch.forget_ledger()

    # How it is joined.

    def _options(self) -> EngineOptions:
        return self.options

    def _services(self, others: Iterable[Service]) -> list[Service]:
        parts = self.parts
        services: list[Service] = [
            self.scheduler,
            self._states,
            Archive(parts.store, self.assignments, self.retire, self._options, parts.clock, parts.bus),
            CapturePruning(parts.store, self._options, parts.clock, parts.bus),
            *others,
        ]
        if self.options.measures_resources:
            services.append(ResourceMeter(parts.clock, parts.bus))
        for department in self.departments:
            services += department.services()
        return services

    def _budget(self, level: Level) -> RestartBudget:
        return self.options.top_budget if level is Level.TOP else self.options.scraper_budget

    def _department(self, match_id: str) -> Department | None:
        return next((each for each in self.departments if each.roster.assignment(match_id)), None)

    def _find(self, match_id: str) -> Assignment | None:
        department = self._department(match_id)
        return department.roster.assignment(match_id) if department else None
