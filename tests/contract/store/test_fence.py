"""One database has one writer. Who is frozen, and finds another in its place when it goes on, writes nothing more."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import PlaceLostError, StoreError, WritingOverError
from longstop.store.durably import durably
from longstop.store.schema import upgrade
from longstop.store.sqlite import SqliteStore
from tests.contract.store.samples import full_batch

CLOCK = SystemClock()
pytestmark = pytest.mark.req("B9")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    upgrade(f"sqlite:///{tmp_path}/kept.db")
    return tmp_path / "kept.db"


@pytest.fixture
async def first(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    await store.open()
    yield store
    await store.close()


def take_lock_away(path: Path) -> None:
    """As somebody does who thinks that the process is dead."""
    path.with_name(path.name + ".lock").unlink()


def move_away(path: Path, *, is_replaced: bool) -> None:
    """As somebody does who puts a backup in its place while we run."""
    path.rename(path.with_name("kept.elsewhere"))
    if is_replaced:
        backup = path.with_name("backup.db")
        upgrade(f"sqlite:///{backup}")
        backup.rename(path)


def rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM match_events").fetchone()[0])


async def test_a_second_one_is_refused_while_the_first_holds_its_place(path: Path, first: SqliteStore) -> None:
    await first.save(full_batch("M1"))
    with pytest.raises(StoreError, match="in use by another Longstop"):
        await SqliteStore(path).open()
    await first.save(full_batch("M2"))


async def test_who_has_lost_its_place_writes_nothing_more(path: Path, first: SqliteStore) -> None:
    await first.save(full_batch("M1"))
    take_lock_away(path)
    second = SqliteStore(path)
    await second.open()
    before = rows(path)
    with pytest.raises(PlaceLostError, match="its epoch is 2, ours was 1") as told:
        await first.save(full_batch("M2"))
    assert told.value.exit_code == 77
    assert told.value.hint
    with pytest.raises(WritingOverError):
        await first.save(full_batch("M2"))
    with pytest.raises(WritingOverError):
        await first.prune_captures(0)
    assert rows(path) == before
    await second.save(full_batch("M3"))
    assert rows(path) > before
    await second.close()


@pytest.mark.parametrize("is_replaced", [False, True])
async def test_a_file_that_is_gone_from_its_place_takes_no_more_acknowledgements(
    path: Path, first: SqliteStore, is_replaced: bool
) -> None:
    """What is written to it lives under our hands only."""
    await first.save(full_batch("M1"))
    move_away(path, is_replaced=is_replaced)
    for _ in range(2):
        with pytest.raises(PlaceLostError, match="replaced by another file" if is_replaced else "was removed"):
            await first.save(full_batch("M2"))


async def test_whoever_has_lost_its_place_is_told_to_end_and_spools_nothing(tmp_path: Path, path: Path) -> None:
    store = durably(SqliteStore(path), tmp_path / "spool", CLOCK)
    await store.open()
    await store.save(full_batch("M1"))
    take_lock_away(path)
    second = SqliteStore(path)
    await second.open()
    with pytest.raises(PlaceLostError):
        await store.save(full_batch("M2"))
    assert isinstance(await store.broken(), PlaceLostError)
    assert store.backlog().spool_records == 0
    await store.close()
    await second.save(full_batch("M3"))
    await second.close()


async def test_the_place_is_taken_with_the_first_write_where_the_file_was_locked_at_the_start(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store = SqliteStore(path)
        await store.open()
        other.execute("ROLLBACK")
    await store.save(full_batch("M1"))
    take_lock_away(path)
    second = SqliteStore(path)
    await second.open()
    with pytest.raises(PlaceLostError):
        await store.save(full_batch("M2"))
    await second.close()
    await store.close()


WRITER = """
import asyncio, sys
from pathlib import Path
from longstop.store.sqlite import SqliteStore
from tests.contract.store.samples import full_batch

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.open()
    await store.save(full_batch("W1"))
    print("written", flush=True)
    sys.stdin.readline()
    await store.save(full_batch("W2"))
    print("written again", flush=True)

try:
    asyncio.run(main())
except Exception as error:
    print(type(error).__name__, flush=True)
"""


@pytest.fixture
def writer(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """It has written once, and writes again when it is told."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "written\n"
        yield started
        started.kill()


async def test_a_process_that_was_frozen_writes_nothing_beside_its_successor(
    path: Path, writer: "subprocess.Popen[str]"
) -> None:
    os.kill(writer.pid, signal.SIGSTOP)
    await asyncio.to_thread(os.waitid, os.P_PID, writer.pid, os.WSTOPPED)
    with pytest.raises(StoreError, match="in use by another Longstop"):
        await SqliteStore(path).open()
    take_lock_away(path)
    second = SqliteStore(path)
    await second.open()
    await second.save(full_batch("M1"))
    before = rows(path)
    os.kill(writer.pid, signal.SIGCONT)
    said = (await asyncio.to_thread(writer.communicate, "\n", timeout=60))[0]
    assert said == "PlaceLostError\n"
    assert rows(path) == before
    await second.save(full_batch("M2"))
    await second.close()
