"""R7: another process holds SQLite's write lock for half a minute, and one reads the past for minutes. And how long an
update takes to be stored while 400 come each second, beside a bare batched insert."""

import asyncio
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from statistics import quantiles

import msgspec

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, noted, tell
from benchmarks.processes import empty_folder
from longstop.observe import signals
from longstop.store.durable import DurableOptions
from longstop.store.durably import durably
from longstop.store.open import open_store
from longstop.store.schema import upgrade
from longstop.supervise.machine import set_apart
from tests.contract.store.outage import CLOCK, Outage, writing
from tests.contract.store.samples import full_batch

MATCHES, PAUSE_SECONDS = 40, 0.5
LOCK_SECONDS, PINNED_MINUTES_MAX = 30.0, 10.0
STEP_SECONDS = 0.01
# Low enough to be passed in half a minute.
WAL_ALARM_BYTES = 4 << 20
SHORT_SECONDS_MAX = 60.0
LAG_SECONDS_MAX, DRAIN_SECONDS_MAX, WAL_MB_MAX = 0.1, 60.0, 8.0
UPDATES_A_SECOND, UPDATE_SECONDS, STORED_P99_MAX = 400, 20.0, 0.05
BATCH_ROWS, BARE_BATCHES = 10, 400
READING, WRITING = "BEGIN; SELECT count(*) FROM match_events", "BEGIN IMMEDIATE"
_HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
for statement in sys.argv[2].split("; "):
    connection.execute(statement).fetchall()
print("held", flush=True)
sys.stdin.readline()
"""


# What the machine does to a loop that has nothing to do.
_BYSTANDER = """
import asyncio, sys, time

async def main():
    worst, over = 0.0, asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
    while not over.done():
        began = time.monotonic()
        await asyncio.sleep(0.01)
        worst = max(worst, time.monotonic() - began - 0.01)
    print(worst)

asyncio.run(main())
"""


class Lag(msgspec.Struct):
    worst_seconds: float = 0.0
    busiest_seconds: float = 0.0
    is_over: bool = False

    async def watch(self) -> None:
        while not self.is_over:
            began, computed = CLOCK.monotonic(), time.thread_time()
            await CLOCK.sleep(STEP_SECONDS)
            self.worst_seconds = max(self.worst_seconds, CLOCK.monotonic() - began - STEP_SECONDS)
            self.busiest_seconds = max(self.busiest_seconds, time.thread_time() - computed)


def _bystander() -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", _BYSTANDER]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@asynccontextmanager
async def held(path: Path, statements: str) -> AsyncIterator[None]:
    """By a process of its own, until the end of the block. Begun and ended past the loop, which is what is measured."""
    command = [sys.executable, "-c", _HOLDER, str(path), statements]
    holder = await asyncio.to_thread(_started, command)
    try:
        yield
    finally:
        await asyncio.to_thread(holder.communicate)


def _started(command: Sequence[str]) -> "subprocess.Popen[str]":
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    holder.stdout.readline()
    return holder


class Seen(msgspec.Struct):
    """`busy_seconds`: the longest the loop's own thread computed without giving way, whatever else the machine did."""

    lag_seconds: float = 0.0
    busy_seconds: float = 0.0
    drained_seconds: float = 0.0
    acknowledged: int = 0
    wrong: int = 0
    wal_bytes_longest: int = 0
    wal_bytes_last: int = 0
    alarms: int = 0
    alarms_ended: int = 0


def prove_lock(wishes: Wishes) -> Iterator[Figure]:
    seconds = 60 * min(wishes.minutes, PINNED_MINUTES_MAX)
    set_apart()  # as `longstop up` does
    with empty_folder("lock") as folder, _bystander() as bystander:
        seen = asyncio.run(_locked(folder, seconds))
        idle = float(bystander.communicate("\n")[0])
    yield noted("a reader was pinned", round(max(seconds, LOCK_SECONDS)), "s")
    yield noted("the write lock was held", LOCK_SECONDS, "s")
    yield at_least("writes acknowledged while it was held", seen.acknowledged, int(MATCHES * LOCK_SECONDS / 4))
    yield below("the loop was late by at most", seen.lag_seconds, LAG_SECONDS_MAX, "s")
    yield noted("beside it: an idle loop of another process", idle, "s")
    yield below("the loop computed in one go for at most", seen.busy_seconds, LAG_SECONDS_MAX, "s")
    yield below("drained after the lock", seen.drained_seconds, DRAIN_SECONDS_MAX, "s")
    yield noted("the WAL while the past was read", seen.wal_bytes_longest / 2**20, "MB")
    yield at_least(f"alarms that it is over {WAL_ALARM_BYTES >> 20} MB", seen.alarms, 1)
    yield exactly("ends of that alarm once the reader has gone", seen.alarms_ended, 1)
    yield below("the WAL then", seen.wal_bytes_last / 2**20, WAL_MB_MAX, "MB")
    yield exactly("matches with anything lost, doubled or unexpected", seen.wrong, 0)


