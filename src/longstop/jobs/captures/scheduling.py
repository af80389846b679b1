"""Captures every match ahead in time: finds them in the source's lists, looks at each when `plan` says, never after.

While the breaker of the source is open nothing is started; when it lets probes through, the matches that begin soonest
are the canaries. What has been captured and what comes next stands in the store, so a restart goes on where the process
before stopped.
"""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.capture_errors import CaptureError, SourceRestingError
from longstop.domain.errors import BrowserError, FetchError, LongstopError, PayloadError, StoreError
from longstop.domain.football import FootballEvent
from longstop.domain.football_record import FootballMatch
from longstop.jobs.captures.agenda import Agenda, Entry
from longstop.jobs.captures.fixtures import Numbering, days_ahead, is_ahead, match_told
from longstop.jobs.captures.known import known_or
from longstop.jobs.captures.lately import KEPT, LatelyBegun
from longstop.jobs.captures.service import CaptureParts, SofascoreScraperService
from longstop.observe import signals
from longstop.observe.signals import captures as facts

LOOK_SECONDS = 30.0
BUSY_SECONDS = 1.0
LIST_AGAIN_SECONDS = 60.0
STORE_AGAIN = timedelta(seconds=30)


class Stop(Protocol):
    """The wish to stop, as supervision hands it in."""

    @property
    def is_wanted(self) -> bool: ...

    async def pause(self, seconds: float) -> bool: ...


