"""One lease worked off: a round is listed, or one match of it fetched, checked and written. Every way out is a verdict.

The payload is durable before it is read, so that a dead letter can be read again without a call.
"""

import random
from datetime import datetime, timedelta
from typing import Any, Protocol

import msgspec

from longstop.capturing import capture_of
from longstop.check import rounds as check
from longstop.clock import Clock
from longstop.domain.capture_errors import ContradictoryPayloadError
from longstop.domain.errors import (
    FetchError,
    LeaseLostError,
    LongstopError,
    PayloadError,
    SchemaBreakError,
    SourceThrottledError,
)
from longstop.domain.rounds import Lease, RoundJob, RoundMatch, RoundRef, TaskError
from longstop.fetch.snapshot import Fetcher, FetchRequest, Snapshot
from longstop.jobs.rounds.taxonomy import Handling, handling
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.backoff import BackoffPolicy
from longstop.sources.contract import RoundMatchReading, RoundSource
from longstop.store.contract import Store
from longstop.store.rounds.journal import RoundJournal

PAUSE_SECONDS_MIN = 1.0


class Evidence(Protocol):
    async def keep_page(self, match_id: str, page: str | bytes) -> str | None: ...


class WorkPolicy(msgspec.Struct, frozen=True):
    attempts_max: int = 3
    backoff: BackoffPolicy = BackoffPolicy(base_seconds=2.0, max_seconds=60.0)


