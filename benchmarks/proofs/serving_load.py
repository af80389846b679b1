"""A hundred requests a second for a minute, beside two hundred live matches that are scraped by the same process."""

import asyncio
from collections.abc import Iterator
from itertools import cycle, islice

import aiohttp

from benchmarks.figures import Figure, ProofError, Wishes, at_least, below, exactly, noted, tell
from benchmarks.http_load import Load, steadily
from benchmarks.processes import empty_folder, get_json, origin, up
from benchmarks.proofs.fresh import AGE_SECONDS
from benchmarks.shared_data import cricsheet_files

MATCHES = 200
PER_SECOND = 100.0
SECONDS = 60.0
P95_MILLIS, P99_MILLIS = 50.0, 150.0
WARM_UP_SECONDS = 20.0
LIFE_SECONDS = 400
SPEED = 2.0
SMALLEST_FILE_BYTES = 60_000


def prove_load(_: Wishes) -> Iterator[Figure]:
    with empty_folder("load") as folder:
        site, url = origin(*_world(), folder=folder / "origin")
        with site:
            sets = (
                *("sources.crex.enabled=true", f"sources.crex.base_url={url}", "database.url=sqlite:///load.db"),
                "sources.crex.rate_limits.min_interval_seconds=0",  # the site is our own
            )
            words = [word for each in sets for word in ("--set", each)]
            engine, api = up(*words, "--for", f"{LIFE_SECONDS}s", folder=folder / "engine")
            with engine:
                load, ages = asyncio.run(_run(api))
    yield noted("requests", len(load.seconds))
    yield noted("p50", load.percentile_ms(0.5), "ms")
    yield below("p95 at 100 requests a second", load.percentile_ms(0.95), P95_MILLIS, "ms")
    yield below("p99 at 100 requests a second", load.percentile_ms(0.99), P99_MILLIS, "ms")
    yield exactly("answers that were not 200", sum(n for status, n in load.statuses.items() if status != 200), 0)
    yield at_least("live matches", ages[1], MATCHES)
    yield below("oldest live match seen", ages[0], AGE_SECONDS, "s")


def _world() -> list[str]:
    files = [path for path in cricsheet_files() if path.stat().st_size >= SMALLEST_FILE_BYTES]
    chosen = islice(cycle(files), MATCHES)
    return ["--matches", "0", "--speed", f"{SPEED:g}", *(word for path in chosen for word in ("--file", str(path)))]


async def _run(api: str) -> tuple[Load, tuple[float, int]]:
    async with aiohttp.ClientSession() as session:
        ids = await _until_live(session, api)
        tell(f"{len(ids)} matches are live")
        await asyncio.sleep(WARM_UP_SECONDS)
        paths = [_path(number, match_id) for number, match_id in enumerate(ids)]
        watching = asyncio.create_task(_oldest(session, api))
        load = await steadily(api, paths, PER_SECOND, SECONDS)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        summary = await get_json(session, f"{api}/status")
    return load, (max(_SEEN, default=float("inf")), int(summary["freshness_stats"]["count"]))


def _path(number: int, match_id: str) -> str:
    """What consumers ask for: mostly one match, now and then what happened in it, the list, or a scorecard."""
    kinds = (
        *(f"/cricket-data/match-info/{match_id}",) * 6,
        f"/cricket-data/matches/{match_id}/events?limit=50",
        "/cricket-data/matches?status=live&limit=50",
        f"/cricket-data/matches/{match_id}/delta",
        f"/cricket-data/matches/{match_id}/scorecard",
    )
    return kinds[number % len(kinds)]


_SEEN: list[float] = []


async def _oldest(session: aiohttp.ClientSession, api: str) -> None:
    while True:
        stats = (await get_json(session, f"{api}/status"))["freshness_stats"]
        _SEEN.append(float(stats["max"]))
        if _SEEN[-1] > AGE_SECONDS:
            tell(await _who_is_old(session, api))
        await asyncio.sleep(1.0)


async def _who_is_old(session: aiohttp.ClientSession, api: str) -> str:
    """Whoever asks why a match was late wants to know which, and what is said of it."""
    scrapers = (await get_json(session, f"{api}/health"))["scrapers"]
    oldest = min(scrapers, key=lambda each: each["last_update"] or "")
    shown = ("match_id", "last_update", "total_updates", "total_errors", "polling_interval", "start_time")
    return f"{_SEEN[-1]:.1f} s: " + ", ".join(f"{name} {oldest[name]}" for name in shown)


async def _until_live(session: aiohttp.ClientSession, api: str) -> list[str]:
    found = 0
    for _ in range(120):
        body = await get_json(session, f"{api}/cricket-data/matches?status=live&limit=1000")
        found = len(body["matches"])
        if found >= MATCHES:
            return [match["matchId"] for match in body["matches"]]
        await asyncio.sleep(1.0)
    raise ProofError(f"only {found} of {MATCHES} matches came alive")
