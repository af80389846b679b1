"""A season by two Celery workers on PostgreSQL and a real broker, one of them killed again and again."""

import asyncio
import random
import time
from collections.abc import Iterator

import asyncpg  # type: ignore[import-untyped]  # it brings no types

from benchmarks.figures import Figure, ProofError, Wishes, exactly, noted, tell
from benchmarks.processes import empty_folder
from benchmarks.proofs.rounds_season import BARE, FINISHED, HALF, MATCHES, ROUNDS, TWICE, league
from longstop.clock import SystemClock
from longstop.domain.rounds import RoundRef
from longstop.jobs.rounds.desk import RoundsDesk
from longstop.observe.signals import Signals
from longstop.store.open import open_store
from longstop.store.rounds.journal import RoundJournal
from longstop.store.schema import upgrade
from tests.servers.own_postgres import OwnPostgres
from tests.servers.process import ServerMissingError
from tests.servers.redis import RedisServer
from tests.servers.workers import RunningWorker, WorkerPlace

CLOCK = SystemClock()
SEASON_SECONDS_MAX = 1800.0
JOBS: dict[str, object] = {"base_delay": 0.2, "max_delay": 1, "max_attempts": 6, "lease": 3}


def prove_workers(wishes: Wishes) -> Iterator[Figure]:
    try:
        database, broker = OwnPostgres(), RedisServer.started()
    except ServerMissingError as error:
        raise ProofError(str(error)) from error
    try:
        upgrade(database.url)
        with empty_folder("workers") as folder, league() as url:
            began = time.monotonic()
            place = WorkerPlace(folder, url, database.url, broker.url)
            kills = asyncio.run(_season(place, wishes.kills or 20))
            yield exactly("workers killed", kills, wishes.kills or 20)
            yield noted("the season took", time.monotonic() - began, "s")
        for name, query, bar in _QUESTIONS:
            yield exactly(name, asyncio.run(_ask(database.url, query)), bar)
        yield noted("leases that were lost", asyncio.run(_ask(database.url, "SELECT sum(losses) FROM scrape_tasks")))
    finally:
        broker.stop()
        database.remove()


_QUESTIONS = (
    ("matches that are there, finished", FINISHED, MATCHES),
    ("matches with more than one revision of the same", TWICE, 0),
    ("matches whose goals are not all there", HALF, 0),
    ("matches without statistics or line-ups", BARE, 0),
    ("tasks that are not done", "SELECT count(*) FROM scrape_tasks WHERE state <> 'DONE'", 0),
    ("jobs that are not done", "SELECT count(*) FROM scrape_jobs WHERE state <> 'DONE'", 0),
    ("tasks", "SELECT count(*) FROM scrape_tasks", MATCHES),
)


async def _season(place: WorkerPlace, kills_wanted: int) -> int:
    """Until every match is there; what died on the way is retried as an operator would."""
    store = open_store(place.database, clock=CLOCK)
    await store.open()
    desk = RoundsDesk(RoundJournal(store), CLOCK, Signals())
    workers = [_worker(place, number) for number in range(2)]
    try:
        kills = await _killed_on_the_way(place, workers, desk, kills_wanted)
        await _until_whole(desk)
        return kills
    finally:
        await asyncio.gather(*(asyncio.to_thread(worker.stop) for worker in workers))
        await store.close()


def _worker(place: WorkerPlace, number: int) -> RunningWorker:
    return RunningWorker(place, f"worker-{number}", "--concurrency", "2", "--beat", **JOBS)


async def _killed_on_the_way(place: WorkerPlace, workers: list[RunningWorker], desk: RoundsDesk, wanted: int) -> int:
    """Rounds are asked for as the kills go on, so that there is always something under way."""
    chance = random.Random(9)
    for kill in range(wanted):
        for number in range(1, ROUNDS + 1)[kill * ROUNDS // wanted : (kill + 1) * ROUNDS // wanted]:
            await desk.ask(RoundRef("brasileirao", "serie-a", 2026, number))
        await _until_more(desk)
        await CLOCK.sleep(chance.uniform(0.0, 0.5))
        await asyncio.to_thread(workers[kill % 2].kill)
        workers[kill % 2] = _worker(place, kill % 2)
        tell(f"{kill + 1} kills, {await _done(desk)} matches")
    return wanted


async def _done(desk: RoundsDesk) -> int:
    return sum(view.summary.done for view in await desk.views())


async def _until_more(desk: RoundsDesk) -> None:
    before, deadline = await _done(desk), CLOCK.monotonic() + 60.0
    while await _done(desk) < before + 3:
        if CLOCK.monotonic() > deadline:
            raise ProofError("the workers bring nothing any more")
        await CLOCK.sleep(0.1)


async def _until_whole(desk: RoundsDesk) -> None:
    deadline = CLOCK.monotonic() + SEASON_SECONDS_MAX
    while any(view.summary.done < view.summary.all or not view.summary.all for view in await desk.views()):
        if CLOCK.monotonic() > deadline:
            raise ProofError("the season was not there in time")
        await desk.retry_failed()
        await CLOCK.sleep(1.0)


async def _ask(url: str, query: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval(query) or 0)
    finally:
        await connection.close()