async def _locked(folder: Path, seconds: float) -> Seen:
    path, lag, seen = folder / "kept.db", Lag(), Seen()
    wal = path.with_name("kept.db-wal")
    upgrade(f"sqlite:///{path}")
    options = DurableOptions(wal_bytes_max=WAL_ALARM_BYTES)
    async with writing(open_store(f"sqlite:///{path}"), folder / "spool", MATCHES, PAUSE_SECONDS, options) as outage:
        _count_alarms(outage, seen)
        watching = asyncio.create_task(lag.watch())
        await CLOCK.sleep(1.0)
        async with held(path, READING):
            seen.acknowledged, seen.drained_seconds = await _while_held(path, outage)
            await CLOCK.sleep(max(0.0, seconds - LOCK_SECONDS))
            seen.wal_bytes_longest = _bytes(wal)
        await _until_short(wal)
        outage.end_writing()
        lag.is_over = True
        await watching
        await CLOCK.sleep(2.0)
        await outage.caught_up(DRAIN_SECONDS_MAX)
        seen.wrong = len(await outage.wrong())
        seen.wal_bytes_last = _bytes(wal)
    seen.lag_seconds, seen.busy_seconds = lag.worst_seconds, lag.busiest_seconds
    return seen


def _count_alarms(outage: Outage, seen: Seen) -> None:
    def grew(_: signals.WalGrew) -> None:
        seen.alarms += 1

    def shrank(_: signals.WalShrank) -> None:
        seen.alarms_ended += 1

    outage.store.bus.subscribe(signals.WalGrew, grew)
    outage.store.bus.subscribe(signals.WalShrank, shrank)


def _bytes(path: Path) -> int:
    return path.stat().st_size


async def _until_short(wal: Path) -> None:
    """A megabyte has to be written first."""
    with suppress(TimeoutError):
        async with CLOCK.timeout(SHORT_SECONDS_MAX):
            while _bytes(wal) >= WAL_MB_MAX * 2**20:
                await CLOCK.sleep(0.5)


async def _while_held(path: Path, outage: Outage) -> tuple[int, float]:
    async with held(path, WRITING):
        before = sum(outage.acknowledged.values())
        await CLOCK.sleep(LOCK_SECONDS)
        acknowledged = sum(outage.acknowledged.values()) - before
        tell(f"{outage.store.backlog().spool_records} records wait")
    return acknowledged, await outage.caught_up(2 * DRAIN_SECONDS_MAX)


def prove_latency(_: Wishes) -> Iterator[Figure]:
    with empty_folder("latency") as folder:
        seconds = asyncio.run(_updates(folder))
        bare = asyncio.run(_bare(folder / "bare.db"))
    yield noted("updates a second", round(len(seconds) / UPDATE_SECONDS))
    yield at_least("updates stored", len(seconds), int(0.95 * UPDATES_A_SECOND * UPDATE_SECONDS))
    yield noted("half of them within", round(quantiles(seconds, n=100)[49], 4), "s")
    yield below("99 of 100 within", quantiles(seconds, n=100)[98], STORED_P99_MAX, "s")
    yield noted(f"beside it: 99 of 100 bare inserts of {BATCH_ROWS} rows within", round(bare, 4), "s")


async def _updates(folder: Path) -> list[float]:
    """As many matches as updates a second, each once a second, spread over it."""
    path = folder / "kept.db"
    upgrade(f"sqlite:///{path}")
    store = durably(open_store(f"sqlite:///{path}"), folder / "spool", CLOCK)
    await store.open()
    seconds: list[float] = []
    ends = CLOCK.monotonic() + UPDATE_SECONDS + 1.0

    async def match(number: int) -> None:
        await CLOCK.sleep(number / UPDATES_A_SECOND)
        due, count = CLOCK.monotonic(), 0
        while due < ends - 1.0:
            count += 1
            began = CLOCK.monotonic()
            await store.save(full_batch(f"M{number}", first=count, balls=1))
            seconds.append(CLOCK.monotonic() - began)
            due += 1.0
            await CLOCK.sleep(max(0.0, due - CLOCK.monotonic()))

    await asyncio.gather(*(match(number) for number in range(UPDATES_A_SECOND)))
    await store.close()
    return seconds


async def _bare(path: Path) -> float:
    """What the disk and SQLite take for a batch, with nothing of ours around them."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE rows (number, text)"):
        connection.execute(statement).fetchall()
    rows, seconds = [(number, "x" * 400) for number in range(BATCH_ROWS)], []
    for _ in range(BARE_BATCHES):
        began = CLOCK.monotonic()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO rows VALUES (?, ?)", rows)
        connection.execute("COMMIT")
        seconds.append(CLOCK.monotonic() - began)
    connection.close()
    return quantiles(seconds, n=100)[98]
