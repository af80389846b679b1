"""`SofascoreScraperService`: captures one match before kickoff, with S3's signature and guarantees.

    service = SofascoreScraperService(CaptureParts(source, visitor, clock))
    result = await service.scrape_match(match_id=7, kickoff_utc=kickoff, home_team="Reds", away_team="Blues")

`captured_at < kickoff_utc`, always: at or after kickoff it raises AfterKickoffError, before anything is sent and again
after it came. What cannot be captured raises CaptureFailedError with a reason; a match that is not one match of the
source beyond doubt a FixtureError; while the source rests SourceRestingError.
"""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.capture import AttemptState, CapturePriority, Fixture, ScrapeResult
from longstop.domain.capture_errors import (
    AfterKickoffError,
    CaptureError,
    CaptureFailedError,
    OtherMatchError,
    SourceRestingError,
)
from longstop.domain.errors import (
    BrowserError,
    EmptyPayloadError,
    FetchError,
    InputError,
    MatchGoneError,
    PayloadError,
    RecordRefusedError,
    SchemaBreakError,
    SourceTimeoutError,
)
from longstop.domain.football_record import CaptureProgress, FootballMatch
from longstop.fetch.snapshot import Snapshot
from longstop.fetch.visits.visit import Visit, Visitor
from longstop.jobs.captures import plan
from longstop.jobs.captures.attempts import Attempts
from longstop.jobs.captures.breaks import Breaks
from longstop.jobs.captures.circuit import Circuit
from longstop.jobs.captures.judging import Captured, is_empty, judged, require_before
from longstop.jobs.captures.keeping import Keeping, later
from longstop.jobs.captures.options import CaptureOptions, Options
from longstop.jobs.captures.records import result_of
from longstop.jobs.captures.resolving import Resolving, not_looked_up
from longstop.jobs.captures.run import Run
from longstop.observe.signals import ErrorRaised, Signals
from longstop.observe.signals import captures as facts
from longstop.sources.sofascore import SofascoreReader
from longstop.sources.sofascore.normalized import NORMALIZED
from longstop.store.contract import Store

_SUCCESS, _SKIPPED = "success", "skipped"
_LINEUPS = "lineups"
NUMBER_MAX: Final = 2**63 - 1
# Of how far the match is: nothing was sent, or it is another match that has the number.
_SAYS_NOTHING = (SourceRestingError, OtherMatchError)


@dataclass(slots=True)
class CaptureParts:
    """What the service is made of; only the first three have no default. Without a store nothing is kept."""

    source: SofascoreReader
    visitor: Visitor
    clock: Clock
    store: Store | None = None
    bus: Signals = field(default_factory=Signals)
    options: Options = CaptureOptions
    chance: random.Random = field(default_factory=random.Random)
    circuit: Circuit | None = None


