"""R2: an I/O error or a full disk at each operation of the database's file, once and for ever. What was acknowledged
is there afterwards, the file is whole, and after a failed sync nothing more is done to it."""

import asyncio
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest

from longstop.domain.errors import DatabaseSyncError, StoreError
from longstop.store.contract import WriteBatch
from longstop.store.schema import upgrade
from longstop.store.sqlite import SqliteOptions, SqliteStore
from longstop.store.sqlite_session import WriteSession
from tests.contract.store.faulty_vfs import SYNC, Failing, failing_with
from tests.contract.store.full_disk import can_mount, small_disk
from tests.contract.store.samples import MATCH, event

BATCHES = 6
POINTS_MAX = 600
KINDS = {
    "an error once": {},
    "an error for ever": {"is_lasting": True},
    "a full disk once": {"is_full": True},
    "a full disk for ever": {"is_full": True, "is_lasting": True},
}


class Life(msgspec.Struct):
    acknowledged: list[int] = []
    errors: list[StoreError] = []


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "store.db"
    upgrade(f"sqlite:///{path}")
    return path


def batch(number: int) -> WriteBatch:
    """Two rows that belong together, and a few pages."""
    return WriteBatch(
        events=tuple(event(2 * number + each, key=f"k{number}.{each}", detail="x" * 9000) for each in (1, 2))
    )


async def lived(path: Path, fault: Failing) -> Life:
    """Opened, written to, with a checkpoint after each write, and closed."""
    life = Life([], [])
    with failing_with(fault) as connect:
        store = SqliteStore(path, options=SqliteOptions(inline=True, auto_upgrade=False))
        store._file.session = session = WriteSession(path, 1.0, connect)
        try:
            await store.open()
            for number in range(BATCHES):
                session._checkpoint_at_bytes = 1
                await attempted(store, number, life)
        except StoreError as error:
            life.errors.append(error)
        with suppress(StoreError):
            await store.close()
    return life


async def attempted(store: SqliteStore, number: int, life: Life) -> None:
    try:
        await store.save(batch(number))
    except StoreError as error:
        life.errors.append(error)
    else:
        life.acknowledged.append(number)


def kept(path: Path) -> list[int]:
    """The batches that a later process finds, each whole."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = {row[0] for row in connection.execute("SELECT seq FROM match_events")}
    whole = [number for number in range(BATCHES) if 2 * number + 1 in found]
    assert found == {2 * number + each for number in whole for each in (1, 2)}, "no half of a batch"
    return whole


@pytest.mark.req("B9")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_acknowledged_is_lost_whatever_operation_fails(empty: Path, tmp_path: Path, kind: str) -> None:
    points = syncs = 0
    life = Life()
    for nth in range(1, POINTS_MAX):
        path = tmp_path / f"{nth}.db"
        shutil.copyfile(empty, path)
        fault = Failing(nth, **KINDS[kind])
        life = asyncio.run(lived(path, fault))
        assert set(life.acknowledged) <= set(kept(path)), f"{kind} at {nth}: {fault.seen[nth - 1 : nth]}"
        if not fault.failed:
            break
        points += 1
        if fault.seen[nth - 1] == SYNC:
            syncs += 1
            assert fault.after_a_failed_sync == []
    assert life.acknowledged == list(range(BATCHES)), "the last life met no fault"
    assert (points > 30, syncs > 10) == (True, True), (points, syncs)


@pytest.mark.req("B9")
def test_after_a_failed_sync_the_store_takes_nothing_more_and_says_why(empty: Path, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    shutil.copyfile(empty, path)
    whole = Failing(POINTS_MAX)
    asyncio.run(lived(path, whole))
    nth = len(whole.seen) // 2 + [each == SYNC for each in whole.seen[len(whole.seen) // 2 :]].index(True) + 1
    shutil.copyfile(empty, path)
    life = asyncio.run(lived(path, Failing(nth)))
    assert life.errors
    assert all(isinstance(error, DatabaseSyncError) for error in life.errors)
    assert life.errors[0].exit_code == 73
    assert life.acknowledged == list(range(len(life.acknowledged))), "nothing is acknowledged on top of it"


@pytest.mark.req("B9")
async def test_a_disk_that_is_really_full_loses_nothing_of_the_database(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("only root may mount a small disk")
    with small_disk(tmp_path, "2m") as disk:
        store = SqliteStore(disk / "store.db", options=SqliteOptions(inline=True))
        await store.open()
        life = Life([], [])
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * (shutil.disk_usage(disk).free - 100_000))
        for number in range(BATCHES * 2):
            await attempted(store, number, life)
        assert life.errors
        ballast.unlink()
        await attempted(store, BATCHES * 2, life)
        assert life.acknowledged[-1] == BATCHES * 2, "with room again it goes on"
        found = {each.seq for each in await store.events(MATCH, limit=1000)}
        assert {2 * number + each for number in life.acknowledged for each in (1, 2)} <= found
        await store.close()
