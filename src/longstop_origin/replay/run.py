"""Plays a real match through the whole engine on virtual time, and lets the oracle judge what was kept.

Everything above the socket is the product's own code: discovery, fetching, parsing, checking, ledger, store,
supervision. Only the network and the clock are replaced, so an afternoon passes in a second.
"""

import asyncio
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.observe.report import RunReport
from longstop.observe.signals import Signals
from longstop.resilience.pace import PaceLimits
from longstop.serve.account import account_of
from longstop.sources.registry import create
from longstop.store.sqlite import SqliteStore
from longstop.supervise.engine import Engine, EngineParts
from longstop.supervise.options import EngineOptions
from longstop_origin.cricsheet import load_cricsheet
from longstop_origin.faults import FaultPlan
from longstop_origin.fixture import Fixture
from longstop_origin.judging import Account, Verdict, judge
from longstop_origin.oracle import MatchTruth, truth_of
from longstop_origin.replay.fetcher import BASE_URL, WorldFetcher
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
SOURCE = "crex"
# After the end the site may still correct itself, and a finished match is looked at every five minutes.
SETTLING_SECONDS = 330.0
# However bad the faults: half an hour after the end nothing more can be expected.
PATIENCE_SECONDS = 1800.0
LOOK_SECONDS = 5.0


class ReplayOptions(msgspec.Struct, frozen=True):
    seed: int = 0
    faults: str = "none"
    speed: float = 10.0
    poll_seconds: float = 2.5


def replay_file(path: Path, options: ReplayOptions) -> dict[str, Any]:
    """One file, one world, one engine. Raises CricsheetError when the file is none."""
    script = load_cricsheet(path)
    world = World(
        WorldOptions(
            epoch=EPOCH.timestamp(),
            seed=options.seed,
            speed=options.speed,
            scripts=[script],
            corrections=options.faults,
        )
    )
    return {"file": path.name} | virtual_time.run(_Replay(world, options).run())


class _Replay:
    def __init__(self, world: World, options: ReplayOptions) -> None:
        self._world = world
        self._options = options
        self._clock = LoopClock(EPOCH)
        self._site = Site(world, FaultPlan(options.faults, options.seed))
        self._store = SqliteStore(None, clock=self._clock)
        self._bus = Signals()
        self._report = RunReport()
        self._report.subscribe(self._bus)
        self._fixture: Fixture = world.listed(EPOCH.timestamp())[0]

    @property
    def _match_id(self) -> str:
        return f"{SOURCE}_{self._fixture.key}"

    async def run(self) -> dict[str, Any]:
        await self._store.open()
        engine = self._engine()
        try:
            await engine.start()
            await self._until_settled(engine)
            late = await engine.stop("the match is over")
            return await self._tell(late)
        except asyncio.CancelledError:
            # Ctrl-C. To supervisors a cancellation that nobody announced is a failure, and they would begin again.
            await engine.stop("interrupted")
            raise
        finally:
            await self._store.close()

    def _engine(self) -> Engine:
        fetcher = WorldFetcher(self._site, self._clock)
        parts = EngineParts(
            (create(SOURCE, BASE_URL),),
            self._store,
            self._clock,
            self._bus,
            {SOURCE: fetcher},
            chance=random.Random(self._options.seed),
        )
        pace = PaceLimits(baseline_seconds=self._options.poll_seconds)
        return Engine(parts, EngineOptions(pace=pace, measures_resources=False))

    async def _until_settled(self, engine: Engine) -> None:
        """Until the match is over and whole, and stayed so for a while; or until patience ends."""
        ends = self._fixture.ends_at - EPOCH.timestamp()
        while self._clock.monotonic() < ends + PATIENCE_SECONDS:
            await self._clock.sleep(LOOK_SECONDS)
            is_whole = all(watch.is_finished for watch in engine.watches)
            if self._clock.monotonic() >= ends + SETTLING_SECONDS and is_whole:
                return

    async def _tell(self, late: tuple[str, ...]) -> dict[str, Any]:
        account = await account_of(self._store, self._match_id)
        at = self._world.time(self._clock.now().timestamp())
        verdict = judge(self._fixture, at, msgspec.convert(account, Account))
        truth = truth_of(self._fixture, at)
        gaps = await self._store.gaps(self._match_id)
        return {
            "match_id": self._match_id,
            "is_clean": verdict.is_clean and not late,
            **_counts(verdict),
            "innings": account["innings"],
            "result": truth.result,
            "result_kept": account["result"],
            **_people(account, truth),
            "corrections": self._report.corrections,
            "gaps": {"recorded": len(gaps), "open": sum(gap.closed_at is None for gap in gaps)},
            "polls": sum(self._report.polls.values()),
            "polls_by_outcome": dict(sorted(self._report.polls.items())),
            "requests": sum(self._site.requests.values()),
            "faults_by_kind": dict(sorted(self._site.faults.items())),
            "restarts": self._report.restarts,
            "late": list(late),
            "virtual_seconds": round(self._clock.monotonic(), 1),
        }


def _counts(verdict: Verdict) -> dict[str, Any]:
    return {"events": verdict.counts.to_dict(), "faults": verdict.faults}


def _people(account: dict[str, Any], truth: MatchTruth) -> dict[str, Any]:
    """Who left, who was out and who came in, from what was kept, with names."""
    name = truth.names.get
    wickets = [
        {"place": f"{ball['innings']}.{ball['over']}.{ball['position']}", "kind": found["kind"]}
        | {"player": name(found["player"], found["player"])}
        for ball in account["balls"]
        for found in ball["wickets"]
    ]
    replacements = [
        found | {"in": name(found["in"], found["in"]), "out": found["out"] and name(found["out"], found["out"])}
        for ball in account["balls"]
        for found in ball["replacements"]
    ]
    return {
        "wickets": wickets,
        "retirements": [found for found in wickets if found["kind"].startswith("retired")],
        "replacements": replacements,
    }