class CaptureScheduler:
    name = "captures"

    def __init__(self, service: SofascoreScraperService, parts: CaptureParts) -> None:
        self._service = service
        self._source = parts.source
        self._store = parts.store
        self._clock: Clock = parts.clock
        self._bus = parts.bus
        self._options = parts.options
        self._agenda = Agenda()
        self._lately = LatelyBegun()
        self._numbering = Numbering(parts.source.manifest.name, parts.store)
        self._running: set[asyncio.Task[None]] = set()
        self._list_at = float("-inf")
        self._bus.subscribe(facts.KickoffMoved, lambda moved: self._agenda.move(int(moved.match_id), moved.after))

    @property
    def matches(self) -> int:
        """How many lie ahead."""
        return len(self._agenda)

    async def run(self, stop: Stop) -> None:
        await self._restore()
        try:
            while not stop.is_wanted:
                await self._turn()
                if await stop.pause(self._wait_seconds()):
                    return
        finally:
            await self._end()

    async def _turn(self) -> None:
        self._require_well()
        self._forget_begun()
        if self._clock.monotonic() >= self._list_at:
            await self._list()
        self._start_due()

    def _require_well(self) -> None:
        """A fault of our own ends the service, and supervision begins it anew."""
        for task in [task for task in self._running if task.done()]:
            self._running.discard(task)
            task.result()

    async def _end(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()

    # ---- what is known ----

    async def _restore(self) -> None:
        now = self._clock.now()
        nothing: Sequence[FootballMatch] = ()
        until = now + self._window
        matches = await known_or(
            nothing, self._store, lambda store: store.football_matches(kickoff_from=now - KEPT, kickoff_until=until)
        )
        known = [match for match in matches if match.source == self._source.manifest.name]
        self._lately.put(match for match in known if match.kickoff_at < now)
        ours = [match for match in known if match.kickoff_at >= now]
        self._numbering.adopt(ours)
        for match in ours:
            self._agenda.put(match)
        if self._store is not None and ours:
            for progress in await self._store.capture_progresses(now, until):
                self._agenda.note(progress)

    @property
    def _window(self) -> timedelta:
        return timedelta(seconds=self._options().window_seconds)

    def _forget_begun(self) -> None:
        now = self._clock.now()
        begun = self._agenda.drop_begun(now)
        for match in begun:
            self._service.forget(match.match_id)
            self._numbering.forget(match.source_event_id)
        self._lately.put(begun)
        self._lately.forget_old(now)

    # ---- what lies ahead ----

    async def _list(self) -> None:
        """While the breaker is not shut there is no call to spare for it."""
        if not self._service.circuit.is_closed:
            return
        began, new = self._clock.monotonic(), 0
        self._list_at = began + self._options().list_seconds
        for day in self._days():
            told = await self._listed(day)
            if told is None:
                self._list_at = self._clock.monotonic() + LIST_AGAIN_SECONDS
                break
            new += await self._adopt(told)
        took = self._clock.monotonic() - began
        self._bus.emit(
            facts.FixturesListed(
                at=self._clock.now(),
                source=self._source.manifest.name,
                matches=len(self._agenda),
                new=new,
                duration_seconds=took,
            )
        )

    def _days(self) -> tuple[date, ...]:
        now = self._clock.now()
        ahead = tuple(days_ahead(now, self._window))
        return (*ahead, *(day for day in self._lately.days(now.date()) if day not in ahead))

    async def _listed(self, day: date) -> tuple[FootballEvent, ...] | None:
        try:
            return await self._service.resolving.listed(day)
        except (FetchError, BrowserError, PayloadError, SourceRestingError) as error:
            self._tell(error, "listing")
            return None

    async def _adopt(self, events: tuple[FootballEvent, ...]) -> int:
        now, options, new = self._clock.now(), self._options(), list[FootballMatch]()
        for event in events:
            await self._correct(event)
            number = await self._numbering.number_of(event)
            known = None if number is None else self._agenda.entry(number)
            if known is not None:
                await self._compare(known, event)
            elif number is not None and is_ahead(event, now, self._window, options.tournaments):
                name = self._source.manifest.name
                new.append(match_told(number, event, name, self._source.base_url, now))
        await self._put(new)
        return len(new)

    async def _correct(self, event: FootballEvent) -> None:
        """Of a match that has begun by what we knew: what was captured after its true kickoff is flagged."""
        begun = self._lately.moved(event)
        if begun is not None and event.kickoff is not None:
            await self._service.note_kickoff(begun.match_id, event.kickoff)
            self._lately.put((msgspec.structs.replace(begun, kickoff_at=event.kickoff),))

    async def _compare(self, known: Entry, event: FootballEvent) -> None:
        """One that was put off or called off is looked at no more, unless a list shows it again."""
        if event.kickoff is not None and event.kickoff != known.match.kickoff_at:
            await self._service.note_kickoff(known.match.match_id, event.kickoff)
            self._agenda.move(known.match.match_id, event.kickoff)
        if not is_ahead(event, self._clock.now(), self._window, ()) and not known.is_under_way:
            self._agenda.drop((known.match.match_id,))

    async def _put(self, matches: list[FootballMatch]) -> None:
        if not matches:
            return
        try:
            await self._service.keep_matches(tuple(matches))
        except StoreError as error:
            self._tell(error, "listing")
        for match in matches:
            self._agenda.put(match)
            progress = await self._service.progress(match.match_id)
            if progress is not None:
                self._agenda.note(progress)

    # ---- what is due ----

    def _start_due(self) -> None:
        options, now = self._options(), self._clock.now()
        for entry in self._agenda.due(now, self._window):
            if len(self._running) >= options.at_once or not self._service.circuit.would_admit:
                return
            entry.is_under_way = True
            task = asyncio.create_task(self._capture(entry), name=f"capture {entry.match.match_id}")
            self._running.add(task)

    async def _capture(self, entry: Entry) -> None:
        try:
            await self._service.capture(entry.fixture(self._clock.now()))
        except CaptureError:
            return  # told by the service; where nothing was sent, it stays due and waits for the breaker
        except StoreError as error:
            entry.not_before = self._clock.now() + STORE_AGAIN
            self._tell(error, "capture")
        finally:
            entry.is_under_way = False
            noted = self._service.noted(entry.match.match_id)
            entry.progress = noted or entry.progress

    def _wait_seconds(self) -> float:
        """Until something is due; meanwhile it is looked whether what is under way has ended."""
        if self._running:
            return BUSY_SECONDS
        circuit = self._service.circuit
        if not circuit.would_admit:
            return max(BUSY_SECONDS, min(circuit.retry_in_seconds, LOOK_SECONDS))
        due = self._agenda.next_at(self._clock.now(), self._window)
        until_due = LOOK_SECONDS if due is None else _seconds(due - self._clock.now())
        until_list = self._list_at - self._clock.monotonic()
        return max(0.05, min(LOOK_SECONDS, until_due, max(BUSY_SECONDS, until_list)))

    def _tell(self, error: LongstopError, operation: str) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation=f"{self.name}: {operation}",
            )
        )


def _seconds(span: timedelta) -> float:
    return max(0.0, span.total_seconds())
