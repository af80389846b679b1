"""Browsers without a browser, for the pool's own rules on virtual time. What the real ones do is in tests/browser."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserTimeoutError
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.orphans import OrphanReport
from longstop.fetch.browser.processes import Identity, Process
from longstop.fetch.browser.survey import Ending, Survey


class FakeTraffic:
    def __init__(self) -> None:
        self.requests = 3
        self.blocked = Counter({"image": 1})


class FakeHeld:
    def __init__(self, unit: "FakeUnit") -> None:
        self.unit = unit
        self.raw: Any = self
        self.pages: list[Any] = []
        self.traffic: Any = FakeTraffic()
        self.crashed = asyncio.Event()
        self.claimed: set[int] = set()
        self.is_hung = False
        self.is_closed = False
        self.close_hangs = False

    async def new_page(self) -> Any:
        self.pages.append(object())
        return self.pages[-1]

    async def probe(self, seconds: float) -> None:
        if self.is_hung:
            await self.unit.clock.sleep(seconds)
            raise BrowserTimeoutError("A page did not answer.")

    async def close(self, seconds: float) -> None:
        if self.close_hangs:
            await self.unit.clock.sleep(seconds)
            raise BrowserTimeoutError("A context did not close.")
        await self.unit.clock.sleep(0.01)
        self.is_closed = True


class FakeUnit:
    """`survey` and the hang switches are the test's to turn."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        self.clock = clock
        self.driver: Identity | None = None
        self.browser: Identity | None = None
        self.start_seconds = 1.0
        self.open_seconds = 0.1
        self.probe_seconds = 0.01
        self.start_error: BrowserError | None = None
        self.open_error: Exception | None = None
        self.is_hung = False
        self.is_up = False
        self.endings: list[bool] = []
        self.contexts: list[FakeHeld] = []
        self.survey = Survey(is_driver_alive=True, is_browser_alive=True)

    async def start(self) -> None:
        await self.clock.sleep(self.start_seconds)
        if self.start_error is not None:
            raise self.start_error
        self.driver, self.browser = Identity(10, 1), Identity(20, 1)
        self.is_up = True

    async def open_context(self, need: ContextNeed) -> FakeHeld:
        await self.clock.sleep(self.open_seconds)
        if self.open_error is not None:
            raise self.open_error
        self.contexts.append(FakeHeld(self))
        return self.contexts[-1]

    async def probe(self, seconds: float) -> float:
        if self.is_hung:
            await self.clock.sleep(seconds)
            raise BrowserTimeoutError("The browser did not answer.")
        await self.clock.sleep(self.probe_seconds)
        return self.probe_seconds

    async def end(self, gently: bool) -> Ending:
        self.endings.append(gently)
        await self.clock.sleep(0.2)
        self.is_up = False
        return Ending(5, 0, 0.2)

    def weigh(self, pss_bytes: int) -> None:
        """One process of this size."""
        process = Process(20, "chromium", "S", 10, 20, 20, 1, pss_bytes)
        self.survey = msgspec.structs.replace(self.survey, members=(process,), pss={20: pss_bytes})


class FakeFleet:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.units: list[FakeUnit] = []
        self.sweeps = 0
        self.is_closed = False
        self.start_errors: list[BrowserError | None] = []
        self.highest = 0

    async def open(self) -> None:
        self.sweeps += 1

    def new_unit(self) -> FakeUnit:
        unit = FakeUnit(f"u{len(self.units) + 1}", self.clock)
        unit.start_error = self.start_errors.pop(0) if self.start_errors else None
        self.units.append(unit)
        return unit

    async def survey(self, units: Sequence[FakeUnit], with_pss: bool) -> Mapping[str, Survey]:
        self.highest = max(self.highest, sum(unit.is_up for unit in self.units))
        return {unit.name: unit.survey for unit in units}

    async def sweep(self) -> OrphanReport:
        self.sweeps += 1
        return OrphanReport()

    def bury(self, unit: FakeUnit) -> None:
        pass

    async def close(self) -> None:
        self.is_closed = True
