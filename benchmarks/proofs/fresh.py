"""`longstop up --origin --for 60s --report`: what everybody sees first, and what it says of itself afterwards."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.figures import Figure, ProofError, Wishes, at_least, below, exactly, holds, noted, tell
from benchmarks.processes import Running, empty_folder, get_json, up

RUN_SECONDS = 60
LOOK_SECONDS = 3.0
# Discovery, the first poll of ten matches and the overs that were bowled before we came.
WARM_UP_SECONDS = 6.0
END_SECONDS = 90.0
AGE_SECONDS = 10.0


def prove_fresh(_: Wishes) -> Iterator[Figure]:
    with empty_folder("fresh") as folder:
        running, api = up("--origin", "--for", f"{RUN_SECONDS}s", "--report", "r.json", folder=folder)
        with running:
            looks = asyncio.run(_look_on(api))
            code = running.wait(END_SECONDS)
        yield exactly("exit code", code, 0)
        yield from _about_looks(looks)
        yield from about_report(read_report(folder / "r.json", running))


def read_report(path: Path, running: Running) -> dict[str, Any]:
    if not path.exists():
        raise ProofError(f"there is no report: {running.logged[-300:].strip()}")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def about_report(report: dict[str, Any]) -> Iterator[Figure]:
    events = report["events"]
    for name in ("lost", "duplicated", "unexpected", "wrong"):
        yield exactly(f"events {name}", events[name], 0)
    yield exactly("facts of innings and results that are wrong", len(report["wrong_facts"]), 0)
    yield at_least("events stored", events["stored"], 1)
    yield below("age p99", report["freshness"]["p99_seconds"], AGE_SECONDS, "s")
    yield below("extraction to stored, mean", report["latency_extraction_to_stored_ms"]["mean"], 500.0, "ms")
    yield noted("polls", report["polls"])
    yield noted("ball bowled to ball stored, p50", report["delay_source_to_stored_ms"]["p50"], "ms")
    yield noted("memory", report["memory"]["rss_mb_max"], "MB")


async def _look_on(api: str) -> list[list[dict[str, Any]]]:
    """What a consumer sees meanwhile: the live matches, at each look."""
    looks = []
    await asyncio.sleep(WARM_UP_SECONDS)
    async with aiohttp.ClientSession() as session:
        for number in range(int((RUN_SECONDS - WARM_UP_SECONDS - LOOK_SECONDS) / LOOK_SECONDS)):
            found = await get_json(session, f"{api}/cricket-data/matches")
            looks.append([each for each in found["matches"] if each["status"] == "live"])
            if number % 5 == 0:
                tell(f"{len(looks[-1])} live matches: {', '.join(sorted({each['format'] for each in looks[-1]}))}")
            await asyncio.sleep(LOOK_SECONDS)
    return looks


def _about_looks(looks: list[list[dict[str, Any]]]) -> Iterator[Figure]:
    seen = [match for look in looks for match in look]
    stale = [match for match in seen if match["_metadata"]["is_stale"]]
    playing = [match["_metadata"]["data_age_seconds"] or 0 for match in seen if match["play_state"] == "play"]
    yield at_least("live matches, at the fewest", min(map(len, looks)), 8)
    yield at_least("formats, at the fewest", min(len({match["format"] for match in look}) for look in looks), 3)
    yield holds("all fresh in the API", not stale, f"{len(stale)} stale of {len(seen)} seen", "0 stale")
    yield below("oldest match in play, in the API", max(playing, default=0), AGE_SECONDS, "s")
