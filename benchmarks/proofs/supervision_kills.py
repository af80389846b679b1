"""The engine is killed with `kill -9` again and again: how soon there is new data, and whether anything was lost."""

import asyncio
import signal
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import msgspec

from benchmarks.figures import Figure, ProofError, Wishes, at_least, below, exactly, noted, tell
from benchmarks.judgement import compared
from benchmarks.processes import Running, empty_folder, get_json, origin, post_json, up

MATCHES = 20
SPEED = 5.0
NEW_DATA_SECONDS = 5.0
# Between the first new data of one life and its end.
LIFE_SECONDS = (1.0, 8.0)
WAIT_SECONDS = 60.0
LOOK_SECONDS = 0.05
SETTLE_SECONDS = 60.0


def prove_kills(wishes: Wishes) -> Iterator[Figure]:
    chance = Random(wishes.kills)
    with empty_folder("kills") as folder:
        site, url = origin("--matches", str(MATCHES), "--speed", f"{SPEED:g}", folder=folder / "origin")
        with site:
            back = [_one_life(folder / "engine", url, chance, number) for number in range(wishes.kills)]
            _last_life(folder / "engine", url)
            verdict = asyncio.run(compared(folder / "engine" / "kills.db", url))
    yield exactly("lives ended by kill -9", len(back), wishes.kills)
    yield below("first new data after a start, the longest", max(back, default=0.0), NEW_DATA_SECONDS, "s")
    yield noted("first new data after a start, the median", sorted(back)[len(back) // 2] if back else 0.0, "s")
    yield from about_record(verdict)


def about_record(verdict: dict[str, Any]) -> Iterator[Figure]:
    total = verdict["total"]
    yield at_least("balls bowled", total["truth"], 1)
    for name in ("lost", "duplicated", "unexpected", "wrong"):
        yield exactly(f"balls {name}", total[name], 0)
    yield exactly("matches with wrong facts", sum(bool(each["faults"]) for each in verdict["matches"].values()), 0)


def _one_life(folder: Path, url: str, chance: Random, number: int) -> float:
    began, at = time.monotonic(), datetime.now(UTC)
    running, api = _started(folder, url)
    with running:
        seconds = asyncio.run(_until_new_data(api, at)) - began
        time.sleep(chance.uniform(*LIFE_SECONDS))
        running.popen.send_signal(signal.SIGKILL)
        running.wait(WAIT_SECONDS)
    tell(f"life {number + 1}: new data after {seconds:.2f} s")
    return seconds


def _last_life(folder: Path, url: str) -> None:
    """The world stands still, so that what is kept can be held against what is true."""
    running, _ = _started(folder, url)
    with running:
        asyncio.run(_settled(url))
        running.end()


def _started(folder: Path, url: str) -> tuple[Running, str]:
    sets = (
        "sources.crex.enabled=true",
        f"sources.crex.base_url={url}",
        "database.url=sqlite:///kills.db",
        # Two calls a second would be enough for five matches, and not for reading twenty from their first ball on.
        "sources.crex.rate_limits.min_interval_seconds=0",
    )
    return up(*(word for each in sets for word in ("--set", each)), folder=folder)


async def _until_new_data(api: str, since: datetime) -> float:
    """The moment at which the API shows a match that was captured in this life."""
    deadline = time.monotonic() + WAIT_SECONDS
    async with aiohttp.ClientSession() as session:
        while time.monotonic() < deadline:
            found = await get_json(session, f"{api}/cricket-data/matches")
            if any(_moment(each["_metadata"]["scraped_at"]) > since for each in found["matches"]):
                return time.monotonic()
            await asyncio.sleep(LOOK_SECONDS)
    raise ProofError(f"no match was captured within {WAIT_SECONDS:g} s of a start")


async def _settled(url: str) -> None:
    """A match that was joined late is read from its first ball on, some overs with each poll."""
    async with aiohttp.ClientSession() as session:
        await asyncio.sleep(LIFE_SECONDS[1])
        await post_json(session, f"{url}/_origin/freeze")
        await asyncio.sleep(SETTLE_SECONDS)


def _moment(text: str | None) -> datetime:
    return msgspec.convert(text, datetime) if text else datetime.min.replace(tzinfo=UTC)
