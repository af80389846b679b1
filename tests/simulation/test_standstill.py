"""The whole process is stopped for a minute and a half and goes on: nobody is restarted for what nobody could do, and
nothing passes for fresh."""

import asyncio

import pytest

from benchmarks.simulated import Conditions, Simulation
from benchmarks.weather import Forecast
from longstop import virtual_time
from longstop.observe import signals
from longstop.observe.health import Board
from longstop.observe.signals import troubles
from longstop.virtual_time import VirtualTimeLoop
from tests.simulation.test_watchdogs import Watched, world

MIDWAY_SECONDS = 300.0
pytestmark = pytest.mark.req("B3", "C6")


class Stage:
    def __init__(self, forecast: Forecast | None = None) -> None:
        self.simulation = Simulation(world(6), Conditions(poll_seconds=2.5), forecast=forecast)
        self.board = Board(self.simulation.clock.now())
        self.board.subscribe(self.simulation.bus)
        self.watched = Watched(self.simulation)
        self.services_restarted: list[signals.ServiceRestarted] = []
        self.simulation.bus.subscribe(signals.ServiceRestarted, self.services_restarted.append)
        self.ages_after: list[float] = []

    async def live(self, stopped_seconds: float) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)

        def stand_still() -> None:
            loop.skip(stopped_seconds)
            self.ages_after.extend(self.board.ages_in_play(self.simulation.clock.now()))

        await self.watched.live(2 * MIDWAY_SECONDS, stand_still)


@pytest.mark.parametrize("stopped_seconds", [90.0, 150.0, 1800.0])
def test_a_process_that_was_stopped_restarts_nothing_when_it_goes_on(stopped_seconds: float) -> None:
    async def play() -> Stage:
        stage = Stage()
        await stage.live(stopped_seconds)
        return stage

    stage = virtual_time.run(play())
    assert stage.ages_after
    assert min(stage.ages_after) >= stopped_seconds
    assert stage.watched.patient.restarted == []
    assert stage.watched.patient.recycles == 0
    assert stage.services_restarted == []
    assert stage.watched.of(troubles.AlarmRaised) == []
    assert stage.watched.of(troubles.StalenessFound) == []
    (told,) = stage.watched.of(troubles.LoopStalled)
    assert told.duration_seconds == pytest.approx(stopped_seconds, abs=2.0)


def test_what_does_not_come_back_after_it_is_restarted_all_the_same() -> None:
    async def play() -> Stage:
        stage = Stage(Forecast(outages=((MIDWAY_SECONDS - 1.0, 3600.0),)))
        await stage.live(150.0)
        return stage

    stage = virtual_time.run(play())
    found = stage.watched.of(troubles.StalenessFound)
    assert found
    assert stage.watched.patient.restarted
