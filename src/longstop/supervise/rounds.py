"""Works off the journal of rounds of one source: takes what is due, keeps its leases, and lets none disturb another.

The journal is the queue. Whatever becomes of this process, the next one takes only what is not done.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import StoreError
from longstop.domain.rounds import Lease
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.rounds.journal import RoundJournal
from longstop.store.rounds.leases import Taker
from longstop.supervise.service import Stop

RETRY_SECONDS: Final = 2.0
PRUNE_SECONDS: Final = 86400.0
PRUNED_AT_ONCE: Final = 100


class RunnerLimits(msgspec.Struct, frozen=True):
    """`is_alone`: nobody else can work on this database, so what is leased at a start is nobody's."""

    at_once: int = 4
    lease_seconds: float = 30.0
    look_seconds: float = 0.5
    finish_seconds: float = 5.0
    losses_max: int = 10
    keep_days: int = 365
    is_alone: bool = True


class Work(Protocol):
    async def do(self, lease: Lease) -> float: ...

    async def fault(self, lease: Lease, error: Exception) -> None: ...

    async def give_back(self, lease: Lease) -> None: ...


class RoundRunner:
    """A service of the tree. `kick` ends the wait for the next look."""

    def __init__(
        self,
        source: str,
        journal: RoundJournal,
        work: Work,
        clock: Clock,
        bus: Signals,
        owner: str,
        limits: RunnerLimits = RunnerLimits(),
    ) -> None:
        self.name = f"rounds of {source}"
        self._source = source
        self._journal = journal
        self._work = work
        self._clock = clock
        self._bus = bus
        self._owner = owner
        self._limits = limits
        self._running: dict[asyncio.Task[None], Lease] = {}
        self._kicked = asyncio.Event()
        self._not_before = 0.0

    def kick(self) -> None:
        self._kicked.set()

    async def run(self, stop: Stop) -> None:
        stop.on_asked(self.kick)
        keeping = asyncio.create_task(self._keep_leases(stop), name=f"leases of {self._source}")
        pruning = asyncio.create_task(self._prune(stop), name=f"old rounds of {self._source}")
        try:
            if self._limits.is_alone:
                await self._end_leases(stop)
            while not stop.is_wanted:
                await self._wait(await self._look())
        finally:
            keeping.cancel()
            pruning.cancel()
            await asyncio.gather(keeping, pruning, return_exceptions=True)
            await self._finish()

    async def drain(self) -> None:
        """Works until nothing is due and nothing is under way any more; for a command with an end."""
        while await self._look() == 0.0 or self._running:
            await self._wait(self._limits.look_seconds)

    async def _look(self) -> float:
        """How long to wait before the next look; 0 when more may be due."""
        free = self._limits.at_once - len(self._running)
        pause = self._not_before - self._clock.monotonic()
        if free <= 0 or pause > 0:
            return max(pause, self._limits.look_seconds)
        try:
            leases = await self._take(free)
        except StoreError as error:
            self._tell(error)
            return RETRY_SECONDS
        for lease in leases:
            task = asyncio.create_task(self._do(lease), name=f"round work {lease.job.job_id}")
            self._running[task] = lease
            task.add_done_callback(self._done)
        return 0.0 if leases and len(leases) == free else self._limits.look_seconds

    async def _take(self, free: int) -> Sequence[Lease]:
        """Lists first: a round that was asked for shows its matches soon."""
        now = self._clock.now()
        until = now + timedelta(seconds=self._limits.lease_seconds)
        taker = Taker(self._owner, now, until, free, self._limits.losses_max)
        leases = await self._journal.take_jobs(self._source, taker)
        if len(leases) < free:
            taker = msgspec.structs.replace(taker, limit=free - len(leases))
            leases += await self._journal.take(self._source, taker)
        return leases

    async def _do(self, lease: Lease) -> None:
        try:
            pause = await self._work.do(lease)
            self._not_before = max(self._not_before, self._clock.monotonic() + pause) if pause else self._not_before
        except StoreError as error:
            self._tell(error)
        except Exception as error:
            self._tell_fault(lease, error)
            await self._write_off(lease, error)

    async def _write_off(self, lease: Lease, error: Exception) -> None:
        try:
            await self._work.fault(lease, error)
        except StoreError as store_error:
            self._tell(store_error)  # the lease runs out, and we stumble over it once more

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._running.pop(task, None)
        self._kicked.set()

    async def _wait(self, seconds: float) -> None:
        if seconds <= 0:
            return
        self._kicked.clear()
        try:
            async with self._clock.timeout(seconds):
                await self._kicked.wait()
        except TimeoutError:
            return

    async def _keep_leases(self, stop: Stop) -> None:
        while not await stop.pause(self._limits.lease_seconds / 3):
            now = self._clock.now()
            until = now + timedelta(seconds=self._limits.lease_seconds)
            held = dict(self._running)
            if not held:
                continue
            try:
                kept = {id(lease) for lease in await self._journal.prolong(list(held.values()), now, until)}
            except StoreError as error:
                self._tell(error)
                continue
            for task, lease in held.items():
                if id(lease) not in kept and task in self._running:
                    task.cancel()  # somebody else has it, or its job was cancelled

    async def _prune(self, stop: Stop) -> None:
        """At the start and then daily: jobs that ended long ago leave, a few in each transaction."""
        while not stop.is_wanted:
            before = self._clock.now() - timedelta(days=self._limits.keep_days)
            try:
                while await self._journal.prune(before, PRUNED_AT_ONCE) == PRUNED_AT_ONCE:
                    pass
            except StoreError as error:
                self._tell(error)
            await stop.pause(PRUNE_SECONDS)

    async def _end_leases(self, stop: Stop) -> None:
        is_done = False
        while not (is_done or stop.is_wanted):
            try:
                await self._journal.end_leases(self._source, self._clock.now())
                is_done = True
            except StoreError as error:
                self._tell(error)
                await stop.pause(RETRY_SECONDS)

    async def _finish(self) -> None:
        """What is nearly done may end; the rest is given back, for whoever comes next."""
        if self._running:
            await asyncio.wait(self._running, timeout=self._limits.finish_seconds)
        left = dict(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for lease in left.values():
            try:
                await self._work.give_back(lease)
            except StoreError as error:
                self._tell(error)

    def _tell(self, error: StoreError) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation="rounds",
            )
        )

    def _tell_fault(self, lease: Lease, error: Exception) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="ERROR",
                error_type="internal",
                error_message=f"{type(error).__name__}: {error}",
                match_id=lease.task.match_id if lease.task else None,
                operation="rounds",
                attempt=lease.attempt,
                context={"job_id": lease.job.job_id},
            )
        )
