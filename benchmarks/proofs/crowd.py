"""Two hundred matches at 2.5 s on two cores, the origin beside them."""

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import cycle, islice
from typing import Any, NamedTuple

import aiohttp
import msgspec

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, noted, tell
from benchmarks.judgement import compared
from benchmarks.processes import Running, Usage, empty_folder, get_json, origin, post_json, up
from benchmarks.proofs.fresh import AGE_SECONDS, read_report
from benchmarks.shared_data import cricsheet_files

MATCHES = 200
LOOK_SECONDS = 5.0
WARM_UP_SECONDS = 10.0
# Four polls of each match: what was true when the world stopped has arrived.
SETTLE_SECONDS = 10.0
GRACE_SECONDS = 120.0
END_SECONDS = 60.0
# A match must not be over before the proof is: most of a T20 at five times life.
SMALLEST_FILE_BYTES = 60_000


class Seen(NamedTuple):
    """From outside: the ages that the API shows, the live matches, and what the two processes used."""

    ages: list[float]
    live_fewest: int
    engine: tuple[Usage, Usage]
    site: tuple[Usage, Usage]


def prove_crowd(wishes: Wishes) -> Iterator[Figure]:
    with empty_folder("crowd") as folder:
        site, url = origin(*_world(wishes.speed), folder=folder / "origin")
        with site:
            engine, api = up(*_engine_words(url, wishes.minutes), folder=folder / "engine")
            with engine:
                seen = asyncio.run(_watch(api, url, (engine, site), wishes.minutes * 60))
                code = engine.end()
            verdict = asyncio.run(compared(folder / "engine" / "crowd.db", url))
        report = read_report(folder / "engine" / "r.json", engine)
    yield exactly("exit code", code, 0)
    yield from _about_engine(report, seen)
    yield from _about_record(verdict)


def _world(speed: float) -> list[str]:
    files = [path for path in cricsheet_files() if path.stat().st_size >= SMALLEST_FILE_BYTES]
    chosen = islice(cycle(files), MATCHES)
    return ["--matches", "0", "--speed", f"{speed:g}", *(word for path in chosen for word in ("--file", str(path)))]


def _engine_words(url: str, minutes: float) -> list[str]:
    """It would end by itself too, should nobody be left to end it."""
    sets = (
        "sources.crex.enabled=true",
        f"sources.crex.base_url={url}",
        # The site is ours. The usual rate, two calls a second for all matches of a source, is enough for five of them.
        "sources.crex.rate_limits.min_interval_seconds=0",
        "database.url=sqlite:///crowd.db",
    )
    words = [word for each in sets for word in ("--set", each)]
    return [*words, "--for", f"{minutes * 60 + GRACE_SECONDS:.0f}s", "--report", "r.json"]


async def _watch(api: str, url: str, processes: tuple[Running, Running], seconds: float) -> Seen:
    engine, site = processes
    ages: list[float] = []
    live: list[int] = []
    async with aiohttp.ClientSession() as session:
        await asyncio.sleep(WARM_UP_SECONDS)
        before = engine.usage(), site.usage()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = await _ages(session, api)
            ages += found
            live.append(len(found))
            if len(live) % 12 == 1:
                tell(f"{len(found)} live matches, oldest {max(found, default=0):.1f} s")
            await asyncio.sleep(LOOK_SECONDS)
        after = engine.usage(), site.usage()
        await post_json(session, f"{url}/_origin/freeze")
        await asyncio.sleep(SETTLE_SECONDS)
    return Seen(ages, min(live), (before[0], after[0]), (before[1], after[1]))


async def _ages(session: aiohttp.ClientSession, api: str) -> list[float]:
    found = await get_json(session, f"{api}/cricket-data/matches")
    now = datetime.now(UTC)
    return [
        (now - _moment(each["_metadata"]["scraped_at"])).total_seconds()
        for each in found["matches"]
        if each["status"] == "live"
    ]


def _moment(text: str | None) -> datetime:
    """A live match without any data is as old as can be."""
    return msgspec.convert(text, datetime) if text else datetime.min.replace(tzinfo=UTC)


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("inf")


def _about_engine(report: dict[str, Any], seen: Seen) -> Iterator[Figure]:
    yield at_least("live matches, at the fewest", seen.live_fewest, MATCHES)
    yield below("age p99, by the engine", report["freshness"]["p99_seconds"], AGE_SECONDS, "s")
    yield below("age p99, as the API shows it", _percentile(seen.ages, 0.99), AGE_SECONDS, "s")
    yield noted("age max, by the engine", report["freshness"]["max_seconds"], "s")
    yield noted("polls a second", report["polls"] / report["duration_seconds"])
    yield noted("polls that brought something new", f"{report['updates'] / report['polls']:.0%}")
    yield below("extraction to stored, mean", report["latency_extraction_to_stored_ms"]["mean"], 500.0, "ms")
    yield noted("ball bowled to ball stored, p99", report["delay_source_to_stored_ms"]["p99"], "ms")
    yield noted("engine, share of one core", f"{seen.engine[1].cpu_share_since(seen.engine[0]):.0%}")
    yield noted("origin, share of one core", f"{seen.site[1].cpu_share_since(seen.site[0]):.0%}")
    yield noted("engine, memory at the start", round(seen.engine[0].rss_bytes / 2**20, 1), "MB")
    yield noted("engine, memory at the end", round(seen.engine[1].rss_bytes / 2**20, 1), "MB")


def _about_record(verdict: dict[str, Any]) -> Iterator[Figure]:
    total = verdict["total"]
    yield at_least("balls bowled", total["truth"], 1)
    for name in ("lost", "duplicated", "unexpected", "wrong"):
        yield exactly(f"balls {name}", total[name], 0)
    yield exactly("matches with wrong facts", sum(bool(each["faults"]) for each in verdict["matches"].values()), 0)
    yield exactly("matches nobody played", len(verdict["strangers"]), 0)