class SofascoreScraperService:
    def __init__(self, parts: CaptureParts) -> None:
        self._source = parts.source.manifest.name
        self._clock, self._bus, self._options = parts.clock, parts.bus, parts.options
        self.circuit = parts.circuit or Circuit(self._source, parts.clock, parts.bus)
        self._visitor = parts.visitor
        self._breaks = Breaks(self._source, parts.clock, parts.bus)
        self._keeping = Keeping(parts.store, parts.bus)
        self._noted: dict[int, CaptureProgress] = {}
        self.resolving = Resolving(
            parts.source, parts.visitor, self.circuit, parts.store, parts.clock, parts.options, parts.chance
        )
        self._attempts = Attempts(
            parts.source, parts.visitor, self.circuit, parts.clock, parts.bus, parts.options, parts.chance
        )

    async def scrape_match(
        self,
        *,
        match_id: int,
        kickoff_utc: datetime,
        home_team: str,
        away_team: str,
        league_id: int | None = None,
        season: int | None = None,
        priority: str = "normal",
    ) -> ScrapeResult:
        fixture = Fixture(
            match_id=_number(match_id),
            kickoff_utc=_utc(kickoff_utc),
            home_team=home_team,
            away_team=away_team,
            league_id=league_id,
            season=season,
            priority=_priority(priority),
        )
        return await self.capture(fixture)

    async def capture(self, fixture: Fixture) -> ScrapeResult:
        """The same for a fixture whose match at the source may be known already."""
        run = Run(fixture)
        try:
            require_before(fixture.kickoff_utc, self._clock.now())
            run.fixture = await self.resolving.resolved(run)
            captured = await self._attempts.capture(run, self._judge, self._keep)
        except CaptureError as error:
            await self._skip(run, error)
            raise
        except (FetchError, BrowserError, PayloadError) as error:
            failed = not_looked_up(run.fixture, error, run.lookups)
            await self._skip(run, failed)
            raise failed from error
        return result_of(captured)

    # ---- for the scheduler ----

    def noted(self, match_id: int) -> CaptureProgress | None:
        """How far the match is, as far as this process has seen."""
        return self._noted.get(match_id)

    async def progress(self, match_id: int) -> CaptureProgress | None:
        return self._noted.get(match_id) or await self._keeping.progress(match_id)

    def forget(self, match_id: int) -> None:
        self._noted.pop(match_id, None)
        self._breaks.forget(match_id)

    async def note_kickoff(self, match_id: int, kickoff: datetime) -> None:
        await self._keeping.note_kickoff(match_id, kickoff, self._clock.now())

    async def keep_matches(self, matches: tuple[FootballMatch, ...]) -> None:
        await self._keeping.keep_matches(matches)

    async def close(self) -> None:
        await self._visitor.close()

    # ---- one visit ----

    async def _judge(self, run: Run, visit: Visit) -> Captured:
        """Raw first: what cannot be read now may be read once the reading is mended."""
        if self._options().keeps_raw:
            await self._keeping.keep_raw(run.fixture.match_id, visit.snapshots)
        try:
            told = await self._without_nothing(run, visit)
            return judged(run.fixture, told, partial(self._breaks.kept, run.fixture.match_id))
        except AfterKickoffError as error:
            if error.kickoff_at is not None:
                await self._keeping.note_kickoff(run.fixture.match_id, error.kickoff_at, self._clock.now())
            raise
        except SchemaBreakError as error:
            self._breaks.broke(run.fixture.match_id, error)
            await self._keeping.quarantine(run, visit.snapshots, error)
            raise

    async def _without_nothing(self, run: Run, visit: Visit) -> dict[str, Snapshot]:
        """Some line-ups are empty until they are published. Once they were seen, an empty answer is a failure."""
        _require_whole(visit, self._options().families)
        told, lineups = dict(visit.snapshots), visit.snapshots.get(_LINEUPS)
        is_nothing = isinstance(visit.refusals.get(_LINEUPS), EmptyPayloadError)
        if is_nothing or (lineups is not None and is_empty(lineups)):
            if await self._keeping.has_lineups(run.fixture.match_id):
                raise EmptyPayloadError("The line-ups were there before, and the answer is empty.")
            told.pop(_LINEUPS, None)
        return told

    async def _keep(self, run: Run, captured: Captured) -> None:
        try:
            is_news = await self._keeping.keep(run, captured)
        except RecordRefusedError as error:
            await self._hold(run, captured, error)
            raise
        run.step("stored")
        await self._note(run, self._success(run, captured), captured.kickoff)
        self._bus.emit(self._told(run, captured, is_news=is_news))

    async def _hold(self, run: Run, captured: Captured, error: RecordRefusedError) -> None:
        """It keeps its contract, and yet the store cannot keep it: told loudly, and put aside."""
        await self._keeping.hold(run, captured.captured_at, captured.shas, error)
        self._bus.emit(
            ErrorRaised(
                at=self._clock.now(),
                severity="CRITICAL",
                match_id=str(run.fixture.match_id),
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation="captures: keep",
            )
        )

    def _told(self, run: Run, captured: Captured, *, is_news: bool) -> facts.MatchCaptured:
        lineups = captured.report.lineups
        return facts.MatchCaptured(
            at=self._clock.now(),
            source=self._source,
            run_id=run.run_id,
            match_id=str(run.fixture.match_id),
            source_event_id=captured.event.key,
            schema_version=NORMALIZED,
            captured_at=captured.captured_at,
            kickoff_at=captured.kickoff,
            integrity=captured.integrity,
            is_confirmed=lineups is not None and lineups.is_confirmed,
            is_news=is_news,
            league_id=run.fixture.league_id,
            null_rate_max=self._options().null_rate_max,
        )

    # ---- how far the match is ----

    async def _skip(self, run: Run, error: CaptureError) -> None:
        self._bus.emit(
            facts.CaptureSkipped(
                at=self._clock.now(),
                source=self._source,
                match_id=str(run.fixture.match_id),
                reason=error.reason,
                message=error.message,
                hint=error.hint,
            )
        )
        if not isinstance(error, _SAYS_NOTHING):
            await self._note(run, self._failure(run, error), run.fixture.kickoff_utc)

    async def _note(self, run: Run, told: CaptureProgress, kickoff: datetime) -> None:
        before = await self.progress(run.fixture.match_id)
        whole = later(before, told, None)
        is_over = told.reason == AfterKickoffError.reason
        looked = plan.Looked(told.updated_at, whole.confirmed_at, is_hard=told.status == "hard_fail")
        due = None if is_over else plan.next_look(kickoff, told.updated_at, looked)
        self._noted[run.fixture.match_id] = noted = msgspec.structs.replace(whole, next_at=due)
        await self._keeping.keep_progress(noted)

    def _success(self, run: Run, captured: Captured) -> CaptureProgress:
        lineups = captured.report.lineups
        is_confirmed = lineups is not None and lineups.is_confirmed and not captured.integrity.xi_missing
        return msgspec.structs.replace(
            self._progress(run, _SUCCESS, ""),
            state=AttemptState.DONE,  # told with this very row
            captures=1,
            schema_version=NORMALIZED,
            captured_at=captured.captured_at,
            confirmed_at=captured.captured_at if is_confirmed else None,
        )

    def _failure(self, run: Run, error: CaptureError) -> CaptureProgress:
        status = f"{error.severity}_fail" if isinstance(error, CaptureFailedError) else _SKIPPED
        return self._progress(run, status, error.reason)

    def _progress(self, run: Run, status: str, reason: str) -> CaptureProgress:
        return CaptureProgress(
            match_id=run.fixture.match_id,
            source=self._source,
            updated_at=self._clock.now(),
            state=run.state,
            status=status,
            reason=reason,
            attempts=run.attempt or run.lookups,
            bytes_in=run.bytes_in,
            exit_hash=run.exit.proxy_hash,
        )


def _require_whole(visit: Visit, families: tuple[str, ...]) -> None:
    """A family may be not published yet; any other reason why it did not come is tried again."""
    for family in families:
        error = visit.refusals.get(family)
        is_awaited = isinstance(error, MatchGoneError) or (family == _LINEUPS and isinstance(error, EmptyPayloadError))
        if error is not None and not is_awaited:
            raise error
        if error is None and family not in visit.snapshots:
            raise SourceTimeoutError(f"The page did not ask for {family}.")


def _number(match_id: int) -> int:
    if not 0 < match_id <= NUMBER_MAX:
        raise InputError(f"{str(match_id)[:25]} is no number of a match.", hint=f"Give one from 1 to {NUMBER_MAX}.")
    return match_id


def _utc(moment: datetime) -> datetime:
    """S3 hands in naive UTC as well as aware moments."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _priority(word: str) -> CapturePriority:
    try:
        return CapturePriority(word)
    except ValueError:
        raise InputError(f"{word[:20]!r} is no priority.", hint="Give normal or high.") from None
