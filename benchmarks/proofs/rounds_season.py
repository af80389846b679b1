"""A season of 38 rounds with mild faults, by a process that is killed again and again, and what is kept of it."""

import asyncio
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Wishes, below, exactly, noted, tell
from benchmarks.processes import LONGSTOP, empty_folder, start
from longstop.clock import SystemClock
from longstop.domain.rounds import RoundRef
from longstop.observe.signals import Signals
from longstop.rounding import open_rounds
from longstop.settings import Settings
from longstop.sources.brasileirao import BrasileiraoSource
from longstop.store.open import open_store
from longstop_origin.faults import FaultPlan
from longstop_origin.league.season import Season, SeasonOptions
from longstop_origin.league.site import LeagueSite
from longstop_origin.server import serve_site
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions

ROUNDS, MATCHES = 38, 380
RUNS_MAX = 200
SETTINGS = ("--set", "jobs.base_delay=0.2", "--set", "jobs.max_delay=1", "--set", "jobs.max_attempts=6")


def prove_season(wishes: Wishes) -> Iterator[Figure]:
    with empty_folder("season") as folder:
        with league() as url:
            kills, runs = _until_whole(folder, url, wishes.kills or 20)
        yield exactly("kills", kills, wishes.kills or 20)
        yield noted("runs until everything was there", runs)
        yield from _figures_of(folder / "season.db")


