"""What one worker does when a message comes: takes the one lease it is about, keeps it while it works, and says nothing
where there is nothing to take. A message that is lost, late or doubled does no harm: the journal is what counts.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import LongstopError, StoreError
from longstop.domain.rounds import Lease
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.rounds.dueness import Due
from longstop.store.rounds.journal import RoundJournal
from longstop.store.rounds.leases import Taker
from longstop.supervise.rounds import PRUNED_AT_ONCE, Work


class HandLimits(msgspec.Struct, frozen=True):
    """`due_max`: so many messages of one kind are sent by one look at the journal."""

    lease_seconds: float = 30.0
    losses_max: int = 10
    due_max: int = 100
    keep_days: int = 365


class RoundHands:
    """For one source, one thing at a time as Celery hands them over. It takes any fault, and tells it."""

    def __init__(
        self,
        source: str,
        journal: RoundJournal,
        work: Work,
        clock: Clock,
        bus: Signals,
        owner: str,
        limits: HandLimits = HandLimits(),
    ) -> None:
        self._source = source
        self._journal = journal
        self._work = work
        self._clock = clock
        self._bus = bus
        self._owner = owner
        self._limits = limits
        self._not_before = 0.0

    async def list_round(self, job_id: str) -> bool:
        """Whether there was anything to take."""
        return await self._guarded(lambda: self._journal.take_job(self._source, job_id, self._taker()))

    async def scrape_match(self, job_id: str, key: str) -> bool:
        return await self._guarded(lambda: self._journal.take_one(job_id, key, self._taker()))

    async def due(self) -> Due:
        """What is to be sent; nothing while the source asks us to wait, or the journal cannot be read."""
        if self._is_resting():
            return Due()
        try:
            return await self._journal.due(self._source, self._clock.now(), self._limits.due_max)
        except StoreError as error:
            self._tell(error)
            return Due()

    async def prune(self) -> int:
        """Jobs that ended long ago; how many."""
        before = self._clock.now() - timedelta(days=self._limits.keep_days)
        try:
            return await self._journal.prune(before, PRUNED_AT_ONCE)
        except StoreError as error:
            self._tell(error)
            return 0

    # ---- one lease ----

    async def _guarded(self, take: Callable[[], Awaitable[Lease | None]]) -> bool:
        if self._is_resting():
            return False  # it is still due, and will be sent again
        try:
            lease = await take()
        except StoreError as error:
            self._tell(error)
            return False
        if lease is not None:
            await self._worked(lease)
        return lease is not None

    async def _worked(self, lease: Lease) -> None:
        working = asyncio.create_task(self._do(lease), name=f"round work {lease.job.job_id}")
        keeping = asyncio.create_task(self._kept(lease, working), name=f"lease of {lease.job.job_id}")
        try:
            await asyncio.wait([working])
        finally:
            for task in (keeping, working):
                task.cancel()
            await asyncio.gather(keeping, working, return_exceptions=True)

    async def _do(self, lease: Lease) -> None:
        try:
            pause = await self._work.do(lease)
            self._not_before = max(self._not_before, self._clock.monotonic() + pause) if pause else self._not_before
        except StoreError as error:
            self._tell(error)  # the lease runs out, and somebody takes it again
        except Exception as error:
            self._tell(error, lease)
            await self._written_off(lease, error)

    async def _written_off(self, lease: Lease, error: Exception) -> None:
        try:
            await self._work.fault(lease, error)
        except StoreError as store_error:
            self._tell(store_error)

    async def _kept(self, lease: Lease, working: "asyncio.Task[None]") -> None:
        """Prolonged while it is worked on. Lost, the work is ended: what it would bring is refused anyway."""
        while True:
            await self._clock.sleep(self._limits.lease_seconds / 3)
            now = self._clock.now()
            try:
                held = await self._journal.prolong([lease], now, now + self._lease())
            except StoreError as error:
                self._tell(error)
                continue
            if not held:
                working.cancel()
                return

    def _taker(self) -> Taker:
        now = self._clock.now()
        return Taker(self._owner, now, now + self._lease(), 1, self._limits.losses_max)

    def _lease(self) -> timedelta:
        return timedelta(seconds=self._limits.lease_seconds)

    def _is_resting(self) -> bool:
        return self._clock.monotonic() < self._not_before

    def _tell(self, error: Exception, lease: Lease | None = None) -> None:
        is_ours = isinstance(error, LongstopError)
        task = lease.task if lease else None
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN" if is_ours else "ERROR",
                error_type=error.kind if isinstance(error, LongstopError) else "internal",
                error_message=error.message if isinstance(error, LongstopError) else f"{type(error).__name__}: {error}",
                hint=error.hint if isinstance(error, LongstopError) else "",
                match_id=task.match_id if task else None,
                operation="rounds",
                attempt=lease.attempt if lease else 0,
                context={"job_id": lease.job.job_id} if lease else {},
            )
        )
