"""A thousand matches at 2.5 s on the replay rung, on two cores with the origin beside them."""

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import aiohttp
import msgspec

from benchmarks.figures import Figure, Wishes, at_least, below, noted, tell
from benchmarks.processes import Running, Usage, empty_folder, get_json, origin, up
from benchmarks.proofs.fresh import read_report

MATCHES = 1000
AGE_SECONDS = 5.0
CORES = 1.0
RSS_MB = 600.0
# To take in a thousand matches that are under way, with every ball so far.
WARM_UP_SECONDS = 120.0
LOOK_SECONDS = 15.0
GROWTH_PERCENT = 5.0
MB = 2**20


class Seen(NamedTuple):
    engine: list[Usage]
    site: list[Usage]
    ages_p99: list[float]


def prove_thousand(wishes: Wishes) -> Iterator[Figure]:
    seconds = wishes.minutes * 60
    with empty_folder("thousand") as folder:
        site, url = origin("--matches", str(MATCHES), "--speed", "1", folder=folder / "origin")
        with site:
            engine, api = up(*_words(url, seconds), folder=folder / "engine")
            with engine:
                seen = asyncio.run(_watch(api, engine, site, seconds))
                engine.end()
        report = read_report(folder / "engine" / "r.json", engine)
    yield from _figures(seen)
    yield noted("polls a second", report["polls"] / report["duration_seconds"])
    yield noted("extraction to stored, p99", report["latency_extraction_to_stored_ms"]["p99"], "ms")


def _words(url: str, seconds: float) -> list[str]:
    sets = (
        "sources.crex.enabled=true",
        f"sources.crex.base_url={url}",
        "database.url=sqlite:///thousand.db",
        "sources.crex.rate_limits.min_interval_seconds=0",
        # The beat itself is measured: no match may take its time.
        "scraper.adaptive.polling=false",
        "scraper.fetch.rungs=replay",
        "scraper.monitoring.logging.level=WARNING",
    )
    words = [word for each in sets for word in ("--set", each)]
    return [*words, "--for", f"{WARM_UP_SECONDS + seconds + 300:.0f}s", "--report", "r.json"]


async def _watch(api: str, engine: Running, site: Running, seconds: float) -> Seen:
    seen = Seen([], [], [])
    async with aiohttp.ClientSession() as session:
        await asyncio.sleep(WARM_UP_SECONDS)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            seen.engine.append(engine.usage())
            seen.site.append(site.usage())
            seen.ages_p99.append(_p99(await _ages(session, api)))
            if len(seen.engine) % 4 == 1:
                tell(f"p99 age {seen.ages_p99[-1]:.1f} s, {seen.engine[-1].rss_bytes / MB:.0f} MB")
            await asyncio.sleep(LOOK_SECONDS)
    return seen


async def _ages(session: aiohttp.ClientSession, api: str) -> list[float]:
    """Since the last capture of each active match; one that was never captured is as old as can be."""
    found = await get_json(session, f"{api}/health")
    now = datetime.now(UTC)
    return [
        (now - msgspec.convert(each["last_update"], datetime)).total_seconds() if each["last_update"] else float("inf")
        for each in found["scrapers"]
    ]


def _p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))] if values else float("inf")


def _figures(seen: Seen) -> Iterator[Figure]:
    first, last = seen.engine[0], seen.engine[-1]
    yield at_least("looks", len(seen.engine), 2)
    yield below("age p99, the worst of all looks", max(seen.ages_p99), AGE_SECONDS, "s")
    yield below("engine, cores", last.cpu_share_since(first), CORES)
    yield noted("origin, cores", seen.site[-1].cpu_share_since(seen.site[0]))
    yield below("engine, memory at most", max(each.rss_bytes for each in seen.engine) / MB, RSS_MB, "MB")
    yield below("growth after the first third", _growth_percent(seen.engine), GROWTH_PERCENT, "%")


def _growth_percent(usages: list[Usage]) -> float:
    """The last third beside the second: balls are bowled, so a little is to be expected."""
    third = max(1, len(usages) // 3)
    before = usages[third : 2 * third] or usages
    after = usages[-third:]
    mean_before, mean_after = (sum(each.rss_bytes for each in part) / len(part) for part in (before, after))
    return (mean_after / mean_before - 1) * 100
