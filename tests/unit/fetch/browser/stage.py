"""A pool of made-up browsers on virtual time."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.pool import BrowserPool
from longstop.fetch.browser.recycling import ContextLimits, UnitLimits
from longstop.fetch.browser.roster import PoolOptions
from longstop.observe.signals import Signal, Signals
from tests.unit.fetch.browser.fake_fleet import FakeFleet, FakeUnit

NEED = ContextNeed("crex")
UNLIMITED = UnitLimits(0, 0, 0, 0, 0, 0, 0, 0)
FOREVER = ContextLimits(0, 0, 0, 0, 0)


class Stage:
    def __init__(self, options: PoolOptions) -> None:
        self.clock = LoopClock(datetime(2026, 11, 18, tzinfo=UTC))
        self.bus = Signals()
        self.told: list[Signal] = []
        self.bus.subscribe_all(self.told.append)
        self.fleet = FakeFleet(self.clock)
        self.pool = BrowserPool(self.fleet, self.clock, self.bus, options)

    @property
    def units(self) -> list[FakeUnit]:
        return self.fleet.units

    def of(self, kind: type[Signal]) -> list[Signal]:
        return [each for each in self.told if isinstance(each, kind)]

    async def until(self, is_so: Callable[[], bool], seconds: float = 60.0) -> float:
        began = self.clock.monotonic()
        while not is_so():
            assert self.clock.monotonic() - began < seconds, "it did not come to that"
            await self.clock.sleep(0.05)
        return self.clock.monotonic() - began


def options(
    browsers: int = 2, contexts: int = 2, units: UnitLimits = UNLIMITED, context: ContextLimits = FOREVER
) -> PoolOptions:
    return PoolOptions(browsers=browsers, contexts=contexts, unit_limits=units, context_limits=context)


def play(scene: Callable[[Stage], Awaitable[None]], given: PoolOptions = options()) -> None:  # noqa: B008 - frozen
    async def whole() -> None:
        stage = Stage(given)
        await stage.pool.start()
        await scene(stage)
        await stage.pool.stop()
        assert stage.fleet.is_closed
        assert not any(unit.is_up for unit in stage.units), "a browser outlived its pool"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    virtual_time.run(whole())


async def leases_of(stage: Stage, count: int, seconds: float = 600.0) -> list[Lease]:
    return list(await asyncio.gather(*(stage.pool.acquire(NEED, seconds) for _ in range(count))))
