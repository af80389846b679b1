"""Whoever does not come round is begun anew, and the book says what came of it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from longstop.domain.recovery import RecoveryOutcome
from longstop.observe import signals
from longstop.resilience.halting import Progress
from longstop.supervise.budget import RestartBudget
from longstop.supervise.service import Stop
from longstop.supervise.supervisor import Supervisor
from longstop.supervise.watchdogs.beats import WORK_SECONDS, Beating, Beats
from longstop.supervise.watchdogs.limits import WatchdogLimits
from longstop.supervise.watchdogs.pack import Watchdogs
from tests.patient import CLOCK, Simulated, view
from tests.virtual import Heard, on_virtual_time

pytestmark = pytest.mark.req("B3", "H3")

LIMITS = WatchdogLimits(measures_resources=False)


class Rounds:
    """Comes round each fifteen seconds; the first of its lives hangs after some rounds."""

    name = "discovery crex"

    def __init__(self, rounds: int, hang: Callable[[], Awaitable[object]] = lambda: asyncio.Event().wait()) -> None:
        self.lives = 0
        self.rounds = 0
        self._last_round = rounds
        self._hang = hang

    async def run(self, stop: Stop) -> None:
        self.lives += 1
        while True:
            if self.lives == 1 and self.rounds == self._last_round:
                await self._hang()
            self.rounds += 1
            if await stop.pause(15.0):
                return


class House(Simulated):
    """A patient with services of its own."""

    def __init__(self, *services: Rounds) -> None:
        super().__init__(view())
        self.heard = Heard()
        self.beats = Beats(CLOCK)
        self.stop = Stop(CLOCK)
        self.gathered = 0
        self.restarted_services: list[str] = []
        self.supervisor = Supervisor("engine", RestartBudget(3, 60.0), CLOCK, self.heard.bus)
        self.pack = Watchdogs(self, lambda: LIMITS, CLOCK, self.heard.bus, beats=self.beats)
        for service in services:
            self.supervisor.start(Beating(service, self.beats), self.stop)
        for watchdog in self.pack.services:
            self.supervisor.start(watchdog, self.stop)

    def restart_service(self, name: str) -> bool:
        self.restarted_services.append(name)
        return self.supervisor.restart(name)

    def gather(self) -> int:
        self.gathered += 1
        return 1

    async def end(self) -> tuple[str, ...]:
        self.stop.ask("the test is over")
        return await self.supervisor.join(5.0)


@on_virtual_time
@pytest.mark.parametrize("rounds", [0, 7])
async def test_a_service_that_hangs_is_begun_anew_and_that_is_audited(rounds: int) -> None:
    service = Rounds(rounds)
    house = House(service)
    await house.live_for(rounds * 15.0 + WORK_SECONDS + 60.0)
    assert service.lives == 2
    assert house.restarted_services == [service.name]
    assert [told.service for told in house.heard.of(signals.ServiceRestarted)] == [service.name]
    await house.live_for(60.0)
    (entry,) = house.pack.recoveries.entries
    assert (entry.subject, entry.outcome) == (service.name, RecoveryOutcome.SUCCESS)
    assert entry.trigger == f"beat_missed: {service.name}"
    assert await house.end() == ()


@on_virtual_time
async def test_one_that_does_not_even_end_is_let_go_of() -> None:
    async def stubborn() -> None:
        while not house.stop.is_wanted:
            try:
                await house.stop.wait()
            except asyncio.CancelledError:
                continue

    service = Rounds(3, stubborn)
    house = House(service)
    await house.live_for(300.0)
    assert service.lives == 1
    await house.live_for(600.0)
    assert service.lives == 2
    assert service.rounds > 10
    assert await house.end() == ()


@on_virtual_time
async def test_when_no_poll_moves_any_more_the_scheduler_is_begun_anew_but_not_again_and_again() -> None:
    house = House()
    house.does_capture.clear()
    house.work = Progress(5, due=2, oldest_due_seconds=100.0, running=1)
    await house.live_for(250.0)
    assert house.restarted_services == ["scheduler"]
    await house.live_for(240.0)
    assert house.restarted_services == ["scheduler", "scheduler"]
    await house.end()


@on_virtual_time
async def test_matches_that_nobody_means_to_poll_are_gathered() -> None:
    house = House()
    house.does_capture.clear()
    await house.live_for(150.0)
    assert house.gathered == 1
    await house.end()