class RoundWork:
    """For the rounds of one source. It may be used by many at once."""

    def __init__(
        self,
        source: RoundSource,
        fetcher: Fetcher,
        store: Store,
        clock: Clock,
        bus: Signals,
        evidence: Evidence | None = None,
        policy: WorkPolicy = WorkPolicy(),
    ) -> None:
        self._source = source
        self._fetcher = fetcher
        self._store = store
        self._journal = RoundJournal(store)
        self._clock = clock
        self._bus = bus
        self._evidence = evidence
        self._policy = policy
        self._chance = random.Random()

    async def do(self, lease: Lease) -> float:
        """Returns for how long the source is to be left alone. Raises StoreError when no verdict could be written: then
        the lease runs out, and somebody takes it again."""
        began = self._clock.monotonic()
        try:
            outcome, job = await (self._list(lease) if lease.task is None else self._store_match(lease))
        except LeaseLostError:
            self._tell(lease, "lost", began)
            return 0.0
        except (FetchError, PayloadError) as error:
            return await self._failed(lease, error, began)
        self._tell(lease, outcome, began)
        self._tell_settled(job)
        return 0.0

    async def fault(self, lease: Lease, error: Exception) -> None:
        """A fault of ours in the middle of it: a dead letter at once, for whoever mends it and reads it again."""
        told = TaskError(
            kind="internal",
            message=f"We stumbled over it: {type(error).__name__}.",
            hint="The log has where. After the fix it can be read again without a call: `longstop rounds reread`.",
            is_permanent=True,
            attempt=lease.attempt,
            at=self._clock.now(),
        )
        await self._write_off(lease, told, (), None, self._clock.monotonic())

    async def give_back(self, lease: Lease) -> None:
        """An orderly stop: whoever comes next begins at once."""
        await self._journal.give_back(lease, self._clock.now())

    async def reread(self, job: RoundJob, key: str) -> str:
        """A dead letter, from the newest payload that was kept of it."""
        letter = await self._journal.task(job.job_id, key)
        snapshot = await self._kept(letter.match_id, key)
        match = await self._match_of(job.ref, key, letter.match_id, snapshot)
        return (await self._journal.reread(letter, match, self._clock.now())).value

    # ---- what is done ----

    async def _list(self, lease: Lease) -> tuple[str, RoundJob]:
        ref = lease.job.ref
        snapshot = await self._fetch(self._source.list_round(ref), _list_id(ref))
        listings = self._source.parse_round(ref, snapshot)
        return "listed", await self._journal.list_round(lease, listings, self._clock.now())

    async def _store_match(self, lease: Lease) -> tuple[str, RoundJob]:
        task = lease.task
        assert task is not None
        snapshot = await self._fetch(self._source.round_match(task.key), task.match_id)
        match = await self._match_of(lease.job.ref, task.key, task.match_id, snapshot)
        outcome, job = await self._journal.finish(lease, match, self._clock.now())
        return outcome.value, job

    async def _fetch(self, request: FetchRequest, match_id: str) -> Snapshot:
        """Durable before anybody reads it."""
        snapshot = await self._fetcher.fetch(request)
        sha256 = snapshot.sha256()
        await self._store.keep((capture_of(match_id, snapshot, sha256, request.key),))
        return msgspec.structs.replace(snapshot, known_sha256=sha256)

    async def _kept(self, match_id: str, key: str) -> Snapshot:
        newest, after = None, None
        while page := await self._store.captures(match_id, after=after):
            newest, after = page[-1], page[-1].captured_at
        if newest is None or newest.damage:
            raise PayloadError(f"No payload of {match_id} is kept.", hint="Retry it: it is then fetched again.")
        request = FetchRequest(newest.source, newest.url, newest.purpose, key=key)
        return Snapshot(request, newest.status, newest.body, newest.requested_at, newest.captured_at, "kept")

    async def _match_of(self, ref: RoundRef, key: str, match_id: str, snapshot: Snapshot) -> RoundMatch:
        try:
            reading = self._source.parse_round_match(ref, key, snapshot)
            before = await self._journal.match(match_id)
            _require_plausible(reading, before)
        except PayloadError as error:
            if self._evidence is not None:
                kept = await self._evidence.keep_page(match_id, snapshot.body)
                error.evidence = (kept,) if kept else ()
            raise
        return RoundMatch(
            match_id, reading.ref, key, reading.report, snapshot.fetched_at, snapshot.sha256(), reading.venue
        )

    # ---- what went wrong ----

    async def _failed(self, lease: Lease, error: LongstopError, began: float) -> float:
        """What everybody is asked to wait for is no fault of this match."""
        now = self._clock.now()
        kind = handling(error)
        if kind is Handling.WAIT:
            asked = error.retry_after_seconds if isinstance(error, SourceThrottledError) else 0.0
            pause = max(PAUSE_SECONDS_MIN, asked)
            await self._journal.give_back(lease, now, now + timedelta(seconds=pause), is_loss=True)
            self._tell(lease, "waits", began)
            return pause
        is_permanent = kind is Handling.DEAD or lease.attempt >= self._policy.attempts_max
        again_at = None if is_permanent else now + timedelta(seconds=self._delay(lease.attempt))
        told = TaskError(
            kind=error.kind,
            message=error.message,
            hint=error.hint,
            is_permanent=kind is Handling.DEAD,
            attempt=lease.attempt,
            at=now,
            verdict=getattr(error, "verdict", ""),
            details=_details(error),
        )
        await self._write_off(lease, told, getattr(error, "evidence", ()), again_at, began)
        return 0.0

    def _delay(self, attempt: int) -> float:
        return self._policy.backoff.delay_seconds(max(1, attempt), self._chance)

    async def _write_off(
        self, lease: Lease, error: TaskError, evidence: tuple[str, ...], again_at: datetime | None, began: float
    ) -> None:
        job = await self._journal.fail(lease, error, evidence, self._clock.now(), again_at)
        if job is None:
            self._tell(lease, "lost", began)
            return
        self._tell(lease, "again" if again_at else "dead", began, error)
        self._tell_settled(job)

    # ---- what is told ----

    def _tell(self, lease: Lease, outcome: str, began: float, error: TaskError | None = None) -> None:
        task = lease.task
        self._bus.emit(
            signals.RoundWorked(
                at=self._clock.now(),
                source=lease.job.ref.source,
                job_id=lease.job.job_id,
                match_id=task.match_id if task else "",
                attempt=lease.attempt,
                outcome=outcome,
                duration_seconds=self._clock.monotonic() - began,
                error_type=error.kind if error else "",
                error_message=error.message if error else "",
                hint=error.hint if error else "",
            )
        )

    def _tell_settled(self, job: RoundJob) -> None:
        if job.state.is_settled:
            self._bus.emit(
                signals.RoundSettled(
                    at=self._clock.now(),
                    source=job.ref.source,
                    job_id=job.job_id,
                    round=str(job.ref),
                    state=job.state.value,
                )
            )


def _require_plausible(reading: RoundMatchReading, before: RoundMatch | None) -> None:
    previous = before.event if before is not None else None
    verdict = check.judge(reading.report, previous)
    if not verdict.is_accepted:
        raise ContradictoryPayloadError(
            f"It is not believed: {'; '.join(verdict.reasons[:3])}.",
            reasons=tuple(verdict.reasons),
            hint="Look at what the source shows; after a fix of ours it can be read again without a call.",
        )


def _details(error: LongstopError) -> dict[str, Any]:
    if isinstance(error, SchemaBreakError):
        return {"contract": error.contract, "missing": list(error.missing), "wrong": list(error.wrong)}
    if isinstance(error, ContradictoryPayloadError):
        return {"reasons": list(error.reasons)}
    return {}


def _list_id(ref: RoundRef) -> str:
    return f"{ref.source}_{ref.competition}-{ref.season}-{ref.round}"
