"""The clock of the day is set under the running engine, by an hour and either way: nobody is late because of it, and
nobody passes for fresh."""

from datetime import datetime, timedelta

import pytest

from benchmarks.simulated import EPOCH, Simulation
from benchmarks.weather import Forecast
from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.observe.health import Board
from longstop.observe.signals import troubles
from tests.simulation.test_watchdogs import Watched, world

HOUR = 3600.0
# Between two looks of the watchdogs, as any moment of a real clock is.
MIDWAY_SECONDS = 300.7
pytestmark = pytest.mark.req("B3", "C6")


class SetClock(LoopClock):
    def __init__(self) -> None:
        super().__init__(EPOCH)
        self.off_seconds = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.off_seconds)


class Stage:
    """An engine with its watchdogs and its board, on a clock that is set midway. The site's own clock is not."""

    def __init__(self, forecast: Forecast | None = None) -> None:
        self.clock = SetClock()
        self.simulation = Simulation(world(6), forecast=forecast, clock=self.clock)
        self.board = Board(self.clock.now())
        self.board.subscribe(self.simulation.bus)
        respond = self.simulation.site.respond
        self.simulation.site.respond = lambda request, now: respond(  # type: ignore[method-assign]  # a site's own time
            request, now - self.clock.off_seconds
        )
        self.watched = Watched(self.simulation)

    async def live(self, by_seconds: float) -> list[float]:
        """The ages of all matches at the end."""

        def set_clock() -> None:
            self.clock.off_seconds = by_seconds

        ages: list[float] = []
        stop = self.simulation.stop

        async def look_and_stop() -> None:
            ages.extend(self.board.ages_in_play(self.clock.now()))
            await stop()

        self.simulation.stop = look_and_stop  # type: ignore[method-assign]  # the last moment of a run
        await self.watched.live(2 * MIDWAY_SECONDS, set_clock)
        return ages


@pytest.mark.parametrize("by_seconds", [HOUR, -HOUR])
def test_a_clock_that_is_set_by_an_hour_makes_no_match_late(by_seconds: float) -> None:
    async def play() -> tuple[Stage, list[float]]:
        stage = Stage()
        return stage, await stage.live(by_seconds)

    stage, ages = virtual_time.run(play())
    assert stage.watched.of(troubles.StalenessFound) == []
    assert stage.watched.patient.restarted == []
    (told,) = stage.watched.of(troubles.ClockSet)
    assert told.by_seconds == pytest.approx(by_seconds, abs=0.1)
    assert ages
    assert max(ages) < 10.0


@pytest.mark.parametrize("by_seconds", [HOUR, -HOUR])
def test_what_stops_coming_as_the_clock_is_set_is_missed_as_soon_as_ever(by_seconds: float) -> None:
    async def play() -> tuple[Stage, list[float]]:
        stage = Stage(Forecast(outages=((MIDWAY_SECONDS, 10 * HOUR),)))
        return stage, await stage.live(by_seconds)

    stage, ages = virtual_time.run(play())
    found = stage.watched.of(troubles.StalenessFound)
    assert found
    missed_after = min((each.at - EPOCH).total_seconds() - by_seconds - MIDWAY_SECONDS for each in found)
    assert 110.0 <= missed_after <= 145.0
    assert min(ages) >= MIDWAY_SECONDS - 10.0
