"""Attempt after attempt until a match is captured, or until no attempt would help. Drives the machine CAPTURE_ATTEMPT.

Each attempt needs a permit of the source's breaker and ends in exactly one verdict: for the breaker, for the session of
the exit, and for whoever reads the log.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta

from longstop.clock import Clock
from longstop.domain.capture_errors import AfterKickoffError, CaptureFailedError, SourceRestingError
from longstop.domain.capture_failures import Ruling, Severity, ruling
from longstop.domain.errors import BrowserError, FetchError, LongstopError, PayloadError, RecordRefusedError
from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.visits.visit import Visit, Visitor, VisitOrder
from longstop.jobs.captures.circuit import Circuit
from longstop.jobs.captures.judging import Captured, require_before
from longstop.jobs.captures.options import Options
from longstop.jobs.captures.pauses import pause_seconds
from longstop.jobs.captures.run import Run
from longstop.observe.signals import Signals
from longstop.observe.signals import captures as facts
from longstop.resilience.breaker import Permit
from longstop.sources.sofascore import SofascoreReader, requests

Judge = Callable[[Run, Visit], Awaitable[Captured]]
Store = Callable[[Run, Captured], Awaitable[None]]
CALLS = {
    "event": requests.event,
    "lineups": requests.lineups,
    "statistics": requests.statistics,
    "incidents": requests.incidents,
}
_OUR_RIVALS = (FetchError, BrowserError, PayloadError, RecordRefusedError)


class Attempts:
    def __init__(
        self,
        source: SofascoreReader,
        visitor: Visitor,
        circuit: Circuit,
        clock: Clock,
        bus: Signals,
        options: Options,
        chance: random.Random,
    ) -> None:
        self._source = source
        self._visitor = visitor
        self._circuit = circuit
        self._clock = clock
        self._bus = bus
        self._options = options
        self._chance = chance

    async def capture(self, run: Run, judge: Judge, store: Store) -> Captured:
        """Raises CaptureFailedError, SourceRestingError or AfterKickoffError; a store that is away leaves as it is."""
        while True:
            run.begin(self._clock.monotonic())
            require_before(run.fixture.kickoff_utc, self._clock.now())
            permit = self._admitted(run)
            try:
                return await self._attempt(run, permit, judge, store)
            except _OUR_RIVALS as error:
                await self._pause_or_raise(run, error, is_probe=permit.is_probe)

    async def _attempt(self, run: Run, permit: Permit, judge: Judge, store: Store) -> Captured:
        order = self._order(run, permit)
        try:
            visit = await self._visitor.visit(order, run.step)
            run.note(visit)
            captured = await judge(run, visit)
        except _OUR_RIVALS as error:
            is_ours = ruling(error).is_ours
            if is_ours:
                self._circuit.give_back(permit)
            else:
                self._circuit.judge(permit, is_success=False)
            self._visitor.judged(order, None if is_ours else error)
            raise
        except (LongstopError, asyncio.CancelledError) as error:
            # Nothing of this is the source's or the exit's doing.
            (self._circuit.answered if isinstance(error, AfterKickoffError) else self._circuit.give_back)(permit)
            self._visitor.judged(order, None)
            self._tell_refusal(run, error)
            raise
        self._circuit.judge(permit, is_success=True)
        self._visitor.judged(order, None)
        run.step("kept_promise")
        await store(run, captured)
        run.step("told")
        self._tell(run, "success")
        return captured

    def _admitted(self, run: Run) -> Permit:
        try:
            return self._circuit.admit()
        except SourceRestingError as error:
            run.step("refused")
            self._tell(run, "skipped", error.reason, error)
            raise

    def _order(self, run: Run, permit: Permit) -> VisitOrder:
        fixture, options = run.fixture, self._options()
        ref = MatchRef(self._source.manifest.name, fixture.event_key, fixture.page)
        left = (fixture.kickoff_utc - self._clock.now()).total_seconds()
        return VisitOrder(
            source=ref.source,
            key=ref.key,
            page=fixture.page,
            calls={family: self._call(family, ref) for family in options.families},
            required=frozenset(options.families[:1]),
            attempt=run.attempt,
            deadline_seconds=max(0.1, min(options.visit_seconds, left)),
            gate=self._circuit.gate(permit),
        )

    def _call(self, family: str, ref: MatchRef) -> FetchRequest:
        return CALLS[family](self._source.base_url, ref)

    # ---- after a failure ----

    async def _pause_or_raise(self, run: Run, error: LongstopError, *, is_probe: bool) -> None:
        found = ruling(error)
        found = ruling(error, run.times_before(found.reason))
        run.failures.append(found.reason)
        is_hard = found.severity is Severity.HARD
        run.step("failed_hard" if is_hard else "failed_softly")
        delay = self._delay(run, error)
        is_last = is_hard or is_probe or run.attempt >= self._options().attempts_max or self._ends_before(run, delay)
        self._tell(run, "hard_fail" if is_hard else "soft_fail", found.reason, error)
        if is_last:
            self._give_up(run, found, error)
        await self._clock.sleep(delay)

    def _delay(self, run: Run, error: LongstopError) -> float:
        return pause_seconds(self._options(), run.attempt, error, self._chance)

    def _ends_before(self, run: Run, delay: float) -> bool:
        return self._clock.now() + timedelta(seconds=delay) >= run.fixture.kickoff_utc

    def _give_up(self, run: Run, found: Ruling, error: LongstopError) -> None:
        if found.severity is Severity.SOFT:
            run.step("exhausted")
        if found.reason == "anti_bot_challenge":
            self._bus.emit(
                facts.ChallengePersisted(
                    at=self._clock.now(),
                    source=self._source.manifest.name,
                    match_id=str(run.fixture.match_id),
                    attempts=run.attempt,
                )
            )
        raise CaptureFailedError(
            f"{run.fixture.home_team} - {run.fixture.away_team} was not captured in {run.attempt} attempts: "
            f"{error.message}",
            reason=found.reason,
            severity=found.severity.value,
            attempts=run.attempt,
            cause=error,
            hint=error.hint,
        ) from error

    # ---- telling ----

    def _tell_refusal(self, run: Run, error: BaseException) -> None:
        if isinstance(error, LongstopError):
            self._tell(run, "skipped", getattr(error, "reason", error.kind), error)

    def _tell(self, run: Run, status: str, reason: str = "", error: LongstopError | None = None) -> None:
        clock, source = self._clock, self._source.manifest.name
        self._bus.emit(run.told(source, clock.now(), clock.monotonic(), status, reason, error))
