"""One run of the engine against a guarded site, watched from outside: what every proof of the ladder begins with."""

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from benchmarks.figures import Figure, ProofError, below, exactly, noted, tell
from benchmarks.judgement import compared
from benchmarks.proc_tree import Footprint, ProcessTree, processes_naming
from benchmarks.processes import Running, empty_folder, get_json, origin, post_json, up

AGE_SECONDS = 10.0
LOOK_SECONDS = 0.5
WEIGH_SECONDS = 2.0
TELL_SECONDS = 30.0
START_SECONDS = 60.0
SETTLE_SECONDS = 12.0
GRACE_SECONDS = 240.0
# The site is ours and takes what we ask: the usual two calls a second would be too few for as many matches.
SETS = (
    "sources.crex.enabled=true",
    "sources.crex.rate_limits.min_interval_seconds=0.02",
    "database.url=sqlite:///kept.db",
)


@dataclass(frozen=True)
class Stage:
    """`guards` are the site's, `sets` the engine's. `has_feed`: the site tells single balls on this way."""

    matches: int
    guards: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    speed: float = 5.0
    has_feed: bool = True


@dataclass
class Captures:
    """When each live match was captured, as the API tells it, and how old it was at each look while it was played: in
    a break it is looked at each 30 s, as it should be."""

    at: dict[str, list[datetime]] = field(default_factory=dict)
    ages: list[float] = field(default_factory=list)
    first_seen: dict[str, datetime] = field(default_factory=dict)
    live: set[str] = field(default_factory=set)
    playing: set[str] = field(default_factory=set)
    rested: set[tuple[str, datetime]] = field(default_factory=set)

    def look(self, matches: list[dict[str, Any]]) -> None:
        now = datetime.now(UTC)
        self.live = {each["matchId"] for each in matches if each["status"] == "live"}
        self.playing = {each["matchId"] for each in matches if each["play_state"] == "play"} & self.live
        for each in matches:
            if each["matchId"] not in self.live:
                continue
            scraped_at = each["_metadata"]["scraped_at"]
            first = self.first_seen.setdefault(each["matchId"], now)
            captured = msgspec.convert(scraped_at, datetime) if scraped_at else first
            if each["matchId"] in self.playing:
                self.ages.append((now - captured).total_seconds())
            else:
                self.rested.add((each["matchId"], captured))
            times = self.at.setdefault(each["matchId"], [])
            if scraped_at and (not times or times[-1] < captured):
                times.append(captured)

    def next_after(self, match: str, moment: datetime) -> float | None:
        """Seconds from then to the next capture; None when there was none yet."""
        found = next((each for each in self.at.get(match, ()) if each > moment), None)
        return None if found is None else (found - moment).total_seconds()

    def gaps(self) -> list[float]:
        return [
            (later - earlier).total_seconds()
            for match, times in self.at.items()
            for earlier, later in itertools.pairwise(times)
            if (match, earlier) not in self.rested
        ]


@dataclass
class Scene:
    """A run that goes on."""

    url: str
    api: str
    session: aiohttp.ClientSession
    tree: ProcessTree
    captures: Captures = field(default_factory=Captures)
    footprints: list[Footprint] = field(default_factory=list)
    rungs: Counter[str] = field(default_factory=Counter)

    async def look(self) -> None:
        self.captures.look((await get_json(self.session, f"{self.api}/cricket-data/matches"))["matches"])


@dataclass(frozen=True)
class Seen:
    """What is known when everything has ended."""

    scene: Scene
    stats: dict[str, Any]
    report: dict[str, Any]
    verdict: dict[str, Any]
    logged: list[dict[str, Any]]
    code: int
    seconds: float
    site_bytes: int
    left_processes: int
    left_folders: list[str]

    def told(self, message: str) -> int:
        return sum(message in (line.get("event"), line.get("message")) for line in self.logged)


Meanwhile = Callable[[Scene], Coroutine[Any, Any, None]]


def held(stage: Stage, seconds: float, meanwhile: Meanwhile | None = None) -> Seen:
    """Starts both, watches for so long (or until `meanwhile` is through), lets the world stand still, ends, judges."""
    with empty_folder("ladder") as folder:
        words = [word for guard in stage.guards for word in ("--guard", guard)]
        world = ("--matches", str(stage.matches), "--speed", f"{stage.speed:g}", "--seed", "11", *words)
        site, url = origin(*world, folder=folder / "origin")
        with site:
            sets = (*SETS, f"sources.crex.base_url={url}")
            settings = [word for each in (*sets, *stage.sets) for word in ("--set", each)]
            ends = ("--for", f"{seconds + GRACE_SECONDS:.0f}s", "--report", "r.json")
            engine, api = up(*settings, *ends, folder=folder / "engine")
            with engine:
                found = asyncio.run(_watch(stage, engine, (api, url), seconds, meanwhile))
                code = engine.end()
            verdict = asyncio.run(compared(folder / "engine" / "kept.db", url))
        scene, stats, watched_seconds, site_bytes = found
        return Seen(
            scene=scene,
            stats=stats,
            report=_report(folder / "engine" / "r.json", engine),
            verdict=verdict,
            logged=[json.loads(line) for line in engine.logged.splitlines() if line.startswith("{")],
            code=code,
            seconds=watched_seconds,
            site_bytes=site_bytes,
            left_processes=len({each.pid for each in scene.tree.left()} | {*processes_naming(folder / "engine")}),
            left_folders=left_folders(folder / "engine"),
        )


