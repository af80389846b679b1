"""A durable store before a database that fails as told, on a simulated disk and virtual time."""

import random
from collections.abc import Sequence
from pathlib import Path

from longstop.clock import Clock
from longstop.domain.errors import StoreUnavailableError
from longstop.store.buffer import BufferLimits
from longstop.store.contract import Capture, WriteBatch
from longstop.store.durable import DurableStore
from longstop.store.durably import DurabilityLimits, durably
from longstop.store.spool import SpoolLimits
from longstop.store.spool_desk import DeskOptions
from longstop.store.sqlite import SqliteOptions, SqliteStore
from longstop_origin.storm.disk import Faults, SimulatedDisk
from tests.contract.store.samples import full_batch
from tests.virtual import Heard, noon_clock

FOLDER = Path("spool")
DOWN = StoreUnavailableError("The database is down.")


class Database(SqliteStore):
    """`error` is what it answers with while it is away; `hangs` leaves everybody waiting, and
    `save_seconds` whoever writes, for that long."""

    def __init__(self, path: Path, clock: Clock) -> None:
        super().__init__(path, clock=clock, options=SqliteOptions(inline=True))
        self._time = clock
        self.error: Exception | None = None
        self.refuses: Exception | None = None
        self.refused_text = ""
        self.hangs = False
        self.save_seconds = 0.0
        self.is_forgetful = False
        self.writes: list[WriteBatch] = []

    async def save(self, batch: WriteBatch) -> None:
        await self._answer()
        await self._time.sleep(self.save_seconds)
        if self.refuses is not None and self.refused_text in repr(batch):
            raise self.refuses
        await super().save(batch)
        self.writes.append(batch)
        if self.is_forgetful:
            raise StoreUnavailableError("The answer to the commit was lost.")

    async def keep(self, captures: Sequence[Capture]) -> None:
        await self._answer()
        await super().keep(captures)

    async def ping(self) -> float:
        await self._answer()
        return await super().ping()

    async def _answer(self) -> None:
        if self.hangs:
            await self._time.sleep(3600)
        if self.error is not None:
            raise self.error


class Stage:
    def __init__(
        self, tmp_path: Path, *, spool: SpoolLimits | None = None, items: int = 1000, clock: Clock | None = None
    ) -> None:
        self.clock = clock or noon_clock()
        self.disk = SimulatedDisk(random.Random(0))
        self.limits = DurabilityLimits(
            spool=spool or SpoolLimits(reserve_bytes=0),
            buffer=BufferLimits(items=items),
            desk=DeskOptions(inline=True),
        )
        self.path = tmp_path / "database.db"
        self.heard = Heard()
        self.database = Database(self.path, self.clock)
        self.store = self._made()

    def _made(self) -> DurableStore:
        store = durably(self.database, FOLDER, self.clock, self.limits, self.disk)
        store.bus = self.heard.bus
        return store

    async def killed_and_begun_anew(self, *, has_power_failed: bool = False, faults: Faults | None = None) -> None:
        """Nothing of the process before is closed in order; only the file's lock goes, as the kernel has it."""
        await self.database.close()
        self.disk.restart(has_power_failed=has_power_failed, faults=faults)
        self.database = Database(self.path, self.clock)
        self.store = self._made()
        await self.store.open()


def poll(number: int, key: str = "AB1") -> WriteBatch:
    return full_batch(key, first=number, balls=1)
