"""Rounds by real Celery workers, on a real Redis and a real PostgreSQL: killed, doubled, cut off, and the same end."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from longstop.clock import SystemClock
from longstop.distribute.celery_app import make_app, send
from longstop.domain.errors import SettingsError
from longstop.domain.rounds import JobState, RoundRef
from longstop.jobs.rounds.desk import RoundsDesk
from longstop.observe.signals import Signals
from longstop.settings import Settings
from longstop.store.open import open_store
from longstop.store.rounds.journal import RoundJournal
from longstop.store.schema import upgrade
from longstop.working import require_shared
from longstop_origin.league.season import Season, SeasonOptions
from longstop_origin.league.site import LeagueSite
from longstop_origin.server import serve_site
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions
from tests.servers.process import ServerMissingError
from tests.servers.rabbitmq import RabbitServer
from tests.servers.redis import RedisServer
from tests.servers.workers import RunningWorker, WorkerPlace

CLOCK = SystemClock()
pytestmark = pytest.mark.timeout(180)


class Hall:
    """A league, a journal, and as many workers as a test wants."""

    def __init__(self, place: WorkerPlace, league: LeagueSite, journal: RoundJournal) -> None:
        self.place = place
        self.league = league
        self.journal = journal
        self.desk = RoundsDesk(journal, CLOCK, Signals())
        self.workers: list[RunningWorker] = []

    def start(self, *words: str, **jobs: object) -> RunningWorker:
        short: dict[str, object] = {"base_delay": 0.1, "max_delay": 0.5, "lease": 3, **jobs}
        worker = RunningWorker(self.place, f"worker-{len(self.workers)}", "--concurrency", "2", *words, **short)
        self.workers.append(worker)
        return worker

    async def ask(self, number: int) -> str:
        view, _ = await self.desk.ask(RoundRef("brasileirao", "serie-a", 2026, number))
        return view.job.job_id

    async def settled(self, *job_ids: str, within: float = 90.0) -> list[Any]:
        async def is_settled() -> bool:
            return all([(await self.desk.view(job_id)).job.state.is_settled for job_id in job_ids])

        await self.until(is_settled, within)
        return [await self.desk.view(job_id) for job_id in job_ids]

    async def done(self) -> int:
        views = await self.desk.views()
        return sum(view.summary.done for view in views)

    async def until(self, is_so: Callable[[], Awaitable[bool]], within: float) -> None:
        deadline = CLOCK.monotonic() + within
        while not await is_so():
            assert CLOCK.monotonic() < deadline, self.logs()
            await CLOCK.sleep(0.1)

    def logs(self) -> str:
        return "\n".join(worker.log.read_text()[-3000:] for worker in self.workers)


def invented(answer_seconds: float = 0.0) -> LeagueSite:
    season = Season.invented(SeasonOptions(now=CLOCK.now().timestamp()))
    return LeagueSite(season, hang_seconds=2.0, answer_seconds=answer_seconds)


@asynccontextmanager
async def hall_of(folder: Path, league: LeagueSite, database: str, broker: str) -> AsyncIterator[Hall]:
    origin = Site(World(WorldOptions(epoch=CLOCK.now().timestamp(), seed=1, matches=0)), league=league)
    upgrade(database)
    store = open_store(database, clock=CLOCK)
    async with serve_site(origin, now=lambda: CLOCK.now().timestamp()) as server:
        await store.open()
        hall = Hall(WorkerPlace(folder, server.url, database, broker), league, RoundJournal(store))
        try:
            yield hall
        finally:
            await asyncio.gather(*(asyncio.to_thread(worker.stop) for worker in hall.workers))
            await store.close()


async def each_effect_once(hall: Hall, *numbers: int) -> bool:
    """Every match is there, whole, in one revision."""
    for number in numbers:
        matches = await hall.desk.matches(RoundRef("brasileirao", "serie-a", 2026, number))
        whole = [match for match in matches if match.report.statistics and match.report.lineups]
        if [match.revision for match in whole] != [1] * 10:
            return False
    return True


@pytest.mark.req("E5")
async def test_a_worker_killed_in_the_middle_leaves_every_match_there_once(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    async with hall_of(tmp_path, invented(answer_seconds=0.3), postgres_url, redis_url) as hall:
        jobs = [await hall.ask(number) for number in (1, 2, 3)]
        doomed, _ = hall.start("--beat"), hall.start("--beat")

        async def is_under_way() -> bool:
            return await hall.done() >= 3

        await hall.until(is_under_way, 60)
        await asyncio.to_thread(doomed.kill)
        views = await hall.settled(*jobs)

        assert [view.job.state for view in views] == [JobState.DONE] * 3
        assert await each_effect_once(hall, 1, 2, 3)
        codes = [await asyncio.to_thread(worker.stop) for worker in hall.workers[1:]]
    assert codes == [0]


@pytest.mark.req("E5")
async def test_a_poison_match_becomes_a_dead_letter_and_the_others_are_stored(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    async with hall_of(tmp_path, invented(), postgres_url, redis_url) as hall:
        poison = hall.league.season.listed(4)[2].key
        hall.league.poison[poison] = "server error"
        hall.start("--beat", max_attempts=3)
        (view,) = await hall.settled(await hall.ask(4))
        letters = await hall.desk.dead_letters()

    assert (view.job.state, view.summary.done, view.summary.failed) == (JobState.FAILED, 9, 1)
    assert [(letter.key, letter.attempt) for letter in letters] == [(str(poison), 3)]


@pytest.mark.req("E5")
async def test_a_message_that_comes_again_and_again_finds_nothing_to_take(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    slow = invented(answer_seconds=1.5)  # longer than a message may be unacknowledged
    async with hall_of(tmp_path, slow, postgres_url, redis_url) as hall:
        sender = make_app(redis_url, None)
        job_id = await hall.ask(5)
        for _ in range(2):
            hall.start("--beat", visibility=1)

        async def is_listed() -> bool:
            return (await hall.desk.view(job_id)).summary.all == 10

        await hall.until(is_listed, 60)
        keys = [task.key for task in await hall.desk.tasks(job_id)]
        for key in keys * 3:
            await asyncio.to_thread(send, sender, "longstop.scrape_match", job_id, key)
        (view,) = await hall.settled(job_id)
        sender.close()

        assert view.summary.outcomes == {"stored": 10}
        assert await each_effect_once(hall, 5)
    assert [hall.league.asked[f"/jogo/{key}/"] for key in keys] == [1] * 10


@pytest.mark.req("E5")
async def test_after_redis_was_killed_and_started_work_goes_on_within_fifteen_seconds(
    tmp_path: Path, postgres_url: str
) -> None:
    server = RedisServer.started()
    try:
        async with hall_of(tmp_path, invented(), postgres_url, server.url) as hall:
            hall.start("--beat")
            await hall.settled(await hall.ask(6))
            server.kill()
            await CLOCK.sleep(3.0)
            server.start_again()
            began = CLOCK.monotonic()
            job_id = await hall.ask(7)

            async def is_begun() -> bool:
                return (await hall.desk.view(job_id)).job.state is not JobState.PENDING

            await hall.until(is_begun, 15.0)
            seconds = CLOCK.monotonic() - began
            (view,) = await hall.settled(job_id)
    finally:
        server.stop()

    assert seconds < 15.0
    assert view.job.state is JobState.DONE


@pytest.mark.req("E5")
async def test_a_worker_that_consumes_no_longer_is_replaced_and_one_without_keeper_ends(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    async with hall_of(tmp_path, invented(), postgres_url, redis_url) as hall:
        worker = hall.start("--beat")
        await hall.settled(await hall.ask(8))
        (stuck,) = psutil.Process(worker.popen.pid).children()
        os.kill(stuck.pid, signal.SIGSTOP)  # connected, and deaf
        job_id = await hall.ask(9)
        (view,) = await hall.settled(job_id, within=60)
        assert view.job.state is JobState.DONE
        assert not stuck.is_running()
        (fresh,) = psutil.Process(worker.popen.pid).children()
        worker.popen.kill()
        await asyncio.to_thread(worker.popen.wait)
        await asyncio.to_thread(fresh.wait, 30)


@pytest.mark.req("E5")
async def test_rounds_are_brought_by_way_of_rabbitmq_too(tmp_path: Path, postgres_url: str) -> None:
    try:
        server = await asyncio.to_thread(RabbitServer.started)
    except ServerMissingError as error:
        pytest.skip(str(error))
    try:
        async with hall_of(tmp_path, invented(answer_seconds=0.2), postgres_url, server.url) as hall:
            jobs = [await hall.ask(number) for number in (10, 11)]
            doomed, _ = hall.start("--beat"), hall.start("--beat")

            async def is_under_way() -> bool:
                return await hall.done() >= 2

            await hall.until(is_under_way, 60)
            await asyncio.to_thread(doomed.kill)
            views = await hall.settled(*jobs)
            assert [view.job.state for view in views] == [JobState.DONE] * 2
            assert await each_effect_once(hall, 10, 11)
    finally:
        await asyncio.to_thread(server.stop)


@pytest.mark.req("E5")
def test_workers_cannot_share_a_sqlite(tmp_path: Path) -> None:
    chosen = {
        "database": {"url": f"sqlite:///{tmp_path}/r.db"},
        "jobs": {"broker_url": "redis://127.0.0.1:1/0"},
    }
    with pytest.raises(SettingsError, match="workers cannot share"):
        require_shared(Settings.model_validate(chosen))
