"""R14: a whole process is stopped for a minute and a half, and goes on: nothing stale passes for fresh, nobody is
restarted for what nobody could do, nothing is lost."""

import asyncio
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, noted, tell
from benchmarks.judgement import compared
from benchmarks.processes import Running, empty_folder, get_json, origin, post_json, up
from benchmarks.proofs.supervision_kills import about_record

MATCHES = 10
STOPPED_SECONDS, WARM_SECONDS, AFTER_SECONDS = 90.0, 20.0, 60.0
STALE_SECONDS, FRESH_SECONDS, BACK_SECONDS_MAX = 60.0, 10.0, 10.0
SETTLE_SECONDS = 30.0
_RESTART = re.compile(r'"event": ?"(?:recovery begun|service restarted)"')


class Seen(msgspec.Struct):
    """`passed_for_fresh`: answers after the stop that told an old capture without saying that it is stale."""

    first_ages: list[float] = []
    passed_for_fresh: int = 0
    back_seconds: float = 0.0
    restarts: int = 0


def prove_stopped(_: Wishes) -> Iterator[Figure]:
    with empty_folder("stopped") as folder:
        site, url = origin("--matches", str(MATCHES), folder=folder / "origin")
        with site:
            seen = asyncio.run(_stopped(folder / "engine", url))
            verdict = asyncio.run(compared(folder / "engine" / "stopped.db", url))
    yield noted("the process was stopped for", STOPPED_SECONDS, "s")
    yield at_least("youngest live match in the first answer after it", min(seen.first_ages), STALE_SECONDS, "s")
    yield exactly("old captures that passed for fresh", seen.passed_for_fresh, 0)
    yield below("all fresh again after", seen.back_seconds, BACK_SECONDS_MAX, "s")
    yield exactly("restarts of matches and services", seen.restarts, 0)
    yield from about_record(verdict)


async def _stopped(folder: Path, url: str) -> Seen:
    sets = (
        "sources.crex.enabled=true",
        f"sources.crex.base_url={url}",
        "database.url=sqlite:///stopped.db",
        "sources.crex.rate_limits.min_interval_seconds=0",
    )
    running, api = up(*(word for each in sets for word in ("--set", each)), folder=folder)
    with running:
        async with aiohttp.ClientSession() as session:
            await asyncio.sleep(WARM_SECONDS)
            before = _restarts(running)
            running.popen.send_signal(signal.SIGSTOP)
            tell(f"stopped for {STOPPED_SECONDS:g} s")
            await asyncio.sleep(STOPPED_SECONDS)
            running.popen.send_signal(signal.SIGCONT)
            seen = await _looked_at(session, api)
            seen.restarts = _restarts(running) - before
            await post_json(session, f"{url}/_origin/freeze")
            await asyncio.sleep(SETTLE_SECONDS)
        running.end()
    return seen


async def _looked_at(session: aiohttp.ClientSession, api: str) -> Seen:
    seen, began = Seen(), time.monotonic()
    while time.monotonic() - began < AFTER_SECONDS:
        live = await _live(session, api)
        ages = [each["data_age_seconds"] for each in live]
        seen.first_ages = seen.first_ages or ages
        seen.passed_for_fresh += sum(
            each["data_age_seconds"] >= STALE_SECONDS and not each["is_stale"] for each in live
        )
        if not seen.back_seconds and max(ages) < FRESH_SECONDS:
            seen.back_seconds = time.monotonic() - began
        await asyncio.sleep(0.1)
    return seen


async def _live(session: aiohttp.ClientSession, api: str) -> list[dict[str, Any]]:
    found = await get_json(session, f"{api}/cricket-data/matches?status=live")
    return [each["_metadata"] for each in found["matches"]]


def _restarts(running: Running) -> int:
    """Of services, and whatever else was done to get well again."""
    return len(_RESTART.findall(running.logged + running.said))
