"""Our match and the source's: looked up where it was found before, found in the lists of its day otherwise."""

import asyncio
import random
from datetime import date, timedelta
from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.capture import Fixture
from longstop.domain.capture_errors import CaptureError, CaptureFailedError, OtherMatchError, TakenEventError
from longstop.domain.capture_failures import Severity, ruling
from longstop.domain.errors import BrowserError, FetchError, LongstopError, PayloadError
from longstop.domain.football import FootballEvent
from longstop.domain.football_record import FootballMatch
from longstop.fetch.visits.visit import Visitor
from longstop.jobs.captures.circuit import Circuit
from longstop.jobs.captures.finding import (
    days_of,
    found_among,
    is_known_as,
    sure_among,
    teams_alike,
    unlisted,
)
from longstop.jobs.captures.known import known_or
from longstop.jobs.captures.listing import read_list
from longstop.jobs.captures.names import Likeness
from longstop.jobs.captures.options import CaptureOptions, Options
from longstop.jobs.captures.pauses import pause_seconds, times_in_a_row
from longstop.jobs.captures.run import Run
from longstop.sources.sofascore import SofascoreReader, requests
from longstop.store.contract import Store

_RIVALS: Final = (FetchError, BrowserError, PayloadError)


def not_looked_up(fixture: Fixture, error: LongstopError, attempts: int) -> CaptureFailedError:
    """The list of its day did not come, so nobody knows which match of the source it is."""
    found = ruling(error)
    return CaptureFailedError(
        f"{fixture.home_team} - {fixture.away_team} was not looked up in {attempts} attempts: {error.message}",
        reason=found.reason,
        severity=found.severity.value,
        attempts=attempts,
        cause=error,
        hint=error.hint,
    )


def _require_same_teams(fixture: Fixture, known: FootballMatch) -> None:
    if teams_alike(fixture, known.home_team, known.away_team) is Likeness.NONE:
        raise _other(fixture, known)


def _other(fixture: Fixture, known: FootballMatch) -> OtherMatchError:
    told = f"{known.home_team} - {known.away_team} of {known.kickoff_at:%Y-%m-%d %H:%M} UTC"
    return OtherMatchError(
        f"Match {known.match_id} is {told} here, "
        f"not {fixture.home_team} - {fixture.away_team} of {fixture.kickoff_utc:%Y-%m-%d %H:%M} UTC."
    )


class Resolving:
    """Every list is a call to the source, and counts as one for its breaker. One that does not come is asked for again
    as a match is: by another exit, where the failure is one of the exit."""

    def __init__(
        self,
        source: SofascoreReader,
        visitor: Visitor,
        circuit: Circuit,
        store: Store | None,
        clock: Clock,
        options: Options = CaptureOptions,
        chance: random.Random | None = None,
    ) -> None:
        self._source = source
        self._visitor = visitor
        self._circuit = circuit
        self._store = store
        self._clock = clock
        self._options = options
        self._chance = chance or random.Random()

    async def resolved(self, run: Run) -> Fixture:
        """The fixture with the source's own number. Raises a FixtureError where that is not beyond doubt."""
        fixture = run.fixture
        if fixture.event_key:
            return fixture
        known = await known_or(None, self._store, lambda store: store.football_match(fixture.match_id))
        if known is not None:
            _require_same_teams(fixture, known)
        if known is not None and is_known_as(fixture, known):
            return msgspec.structs.replace(fixture, event_key=known.source_event_id, page=fixture.page or known.page)
        return await self._looked_up(run, known)

    async def _looked_up(self, run: Run, known: FootballMatch | None) -> Fixture:
        """`known` has the number already, with another kickoff: only a list can tell that it was moved."""
        fixture, event = run.fixture, await self._found(run)
        if known is not None and event.key != known.source_event_id:
            raise _other(fixture, known)
        await self._require_free(fixture, event)
        page = fixture.page or requests.page(self._source.base_url, event)
        return msgspec.structs.replace(fixture, event_key=event.key, page=page)

    async def _found(self, run: Run) -> FootballEvent:
        fixture = run.fixture
        days, read = days_of(fixture.kickoff_utc), list[date]()
        events: list[FootballEvent] = []
        for day in days:
            events.extend(await self._listed(day, run))
            read.append(day)
            found = sure_among(fixture, events, read)
            if found is not None:
                return found
        found = found_among(fixture, events)
        if found is None:
            raise unlisted(fixture, days)
        return found

    async def _listed(self, day: date, run: Run) -> tuple[FootballEvent, ...]:
        failures: list[str] = []
        while True:
            run.lookups += 1
            try:
                return await self.listed(day)
            except _RIVALS as error:
                found = ruling(error)
                found = ruling(error, times_in_a_row(found.reason, failures))
                failures.append(found.reason)
                delay = pause_seconds(self._options(), len(failures), error, self._chance)
                is_last = len(failures) >= self._options().attempts_max or self._ends_before(run, delay)
                if is_last or found.severity is Severity.HARD:
                    raise
            await self._clock.sleep(delay)

    def _ends_before(self, run: Run, delay: float) -> bool:
        return self._clock.now() + timedelta(seconds=delay) >= run.fixture.kickoff_utc

    async def _require_free(self, fixture: Fixture, event: FootballEvent) -> None:
        name = self._source.manifest.name
        holder = await known_or(None, self._store, lambda store: store.football_match_of(name, event.key))
        if holder is not None and holder.match_id != fixture.match_id:
            raise TakenEventError(
                f"Event {event.key} of {self._source.manifest.name} is match {holder.match_id} here, not "
                f"{fixture.match_id}."
            )

    async def listed(self, day: date) -> tuple[FootballEvent, ...]:
        """Raises SourceRestingError unless the breaker is shut: its few probes are for captures."""
        self._circuit.require_closed()
        permit = self._circuit.admit()
        asked = requests.scheduled(self._source.base_url, day)
        try:
            events = read_list(await self._visitor.list(asked, self._circuit.gate(permit)))
        except _RIVALS as error:
            if ruling(error).is_ours:
                self._circuit.give_back(permit)
            else:
                self._circuit.judge(permit, is_success=False)
            raise
        except (CaptureError, asyncio.CancelledError):
            self._circuit.give_back(permit)
            raise
        self._circuit.judge(permit, is_success=True)
        return events
