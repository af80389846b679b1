import asyncio

import pytest

from longstop.observe import signals
from longstop.observe.signals import troubles
from longstop.resilience.halting import Progress
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.beats import WORK_SECONDS, Beating, Beats
from longstop.supervise.watchdogs.eyes import Eyes
from longstop.supervise.watchdogs.limits import WatchdogLimits
from tests.patient import CLOCK, Simulated, view
from tests.virtual import Heard, on_virtual_time

pytestmark = pytest.mark.req("B3")


class Sight:
    def __init__(self, *, measures: bool = False) -> None:
        self.heard = Heard()
        self.patient = Simulated(view())
        self.beats = Beats(CLOCK)
        self.stop = Stop(CLOCK)
        limits = WatchdogLimits(measures_resources=measures)
        self.eyes = Eyes(self.patient, lambda: limits, self.beats, CLOCK, self.heard.bus, Standstill())
        self.rss_bytes = 100
        self.cpu_seconds = 0.0
        self.cpu_step = 0.1
        self.does_measure = measures

    async def for_seconds(self, seconds: float) -> list[tuple[str, str]]:
        """What was raised in that time."""
        before = len(self.heard.of(troubles.AlarmRaised))
        task = asyncio.create_task(self.eyes.run(self.stop))
        for turn in range(round(seconds)):
            if self.does_measure and turn % 5 == 0:
                self._measure()
            await self.patient.live_for(1.0)
        self.stop.ask("the test is over")
        await task
        self.stop = Stop(CLOCK)
        return [(each.kind, each.subject) for each in self.heard.of(troubles.AlarmRaised)[before:]]

    def _measure(self) -> None:
        self.cpu_seconds += self.cpu_step
        self.rss_bytes += 4096 if self.rss_bytes else 0
        self.heard.bus.emit(
            signals.ResourcesMeasured(
                at=CLOCK.now(),
                rss_bytes=self.rss_bytes,
                cpu_percent=1.0,
                tasks=1,
                open_files=1,
                cpu_seconds=self.cpu_seconds,
            )
        )


@on_virtual_time
async def test_an_instance_that_works_raises_no_alarm_in_twelve_hours() -> None:
    assert await Sight(measures=True).for_seconds(12 * 3600.0) == []


@on_virtual_time
async def test_a_memory_that_reads_nothing_is_told_once_and_its_end_too() -> None:
    sight = Sight(measures=True)
    sight.rss_bytes = 0
    assert await sight.for_seconds(600.0) == [("memory_missing", "watchdogs")]
    sight.rss_bytes = 100
    assert await sight.for_seconds(60.0) == []
    (cleared,) = sight.heard.of(troubles.AlarmCleared)
    assert cleared.kind == "memory_missing"
    assert cleared.duration_seconds > 500.0


@on_virtual_time
async def test_cpu_time_that_cannot_move_though_polls_do_is_told() -> None:
    sight = Sight(measures=True)
    sight.cpu_step = 0.0
    assert await sight.for_seconds(900.0) == [("cpu_time_stuck", "watchdogs")]


@on_virtual_time
async def test_a_meter_that_says_nothing_is_told() -> None:
    sight = Sight(measures=True)
    sight.does_measure = False
    assert await sight.for_seconds(120.0) == [("measure_missing", "watchdogs")]


@on_virtual_time
async def test_work_that_is_due_and_does_not_move_is_told() -> None:
    sight = Sight()
    sight.patient.does_capture.clear()
    sight.patient.work = Progress(5, due=2, oldest_due_seconds=100.0, running=1)
    assert await sight.for_seconds(120.0) == [("progress_halted", "polls")]


@on_virtual_time
async def test_a_live_match_that_nobody_means_to_poll_is_told() -> None:
    sight = Sight()
    sight.patient.does_capture.clear()
    assert await sight.for_seconds(120.0) == [("matches_forgotten", "polls")]


@on_virtual_time
async def test_a_service_that_does_not_come_round_is_told_by_its_name() -> None:
    sight = Sight()
    sight.beats.promise("discovery crex", 15.0)
    assert await sight.for_seconds(40.0) == [("beat_missed", "discovery crex")]
    sight.beats.leave("discovery crex")
    assert await sight.for_seconds(40.0) == []


@on_virtual_time
async def test_a_match_captured_in_the_future_is_told() -> None:
    sight = Sight()
    sight.patient.does_capture.clear()
    sight.patient.set("crex_A", captured_at=CLOCK.now().replace(hour=23))
    assert ("age_negative", "watchdogs") in await sight.for_seconds(20.0)


class Rounds:
    """Comes round, until it hangs in its work."""

    name = "rounds"

    def __init__(self, rounds: int) -> None:
        self._left = rounds

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(15.0):
            self._left -= 1
            if self._left == 0:
                await stop.wait()


@on_virtual_time
async def test_every_pause_of_a_service_is_a_promise_and_one_that_hangs_in_its_work_is_missed() -> None:
    beats, stop = Beats(CLOCK), Stop(CLOCK)
    task = asyncio.create_task(Beating(Rounds(10), beats).run(stop))
    await CLOCK.sleep(150.0)
    assert beats.missing() == {}
    await CLOCK.sleep(WORK_SECONDS + 15.0)
    assert list(beats.missing()) == ["rounds"]
    stop.ask("the test is over")
    await task
    assert beats.missing() == {}
