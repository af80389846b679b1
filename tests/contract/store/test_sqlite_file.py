"""What can happen to a file: killed writers, other processes, full disks, damage."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import StoreError, StoreUnavailableError
from longstop.store.cells import moment_as_text
from longstop.store.contract import Store, WriteBatch
from longstop.store.schema import current_revision, head_revision, upgrade
from longstop.store.sqlite import SqliteOptions, SqliteStore
from longstop.store.sqlite_session import WriteSession
from longstop.store.writes import prepare
from tests.contract.store.samples import MATCH, at, event, full_batch, record

ROOT = Path(__file__).resolve().parents[3]
CLOCK = SystemClock()


@contextmanager
def child_writing_to(path: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.contract.store.writing_child", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        try:
            yield child
        finally:
            child.kill()


@contextmanager
def write_lock_on(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program that holds the write lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "down" / "store.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, options=SqliteOptions(busy_seconds=0.2))
    await store.open()
    yield store
    await store.close()


@pytest.mark.req("B9")
@pytest.mark.parametrize("acknowledged", [1, 40, 150])
async def test_what_was_acknowledged_survives_a_kill(path: Path, acknowledged: int) -> None:
    with child_writing_to(path) as child:
        assert child.stdout is not None
        seen = [child.stdout.readline().split() for _ in range(acknowledged)]
        child.send_signal(signal.SIGKILL)
        seen += [line.split() for line in child.stdout if line.endswith("\n")]
    store = SqliteStore(path)
    await store.open()
    for name in {name for name, _ in seen}:
        newest = max(int(number) for found, number in seen if found == name)
        page = await store.ledger(f"crex_{name}")
        assert newest <= page.last_seq == len(page.deliveries), "every batch is there as a whole, or not at all"
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_a_second_writer_is_refused_and_told_who_writes(path: Path) -> None:
    with child_writing_to(path) as child:
        assert child.stdout is not None
        child.stdout.readline()
        second = SqliteStore(path)
        with pytest.raises(StoreError, match=rf"in use by another Longstop \(pid {child.pid}\)"):
            await second.open()
        with pytest.raises(StoreError, match=rf"pid {child.pid}"):
            upgrade(f"sqlite:///{path}")
        assert current_revision(f"sqlite:///{path}") == head_revision(), "to look is always allowed"
    await second.open()
    await second.close()


async def test_a_second_writer_in_the_same_process_is_refused(path: Path, store: SqliteStore) -> None:
    second = SqliteStore(path)
    with pytest.raises(StoreError, match="in use by another Longstop"):
        await second.open()
    await second.close()
    await store.save(full_batch())


@pytest.mark.req("B9")
async def test_a_lock_held_for_a_while_costs_time_and_nothing_else(path: Path) -> None:
    store = SqliteStore(path, options=SqliteOptions(busy_seconds=10))
    await store.open()
    with write_lock_on(path) as other:
        saving = asyncio.create_task(store.save(full_batch()))
        slowest = 0.0
        for _ in range(200):
            started = CLOCK.monotonic()
            await CLOCK.sleep(0.01)
            slowest = max(slowest, CLOCK.monotonic() - started)
        assert await store.matches() == [], "readers are not in the way of writers, nor the other way"
        assert not saving.done()
        other.execute("COMMIT")
    await saving
    assert (await store.ledger(MATCH)).last_seq == 2
    assert slowest < 1.0, "the loop went on meanwhile"
    await store.close()


async def test_a_lock_held_too_long_is_told_and_heals(path: Path, store: SqliteStore) -> None:
    with write_lock_on(path), pytest.raises(StoreUnavailableError, match="locked") as told:
        await store.save(full_batch())
    assert told.value.heals
    await store.save(full_batch())


async def test_a_full_queue_is_told_at_the_deadline(path: Path) -> None:
    store = SqliteStore(path, options=SqliteOptions(busy_seconds=2, save_seconds=0.1, queue_max=2))
    await store.open()
    with write_lock_on(path):
        outcomes = await asyncio.gather(*(store.save(full_batch(f"M{n}")) for n in range(6)), return_exceptions=True)
    assert all(isinstance(outcome, StoreUnavailableError) for outcome in outcomes), outcomes
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        kept = {row[0] for row in connection.execute("SELECT match_id FROM matches")}
    assert kept == {"crex_M0", "crex_M1"}, "what was taken is written in the end, what was not is not"


async def test_a_refused_batch_does_not_take_its_neighbours_along(path: Path) -> None:
    """They wait together behind a lock, so they are written as one group."""
    store = SqliteStore(path, options=SqliteOptions(busy_seconds=10))
    await store.open()
    await store.save(WriteBatch(deliveries=(record(),)))
    with write_lock_on(path) as other:
        batches = [full_batch(f"M{n}") for n in range(5)]
        batches.insert(3, WriteBatch(deliveries=(record(runs=6),)))
        saving = [asyncio.create_task(store.save(batch)) for batch in batches]
        await CLOCK.sleep(0.05)
        other.execute("COMMIT")
    outcomes = await asyncio.gather(*saving, return_exceptions=True)
    assert [isinstance(outcome, StoreError) for outcome in outcomes] == [False, False, False, True, False, False]
    assert len(await store.matches()) == 5
    await store.close()


async def test_a_group_is_one_transaction(path: Path, store: SqliteStore) -> None:
    """The log grows by far less than it does when each batch is written alone."""
    wal = path.with_name("store.db-wal")

    async def growth(*groups: list[WriteBatch]) -> int:
        before = wal.stat().st_size
        for group in groups:
            await asyncio.gather(*(store.save(batch) for batch in group))
        return wal.stat().st_size - before

    await store.save(full_batch("M0"))
    alone = await growth(*([full_batch(f"A{number}")] for number in range(64)))
    together = await growth([full_batch(f"B{number}") for number in range(64)])
    assert together < alone / 2


@pytest.mark.req("B9")
async def test_the_log_stays_short_and_shrinks_after_a_reader_that_held_on(path: Path, store: SqliteStore) -> None:
    wal = path.with_name("store.db-wal")
    text = "x" * 60_000

    async def write(numbers: range) -> int:
        longest = 0
        for number in numbers:
            await store.save(WriteBatch(events=(event(number, key=f"k{number}", detail=text),)))
            longest = max(longest, wal.stat().st_size)
        return longest

    assert await write(range(1, 301)) < 6 << 20
    with closing(sqlite3.connect(path, isolation_level=None)) as pinned:
        pinned.execute("BEGIN")
        pinned.execute("SELECT count(*) FROM match_events").fetchone()
        assert await write(range(301, 501)) > 6 << 20, "nothing can be done while somebody looks at the past"
    await write(range(501, 621))
    assert wal.stat().st_size < 6 << 20


def test_after_a_fault_a_connection_goes_without_a_checkpoint_and_the_next_one_writes_the_log_anew(path: Path) -> None:
    """A checkpoint at the close would sync, and tell nobody when that fails."""
    path.parent.mkdir(parents=True)
    upgrade(f"sqlite:///{path}")
    wal = path.with_name("store.db-wal")
    session = WriteSession(path, 1.0)
    session.write([prepare(full_batch(), moment_as_text, at(0))])
    before = wal.read_bytes()
    session.drop()
    assert before
    assert wal.read_bytes() == before
    changed = wal.stat().st_mtime_ns
    again = WriteSession(path, 1.0)
    assert again.connection.execute("SELECT count(*) FROM match_events").fetchone()[0] > 0
    assert wal.stat().st_mtime_ns > changed
    again.close()
    assert not wal.exists()


async def test_a_clean_end_leaves_one_file_with_everything(path: Path, store: SqliteStore) -> None:
    await store.save(full_batch())
    await store.ledger(MATCH)
    await store.close()
    assert sorted(each.name for each in path.parent.iterdir()) == ["store.db", "store.db.lock"]


@pytest.mark.parametrize("is_inline", [True, False])
async def test_a_full_disk_is_told_and_heals(path: Path, is_inline: bool) -> None:
    """The limit is set on the writing connection; after the fault it is opened anew, and with it the limit goes."""
    store = SqliteStore(path, options=SqliteOptions(inline=is_inline))
    await store.open()
    await store.save(full_batch())
    connection = store._file.session.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages}")
    big = WriteBatch(events=(event(7, key="big", detail="x" * 200_000),))
    with pytest.raises(StoreUnavailableError, match="full") as told:
        await store.save(big)
    assert "disk space" in told.value.hint
    await store.save(big)
    assert [each.seq for each in await store.events(MATCH)] == [1, 2, 7]
    await store.close()


def _no_database(path: Path) -> None:
    path.write_bytes(b"these are the notes of somebody\n" * 200)


def _damaged(path: Path) -> None:
    upgrade(f"sqlite:///{path}")
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * 3996
    path.write_bytes(content)


BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "no database": (_no_database, "damaged or is none"),
    "damage": (_damaged, "damaged or is none"),
    "a directory": (Path.mkdir, "is a directory"),
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("is_inline", [True, False])
async def test_what_is_no_database_is_told_and_left_alone(tmp_path: Path, what: str, is_inline: bool) -> None:
    path = tmp_path / "store.db"
    breaks, words = BROKEN[what]
    breaks(path)
    before = path.read_bytes() if path.is_file() else None
    store = SqliteStore(path, options=SqliteOptions(inline=is_inline))
    with pytest.raises(StoreError, match=words) as told:
        await store.open()
    assert told.value.hint
    assert not isinstance(told.value, StoreUnavailableError)
    await store.close()
    assert (path.read_bytes() if path.is_file() else None) == before


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        await SqliteStore(tmp_path / "file" / "below" / "store.db").open()


async def test_a_folder_nobody_may_write_to_is_told() -> None:
    with pytest.raises(StoreError, match="may not be written"):
        await SqliteStore(Path("/proc/store.db")).open()


async def test_any_name_of_a_file_will_do(tmp_path: Path) -> None:
    path = tmp_path / "a b#c?d%20é&mode=ro.db"
    for _ in range(2):
        store = SqliteStore(path)
        await store.open()
        await store.save(full_batch())
        assert (await store.ledger(MATCH)).last_seq == 2
        await store.close()
    assert path.exists()


async def test_a_reader_cannot_write(path: Path, store: SqliteStore) -> None:
    def write(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM matches")

    assert store._threads is not None
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await store._threads._readers.run(write)


async def test_a_read_that_takes_too_long_is_told(path: Path) -> None:
    store: Store = SqliteStore(path, options=SqliteOptions(read_seconds=0.05, readers=1))
    await store.open()
    assert isinstance(store, SqliteStore)
    assert store._threads is not None

    def count_for_long(connection: sqlite3.Connection) -> None:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT max(i) FROM n"
        ).fetchone()

    slow = asyncio.create_task(store._threads._readers.run(count_for_long))
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailableError, match="did not answer within"):
        await store.ping()
    await slow
    assert await store.ping() >= 0
    await store.close()


async def test_an_opening_that_is_cancelled_lets_the_file_go(path: Path) -> None:
    for turns in range(4):
        opening = asyncio.create_task(SqliteStore(path).open())
        for _ in range(turns):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
    store = SqliteStore(path)
    async with CLOCK.timeout(20):
        while True:
            try:
                await store.open()
                break
            except StoreError:  # the thread of a cancelled one is still letting go
                await CLOCK.sleep(0.02)
    await store.save(full_batch())
    await store.close()