@contextmanager
def league() -> Iterator[str]:
    """A season that has been played, with mild faults, served from a thread of its own."""
    loop, clock = asyncio.new_event_loop(), SystemClock()
    turning = threading.Thread(target=loop.run_forever)
    turning.start()
    now = clock.now().timestamp()
    league = LeagueSite(Season.invented(SeasonOptions(now=now)), FaultPlan("mild", 5, hang_seconds=5.0))
    site = Site(World(WorldOptions(epoch=now, seed=1, matches=0)), league=league)
    serving = serve_site(site, now=lambda: clock.now().timestamp())
    try:
        yield asyncio.run_coroutine_threadsafe(serving.__aenter__(), loop).result(10).url
    finally:
        asyncio.run_coroutine_threadsafe(serving.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        turning.join(10)
        loop.close()


def _command(url: str, *words: str) -> list[str]:
    source = ("--set", "sources.brasileirao.enabled=true", "--set", f"sources.brasileirao.base_url={url}")
    rate = ("--set", "sources.brasileirao.rate_limits.min_interval_seconds=0")
    return [str(LONGSTOP), "rounds", *words, "--set", "database.url=sqlite:///season.db", *source, *rate, *SETTINGS]


def _until_whole(folder: Path, url: str, kills_wanted: int) -> tuple[int, int]:
    """First killed at any moment, then left alone, retrying what died on the way as an operator would."""
    chance, kills = random.Random(8), 0
    for run in range(1, RUNS_MAX):
        words = ("scrape", "serie-a", "2026", f"1..{ROUNDS}") if run <= kills_wanted + 1 else ("retry-failed",)
        with start(_command(url, *words), folder) as running:
            if kills < kills_wanted:
                time.sleep(chance.uniform(1.5, 4.0))
                if running.popen.poll() is None:
                    running.popen.send_signal(signal.SIGKILL)
                    kills += 1
                running.popen.wait()
                continue
            code = running.popen.wait(600)
        tell(f"run {run} ended with {code} after {kills} kills")
        if code == 0:
            return kills, run
    return kills, RUNS_MAX


def _figures_of(database: Path) -> Iterator[Figure]:
    with closing(sqlite3.connect(database)) as kept:

        def one(query: str) -> Any:
            return kept.execute(query).fetchone()[0]

        yield exactly("matches that are there, finished", one(FINISHED), MATCHES)
        yield exactly("matches with more than one revision of the same", one(TWICE), 0)
        yield exactly("matches whose goals are not all there", one(HALF), 0)
        yield exactly("matches without statistics or line-ups", one(BARE), 0)
        yield exactly("tasks that are not done", one("SELECT count(*) FROM scrape_tasks WHERE state <> 'DONE'"), 0)
        yield exactly("jobs that are not done", one("SELECT count(*) FROM scrape_jobs WHERE state <> 'DONE'"), 0)
        yield exactly("tasks", one("SELECT count(*) FROM scrape_tasks"), MATCHES)
        yield noted("leases that were lost", one("SELECT sum(losses) FROM scrape_tasks"))
        yield exactly("the database is whole", one("PRAGMA integrity_check"), "ok")


FINISHED = "SELECT count(DISTINCT match_id) FROM round_matches WHERE is_finished"
TWICE = "SELECT count(*) FROM (SELECT 1 FROM round_matches GROUP BY match_id HAVING count(*) > 1) AS twice"
HALF = """
SELECT count(*) FROM round_matches m WHERE m.home_goals + m.away_goals <>
    (SELECT count(*) FROM round_events e WHERE e.match_id = m.match_id AND e.revision = m.revision AND e.kind = 'goal')
"""
BARE = """
SELECT count(*) FROM round_matches m
WHERE NOT EXISTS (SELECT 1 FROM round_statistics s WHERE s.match_id = m.match_id AND s.revision = m.revision)
   OR NOT EXISTS (SELECT 1 FROM round_lineups l WHERE l.match_id = m.match_id AND l.revision = m.revision)
"""


def prove_poison(_: Wishes) -> Iterator[Figure]:
    """The same round with and without a match that hangs until our deadline, by turns in one run."""
    healthy, poisoned = [], []
    for _turn in range(3):
        healthy.append(asyncio.run(_seconds_of_round(is_poisoned=False)))
        poisoned.append(asyncio.run(_seconds_of_round(is_poisoned=True)))
    delay = 100 * (min(poisoned) / min(healthy) - 1)
    yield noted("a round of ten without it", min(healthy), "s")
    yield noted("the nine others with it", min(poisoned), "s")
    yield below("the others are later by", delay, 5.0, "%")


async def _seconds_of_round(*, is_poisoned: bool) -> float:
    """From asking until the nine others are stored. Each answer takes a while, as real ones do."""
    clock = SystemClock()
    now = clock.now().timestamp()
    league = LeagueSite(Season.invented(SeasonOptions(now=now)), hang_seconds=3.0, answer_seconds=0.2)
    poison = league.season.listed(1)[9].key
    if is_poisoned:
        league.poison[poison] = "hang"
    site = Site(World(WorldOptions(epoch=now, seed=1, matches=0)), league=league)
    with empty_folder("poison") as folder:
        settings = Settings.model_validate(
            {"storage": {"root": folder}, "database": {"url": f"sqlite:///{folder}/r.db"}, "jobs": {"concurrency": 4}}
        )
        store = open_store(settings.database.url.get_secret_value(), clock=clock)
        async with serve_site(site, now=lambda: clock.now().timestamp()) as server:
            await store.open()
            room = open_rounds(BrasileiraoSource(server.url), settings, store, clock, Signals(), is_simulated=True)
            try:
                return await _until_others_are_done(room, str(poison), clock)
            finally:
                await room.close()
                await store.close()


async def _until_others_are_done(room: Any, poison: str, clock: SystemClock) -> float:
    began = clock.monotonic()
    view, _ = await room.desk.ask(RoundRef("brasileirao", "serie-a", 2026, 1))
    draining = asyncio.create_task(room.runner.drain())
    try:
        while True:
            tasks = await room.desk.tasks(view.job.job_id)
            others = [task for task in tasks if task.key != poison]
            if len(others) == 9 and all(task.state.value == "DONE" for task in others):
                return clock.monotonic() - began
            await clock.sleep(0.005)
    finally:
        draining.cancel()
        await asyncio.gather(draining, return_exceptions=True)
