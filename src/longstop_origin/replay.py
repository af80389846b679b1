"""Plays a real match through the whole engine on virtual time, and lets the oracle judge what was kept."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.observe.signals import Signals
from longstop.store.sqlite import SqliteStore
from longstop_origin.cricsheet import load_cricsheet
from longstop_origin.faults import FaultPlan
from longstop_origin.fetcher import WorldFetcher
from longstop_origin.world import World, WorldOptions

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
# After the end the site may still correct itself, and a finished match is looked at every five minutes.
SETTLING_SECONDS = 330.0
# However bad the faults: half an hour after the end nothing more can be expected.
PATIENCE_SECONDS = 1800.0


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
    return virtual_time.run(_Replay(world, options).run()) | {"file": path.name}


class _Replay:
    def __init__(self, world: World, options: ReplayOptions) -> None:
        self._world = world
        self._options = options
        self._clock = LoopClock(EPOCH)
        self._plan = FaultPlan(options.faults, options.seed)
        self._store = SqliteStore(None, clock=self._clock)
        self._fetcher = WorldFetcher(world, self._plan, self._clock)
        self._bus = Signals()

    async def run(self) -> dict[str, Any]:
        await self._store.open()
        engine = self._engine()
        try:
            await engine.start()
            await self._until_settled(engine)
            await engine.stop("the match is over")
            return await self._judge()
        finally:
            await self._store.close()
