"""R1: `kill -9` at every write and sync of spool and journal, and again at every one of the recovery that follows."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.figures import Figure, ProofError, Wishes, at_least, exactly, noted, tell
from benchmarks.processes import empty_folder
from longstop.store.schema import upgrade
from longstop.store.sqlite import SqliteOptions, SqliteStore
from tests.contract.store.kills import (
    CALLS,
    POINTS_MAX,
    Life,
    is_possible,
    killed_life,
    killed_recoveries,
    require_nothing_lost,
    run_killed,
)

JOURNAL_CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "write")
JOURNAL = "tests.contract.store.journal_child"


def prove_kills(_: Wishes) -> Iterator[Figure]:
    if not is_possible():
        raise ProofError("strace is missing or may not trace: apt-get install strace")
    points, in_recovery, lost = _of_the_spool()
    yield at_least("points of the spool", points, 40)
    yield at_least("points of its recoveries", in_recovery, 200)
    yield exactly("lives of the spool that lost or doubled something", lost, 0)
    points, lost, broken = _of_the_journal()
    yield at_least("points of the journal", points, 20)
    yield exactly("lives of the journal that lost something", lost, 0)
    yield exactly("databases that were not whole afterwards", broken, 0)
    yield noted("killed at", ", ".join(sorted({*CALLS, *JOURNAL_CALLS})))


def _of_the_spool() -> tuple[int, int, int]:
    points = in_recovery = lost = 0
    for call in CALLS:
        for number in range(1, POINTS_MAX):
            with killed_life(call, number) as (folder, life):
                if life.is_whole:
                    break
                points += 1
                in_recovery += killed_recoveries(folder)
                lost += not _is_whole(folder, life)
        tell(f"{call}: {points} points so far, {in_recovery} in recoveries")
    return points, in_recovery, lost


def _is_whole(folder: Path, life: Life) -> bool:
    try:
        require_nothing_lost(folder, life)
    except AssertionError as error:
        tell(str(error))
        return False
    return True


def _of_the_journal() -> tuple[int, int, int]:
    points = lost = broken = 0
    with empty_folder("kills") as folder:
        empty, database = folder / "empty.db", folder / "kept.db"
        upgrade(f"sqlite:///{empty}")
        for call in JOURNAL_CALLS:
            for number in range(1, POINTS_MAX):
                _renew(empty, database)
                life = Life(run_killed([JOURNAL, str(database)], call, number))
                if life.is_whole:
                    break
                points += 1
                broken += not _is_sound(database)
                lost += asyncio.run(_last(database)) < max(0, life.acknowledged)
            tell(f"{call}: {points} points of the journal so far")
    return points, lost, broken


def _renew(empty: Path, database: Path) -> None:
    for leftover in database.parent.glob(f"{database.name}*"):
        leftover.unlink()
    shutil.copyfile(empty, database)


def _is_sound(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def _last(database: Path) -> int:
    """What a restart goes on from; every event up to it must be there."""
    store = SqliteStore(database, options=SqliteOptions(inline=True))
    await store.open()
    try:
        events = [event.seq for event in await store.events("crex_AB1")]
        return len(events) if events == list(range(1, len(events) + 1)) else -1
    finally:
        await store.close()