def left_folders(engine: Path) -> list[str]:
    """What browser and driver wrote: profiles, sockets, crash dumps, traces."""
    places = (engine / "tmp", engine / "var" / "browser")
    return [path.name for place in places if place.exists() for path in place.iterdir()]


def _report(path: Path, engine: Running) -> dict[str, Any]:
    if not path.exists():
        raise ProofError(f"there is no report: {engine.logged[-300:].strip()}")
    return dict(json.loads(path.read_text(encoding="utf-8")))


async def _watch(
    stage: Stage,
    engine: Running,
    addresses: tuple[str, str],
    seconds: float,
    meanwhile: Meanwhile | None,
) -> tuple[Scene, dict[str, Any], float, int]:
    api, url = addresses
    async with aiohttp.ClientSession() as session:
        scene = Scene(url, api, session, ProcessTree(engine.popen.pid))
        await _until_all_are_there(scene, stage.matches)
        scene.footprints.append(scene.tree.look())
        sent = await _sent_bytes(session, url)
        began = time.monotonic()
        doing = asyncio.create_task(_until(began + seconds) if meanwhile is None else meanwhile(scene))
        weighing = asyncio.create_task(_weigh(scene, doing))
        await _look_on(scene, doing)
        await doing
        await weighing
        watched_seconds, site_bytes = time.monotonic() - began, await _sent_bytes(session, url) - sent
        await _count_rungs(scene)
        await post_json(session, f"{url}/_origin/freeze")
        await asyncio.sleep(SETTLE_SECONDS if stage.has_feed else LOOK_SECONDS)
        return scene, await get_json(session, f"{url}/_origin/stats"), watched_seconds, site_bytes


async def _until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


async def _until_all_are_there(scene: Scene, matches: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while len(scene.captures.live) < matches or len(scene.captures.at) < matches:
        if time.monotonic() > deadline:
            raise ProofError(f"{len(scene.captures.at)} of {matches} matches had data within {START_SECONDS:g} s")
        await asyncio.sleep(LOOK_SECONDS)
        await scene.look()
    scene.captures.ages.clear()


async def _look_on(scene: Scene, doing: "asyncio.Task[None]") -> None:
    told = time.monotonic()
    while not doing.done():
        await scene.look()
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            pss = scene.footprints[-1].pss_bytes // 2**20
            oldest = max(scene.captures.ages[-50:], default=0.0)
            tell(f"{len(scene.captures.live)} live, oldest in play {oldest:.1f} s, PSS {pss} MB")
        await asyncio.sleep(LOOK_SECONDS)


async def _weigh(scene: Scene, doing: "asyncio.Task[None]") -> None:
    while not doing.done():
        scene.footprints.append(await asyncio.to_thread(scene.tree.look))
        await asyncio.sleep(WEIGH_SECONDS)


async def _count_rungs(scene: Scene) -> None:
    for match in sorted(scene.captures.live):
        info = await get_json(scene.session, f"{scene.api}/cricket-data/match-info/{match}")
        scene.rungs[info["_metadata"].get("rung") or "none"] += 1


async def _sent_bytes(session: aiohttp.ClientSession, url: str) -> int:
    """What the site has answered with, headers and all."""
    return int((await get_json(session, f"{url}/_origin/stats"))["bytes_sent"])


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("inf")


def about_ages(seen: Seen) -> Iterator[Figure]:
    ages = seen.scene.captures.ages
    yield below("age p99, by the engine", seen.report["freshness"]["p99_seconds"], AGE_SECONDS, "s")
    yield below("age p99, as the API shows it", percentile(ages, 0.99), AGE_SECONDS, "s")
    yield noted("age max, as the API shows it", max(ages, default=float("inf")), "s")


def about_record(seen: Seen) -> Iterator[Figure]:
    total = seen.verdict["total"]
    yield noted("balls bowled", total["truth"])
    for name in ("lost", "duplicated", "unexpected", "wrong"):
        yield exactly(f"balls {name}", total[name], 0)


def about_end(seen: Seen) -> Iterator[Figure]:
    yield exactly("exit code", seen.code, 0)
    yield exactly("processes left", seen.left_processes, 0)
    yield exactly("temporary folders left", len(seen.left_folders), 0)


def pss_peak_bytes(seen: Seen) -> int:
    return max(each.pss_bytes for each in seen.scene.footprints)
