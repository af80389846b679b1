"""The whole engine on virtual time in a world of the origin: any number of matches, any store, judged by the oracle.

`longstop replay` plays one match until it is over. Here a world runs as long as somebody wants, so that proofs and
tests can look at what happens in between.
"""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from benchmarks.weather import Forecast, Weather
from longstop.clock import Clock, LoopClock
from longstop.observe.report import RunReport
from longstop.observe.signals import Signals
from longstop.resilience.pace import PaceLimits
from longstop.serve.account import account_of
from longstop.sources.registry import create
from longstop.store.contract import Store
from longstop.store.sqlite import SqliteStore
from longstop.supervise.engine import Engine, EngineParts
from longstop.supervise.options import EngineOptions
from longstop.watch import Watch
from longstop_origin.faults import FaultPlan
from longstop_origin.fixture import Fixture
from longstop_origin.judging import Account, Verdict, judge
from longstop_origin.replay.fetcher import BASE_URL, WorldFetcher
from longstop_origin.site import Site
from longstop_origin.world import World

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
SOURCE = "crex"
# Longer than any burst of faults, so that each match has had a good poll since.
SETTLE_SECONDS = 90.0


class Conditions(msgspec.Struct, frozen=True):
    faults: str = "none"
    seed: int = 0
    poll_seconds: float = 2.5
    is_adaptive: bool = True
    discovery_seconds: float = 15.0


class Simulation:
    """Must be made and used on one loop: a virtual one, `virtual_time.run(...)`, unless a `clock` is handed in."""

    def __init__(
        self,
        world: World,
        conditions: Conditions | None = None,
        store: Store | None = None,
        forecast: Forecast | None = None,
        clock: Clock | None = None,
    ) -> None:
        conditions = conditions or Conditions()
        chance = random.Random(conditions.seed)
        self.world = world
        self.clock = clock or LoopClock(EPOCH)
        self.site = Site(world, FaultPlan(conditions.faults, conditions.seed))
        self.store = store or SqliteStore(None, clock=self.clock)
        self.bus = Signals()
        self.report = RunReport()
        self.report.subscribe(self.bus)
        self.weather = Weather(
            WorldFetcher(self.site, self.clock), forecast or Forecast(), self.clock, random.Random(conditions.seed)
        )
        parts = EngineParts(
            (create(SOURCE, BASE_URL),),
            self.store,
            self.clock,
            self.bus,
            {SOURCE: self.weather},
            chance=chance,
        )
        self.engine = Engine(
            parts,
            EngineOptions(
                pace=PaceLimits(baseline_seconds=conditions.poll_seconds, is_adaptive=conditions.is_adaptive),
                discovery_seconds=conditions.discovery_seconds,
                measures_resources=False,
            ),
        )

    async def run_for(self, seconds: float) -> None:
        """One life of the engine: start, so many virtual seconds, the last polls of a world that stands still."""
        await self.start()
        await self.clock.sleep(seconds)
        await self.settle()
        await self.stop()

    async def settle(self) -> None:
        """The world stands still, so that what is kept can be held against what is true.

        A match that rests is given the rest of its rest: five minutes are no hurry on virtual time."""
        self.world.freeze(self.clock.now().timestamp())
        rests = [each.rests_until or 0.0 for each in self.engine.assignments()]
        await self.clock.sleep(max(0.0, max(rests, default=0.0) - self.clock.monotonic()) + SETTLE_SECONDS)

    async def start(self) -> None:
        await self.store.open()
        await self.engine.start()

    async def stop(self) -> None:
        """The store stays open, so that it can be judged; `close` ends it."""
        late = await self.engine.stop("enough was seen")
        assert not late, late

    async def close(self) -> None:
        await self.store.close()

    @property
    def polls(self) -> int:
        return sum(self.report.polls.values())

    def watch(self, fixture: Fixture) -> Watch | None:
        return next((each for each in self.engine.watches if each.ref.key == fixture.key), None)

    async def verdicts(self) -> dict[str, Verdict]:
        """By key: what was kept of each match that has begun, against what is true of it now."""
        now = self.clock.now().timestamp()
        return {fixture.key: await self.verdict(fixture) for fixture in self.world.begun(now)}

    async def verdict(self, fixture: Fixture) -> Verdict:
        account = await account_of(self.store, f"{SOURCE}_{fixture.key}")
        at = self.world.time(self.clock.now().timestamp())
        return judge(fixture, at, msgspec.convert(account, Account))


def unclean(verdicts: dict[str, Verdict]) -> dict[str, Any]:
    """What is wrong, in plain data; empty when nothing is."""
    return {
        key: {**verdict.counts.to_dict(), "faults": verdict.faults}
        for key, verdict in verdicts.items()
        if not verdict.is_clean
    }


def last_end(fixtures: Sequence[Fixture]) -> float:
    """Virtual seconds until the last of these matches is over."""
    return max(fixture.ends_at for fixture in fixtures) - EPOCH.timestamp()
