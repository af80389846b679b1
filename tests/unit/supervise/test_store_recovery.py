"""Who asks after a database that is away, how often, and what is said meanwhile."""

import asyncio
import random
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from longstop.clock import Clock, LoopClock, SystemClock
from longstop.observe import signals
from longstop.store.contract import WriteBatch
from longstop.store.durable import DurableOptions
from longstop.store.durably import DurabilityLimits, durably
from longstop.store.sqlite import SqliteStore
from longstop.supervise.service import Stop
from longstop.supervise.store_recovery import StoreRecovery
from tests.contract.store.samples import MATCH, event, failure
from tests.cricket import NOON
from tests.unit.store.durable_stage import DOWN, Stage, poll
from tests.virtual import Heard, on_virtual_time

WAL_BYTES_MAX = 8 << 20


class SetBack(LoopClock):
    """By an hour, after two minutes and a half."""

    def now(self) -> datetime:
        return super().now() - timedelta(hours=self.monotonic() >= 150.0)


class Watched(Stage):
    """With its recovery running, and a note of each health query."""

    def __init__(self, tmp_path: Path, clock: Clock | None = None) -> None:
        super().__init__(tmp_path, clock=clock)
        self.stop = Stop(self.clock)
        self.asked: list[float] = []
        recovery = StoreRecovery(self.store, self.clock, self.heard.bus, random.Random(1))
        self.task = asyncio.create_task(recovery.run(self.stop))
        ping = self.database.ping

        async def noted() -> float:
            self.asked.append(self.clock.monotonic())
            return await ping()

        self.database.ping = noted  # type: ignore[method-assign]  # a test may listen in

    async def end(self) -> None:
        self.stop.ask("done")
        await self.task
        await self.store.close()


@pytest.mark.req("B7")
@on_virtual_time
async def test_the_database_is_asked_at_growing_intervals_and_brought_what_waits(tmp_path: Path) -> None:
    stage = Watched(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    await stage.clock.sleep(120)
    waits = [after - before for before, after in zip(stage.asked, stage.asked[1:], strict=False)]
    for wait, plain in zip(waits, [1, 2, 4, 8, 16, 16, 16], strict=False):
        assert plain <= wait <= plain * 1.25
    stage.database.error = None
    await stage.clock.sleep(20)
    assert [each.seq for each in await stage.store.events(MATCH)] == [1]
    assert stage.heard.of(signals.BacklogMeasured)[-1].spool_records == 0
    asked = len(stage.asked)
    await stage.clock.sleep(60)
    assert len(stage.asked) == asked, "a database that is well is not asked after"
    await stage.end()


@pytest.mark.req("B7")
@on_virtual_time
async def test_each_minute_somebody_is_told_how_much_waits(tmp_path: Path) -> None:
    stage = Watched(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    await stage.store.save(type(poll(1))(errors=(failure(),)))
    await stage.clock.sleep(305)
    told = stage.heard.of(signals.BacklogWaited)
    assert [round(each.down_seconds / 60) for each in told] == [1, 2, 3, 4, 5]
    assert {(each.spool_records, each.buffered) for each in told} == {(1, 1)}
    assert 295 < told[-1].oldest_seconds <= 305
    stage.database.error = None
    await stage.end()


@pytest.mark.req("B7")
@on_virtual_time
async def test_a_clock_that_is_set_back_silences_nobody(tmp_path: Path) -> None:
    stage = Watched(tmp_path, SetBack(NOON))
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    await stage.clock.sleep(305)
    told = stage.heard.of(signals.BacklogWaited)
    assert [round(each.down_seconds / 60) for each in told] == [1, 2, 3, 4, 5]
    stage.database.error = None
    await stage.end()


@on_virtual_time
async def test_a_stop_ends_the_waiting_at_once(tmp_path: Path) -> None:
    stage = Watched(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    await stage.clock.sleep(20)
    began = stage.clock.monotonic()
    stage.stop.ask("done")
    await stage.task
    assert stage.clock.monotonic() == began
    await stage.store.close()


@pytest.mark.req("B9")
async def test_a_wal_that_somebody_holds_open_is_told_and_told_again_when_it_is_short(tmp_path: Path) -> None:
    path, clock, heard = tmp_path / "kept.db", SystemClock(), Heard()
    options = DurabilityLimits(durable=DurableOptions(wal_bytes_max=WAL_BYTES_MAX))
    store = durably(SqliteStore(path, clock=clock), tmp_path / "spool", clock, options)
    store.bus = heard.bus
    await store.open()
    numbers = iter(range(1, 1000))

    async def write(batches: int) -> None:
        for _ in range(batches):
            number = next(numbers)
            await store.save(WriteBatch(events=(event(number, key=f"k{number}", detail="x" * 60_000),)))
        await store.ping()
        store.watch_wal()

    await write(120)
    assert heard.of(signals.WalGrew) == []
    with closing(sqlite3.connect(path, isolation_level=None)) as pinned:
        pinned.execute("BEGIN")
        pinned.execute("SELECT count(*) FROM match_events").fetchone()
        await write(160)
        store.watch_wal()
        (grown,) = heard.of(signals.WalGrew)
        assert grown.bytes >= grown.bytes_max == WAL_BYTES_MAX
        assert heard.of(signals.WalShrank) == []
    await write(60)
    assert len(heard.of(signals.WalShrank)) == 1
    await store.close()
