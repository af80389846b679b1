"""The verdict on a match when the worst happens: cut off after its COMMIT, killed at each write of its database."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # it brings no types

from benchmarks.figures import Figure, ProofError, Wishes, at_least, exactly, noted, tell
from benchmarks.processes import empty_folder
from longstop.clock import SystemClock
from longstop.domain.errors import StoreError
from longstop.domain.rounds import Lease, RoundMatch
from longstop.store.open import open_store
from longstop.store.rounds.journal import RoundJournal
from longstop.store.schema import upgrade
from tests.contract.store import rounds_child
from tests.contract.store.cutting_proxy import CuttingProxy
from tests.contract.store.kills import POINTS_MAX, is_possible, run_killed
from tests.contract.store.round_samples import NOW, job, listing, match, taker
from tests.servers.own_postgres import OwnPostgres
from tests.servers.process import ServerMissingError

CUTS, TRIES_MAX = 1000, 50
CHILD = "tests.contract.store.rounds_child"
CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "write")
LATER = NOW + timedelta(hours=1)


def prove_cuts(_: Wishes) -> Iterator[Figure]:
    """R6: each of a thousand matches is finished on a connection that dies once its COMMIT was handed on."""
    try:
        server = OwnPostgres()
    except ServerMissingError as error:
        raise ProofError(str(error)) from error
    try:
        upgrade(server.url)
        cuts = asyncio.run(_cut(server.url))
        yield at_least("cuts after COMMIT", cuts, CUTS)
        for name, query, bar in _QUESTIONS:
            yield exactly(name, asyncio.run(_ask(server.url, query)), bar)
    finally:
        server.remove()


_QUESTIONS = (
    ("matches", "SELECT count(DISTINCT match_id) FROM round_matches", CUTS),
    ("rows of matches", "SELECT count(*) FROM round_matches", CUTS),
    ("rows of events, two for each", "SELECT count(*) FROM round_events", 2 * CUTS),
    ("rows of statistics, one for each", "SELECT count(*) FROM round_statistics", CUTS),
    ("tasks that are done", "SELECT count(*) FROM scrape_tasks WHERE state = 'DONE'", CUTS),
    ("jobs that are done", "SELECT count(*) FROM scrape_jobs WHERE state = 'DONE'", 1),
)


async def _ask(url: str, query: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval(query))
    finally:
        await connection.close()


async def _cut(url: str) -> int:
    proxy = CuttingProxy(url)
    async with proxy as through:
        store = open_store(through)
        await store.open()
        journal = RoundJournal(store)
        for number, lease in enumerate(await _leases(journal), start=1):
            assert lease.task is not None
            await _finished(journal, lease, match(lease.task.key), proxy)
            if number % 200 == 0:
                tell(f"{number} cuts")
        await store.close()
    return proxy.cuts


async def _leases(journal: RoundJournal) -> list[Lease]:
    await journal.ask(job())
    (lease,) = await journal.take_jobs("brasileirao", taker())
    await journal.list_round(lease, [listing(f"m{number}") for number in range(CUTS)], NOW)
    return await journal.take("brasileirao", taker(limit=CUTS))


async def _finished(journal: RoundJournal, lease: Lease, found: RoundMatch, proxy: CuttingProxy) -> None:
    """Told again until there is an answer, the first time into the cut."""
    before = proxy.cuts
    proxy.is_cutting = True
    for _ in range(TRIES_MAX):
        try:
            await journal.finish(lease, found, NOW)
        except StoreError:
            await SystemClock().sleep(0.01)
        else:
            proxy.is_cutting = False
            return
        finally:
            proxy.is_cutting = proxy.cuts == before
    raise ProofError("a verdict found no way into the database")


def prove_statements(_: Wishes) -> Iterator[Figure]:
    """R21: a process that stores a round is killed at each write and sync; then another one ends it."""
    if not is_possible():
        raise ProofError("strace is missing or may not trace: apt-get install strace")
    points = half = undone = 0
    with empty_folder("statements") as folder:
        empty = folder / "empty.db"
        asyncio.run(rounds_child.prepared(empty))
        for call in CALLS:
            for number in range(1, POINTS_MAX):
                path = folder / "round.db"
                _fresh(empty, path)
                is_over = "closed" in run_killed([CHILD, str(path)], call, number)
                half += _half(path)
                asyncio.run(rounds_child.lived(path, LATER))
                undone += not _is_whole(path)
                if is_over:
                    break
                points += 1
            tell(f"{call}: {points} points so far")
    yield at_least("points at which it was killed", points, 20)
    yield exactly("matches that were half there after a kill", half, 0)
    yield exactly("rounds that were not whole in the end", undone, 0)
    yield noted("killed at", ", ".join(CALLS))


def _fresh(empty: Path, path: Path) -> None:
    for old in path.parent.glob(f"{path.name}*"):
        old.unlink()
    shutil.copyfile(empty, path)


def _half(path: Path) -> int:
    """Matches without all of their rows, and verdicts without their match or the other way round."""
    with closing(sqlite3.connect(path)) as kept:
        return int(kept.execute(_HALF).fetchone()[0])


_HALF = """
SELECT count(*) FROM scrape_tasks t LEFT JOIN round_matches m ON m.match_id = t.match_id
WHERE (t.state = 'DONE') <> (m.match_id IS NOT NULL)
   OR (m.match_id IS NOT NULL AND (
      (SELECT count(*) FROM round_events e WHERE e.match_id = t.match_id) <> 2
      OR (SELECT count(*) FROM round_statistics s WHERE s.match_id = t.match_id) <> 1
      OR (SELECT count(*) FROM round_lineups l WHERE l.match_id = t.match_id) <> 2))
"""


def _is_whole(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as kept:
        rows = kept.execute("SELECT count(*), count(DISTINCT match_id) FROM round_matches").fetchone()
        done = kept.execute("SELECT count(*) FROM scrape_jobs WHERE state = 'DONE'").fetchone()[0]
    return tuple(rows) == (rounds_child.MATCHES, rounds_child.MATCHES) and done == 1 and _half(path) == 0
