"""Looks after a store that may be away: asks whether it is back at growing intervals, brings it what waits, and says
once a minute how much that is."""

import random

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.backoff import BackoffPolicy, delays
from longstop.store.durable import DurableStore
from longstop.supervise.service import Stop

LOOK_SECONDS = 1.0
WARNING_SECONDS = 60.0
POLICY = BackoffPolicy()


class StoreRecovery:
    name = "store recovery"

    def __init__(self, store: DurableStore, clock: Clock, bus: Signals, chance: random.Random) -> None:
        self._store = store
        self._clock = clock
        self._bus = bus
        self._chance = chance
        self._warned_at = 0.0

    async def run(self, stop: Stop) -> None:
        self._bus.emit(self._store.backlog())
        while not await stop.pause(LOOK_SECONDS):
            self._store.watch_wal()
            if not self._store.is_caught_up:
                await self._recover(stop)

    async def _recover(self, stop: Stop) -> None:
        """Until the database has everything, or we stop."""
        self._warned_at = self._clock.monotonic()
        for delay in delays(POLICY, self._chance):
            is_back = await self._store.recover()
            self._tell()
            if is_back or await self._wait(stop, delay):
                return

    async def _wait(self, stop: Stop, seconds: float) -> bool:
        """In small steps, so that what waits is counted meanwhile."""
        due = self._clock.monotonic() + seconds
        while (left := due - self._clock.monotonic()) > 0:
            if await stop.pause(min(left, LOOK_SECONDS)):
                return True
            self._tell()
        return False

    def _tell(self) -> None:
        self._store.watch_wal()
        backlog = self._store.backlog()
        self._bus.emit(backlog)
        if self._clock.monotonic() - self._warned_at >= WARNING_SECONDS:
            self._warned_at = self._clock.monotonic()
            self._bus.emit(
                signals.BacklogWaited(**{name: getattr(backlog, name) for name in backlog.__struct_fields__})
            )
