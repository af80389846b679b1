"""The thread beside the loop, in real time with bounded waits; the rest on a time of its own."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from longstop.clock import SystemClock, machine_seconds
from longstop.observe import signals
from longstop.observe.signals import troubles
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.loop import STALLED_EXIT, LoopLimits, LoopWatchdog, Stall, StallWatcher, tell_in_log
from tests.patient import CLOCK
from tests.virtual import Heard, on_virtual_time

LIMITS = LoopLimits(turn_seconds=0.05, stall_seconds=0.5, end_seconds=0.0)

pytestmark = pytest.mark.req("B3")


def stand_still(until: Callable[[], bool], seconds_max: float = 10.0) -> None:
    """What no loop should ever do."""
    began = machine_seconds()
    while not until() and machine_seconds() - began < seconds_max:
        threading.Event().wait(0.02)


async def test_a_loop_that_stands_has_its_stack_told_once_by_the_thread_and_itself_tells_that_it_turns_again() -> None:
    told: list[Stall] = []
    heard, clock = Heard(), SystemClock()
    stop = Stop(clock)
    watcher = StallWatcher(told.append, LIMITS)
    task = asyncio.create_task(LoopWatchdog(clock, heard.bus, Beats(clock), Standstill(), LIMITS, watcher).run(stop))
    await asyncio.sleep(0.2)
    assert told == []
    stand_still(lambda: bool(told))
    stand_still(lambda: False, 0.5)
    for _ in range(100):
        if heard.of(troubles.LoopStalled):
            break
        await asyncio.sleep(0.05)
    stop.ask("the test is over")
    await task
    (stall,) = told
    assert "stand_still" in stall.stack
    assert stall.stalled_seconds >= 0.5
    assert not stall.is_last
    assert heard.of(troubles.LoopStalled)[0].duration_seconds >= 0.5
    assert heard.of(signals.LoopLagged)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("loop watchdog")]


def test_a_loop_that_stands_for_much_longer_ends_the_process_with_a_code_of_its_own() -> None:
    told: list[Stall] = []
    ended: list[int] = []
    watcher = StallWatcher(told.append, LoopLimits(stall_seconds=5.0, end_seconds=120.0), ended.append)
    for _ in range(119):
        watcher.look(1.0)
    assert [stall.is_last for stall in told] == [False]
    assert ended == []
    watcher.look(1.0)
    assert [stall.is_last for stall in told] == [False, True]
    assert ended == [STALLED_EXIT]


ENDLESS = """
import asyncio
from longstop.clock import SystemClock
from longstop.observe.signals import Signals
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.loop import LoopLimits, LoopWatchdog, StallWatcher, tell_in_log

async def main():
    clock = SystemClock()
    limits = LoopLimits(turn_seconds=0.05, stall_seconds=0.5, end_seconds=1.0)
    watchdog = LoopWatchdog(clock, Signals(), Beats(clock), Standstill(), limits, StallWatcher(tell_in_log, limits))
    task = asyncio.create_task(watchdog.run(Stop(clock)))
    await asyncio.sleep(0.2)
    while True:
        pass

asyncio.run(main())
"""


def test_a_real_process_whose_loop_counts_for_ever_ends_by_itself() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == STALLED_EXIT
    assert "stack_trace" in ended.stderr
    assert "in main" in ended.stderr


def test_a_process_that_was_stopped_as_a_whole_did_not_stall() -> None:
    told: list[Stall] = []
    ended: list[int] = []
    watcher = StallWatcher(told.append, LoopLimits(), ended.append)
    watcher.look(3600.0)
    watcher.pulse()
    watcher.look(1.0)
    assert (told, ended) == ([], [])


def test_a_log_that_hangs_does_not_keep_the_process_alive() -> None:
    """The loop may stand in the very log, with its lock held."""
    hanging = threading.Event()
    ended: list[int] = []

    def hang(_: Stall) -> None:
        hanging.wait(20.0)

    watcher = StallWatcher(hang, LoopLimits(stall_seconds=1.0, end_seconds=2.0), ended.append)
    for _ in range(10):
        if not ended:
            watcher.look(1.0)
    hanging.set()
    assert ended == [STALLED_EXIT]


def test_the_log_has_the_stack_as_a_critical_line(caplog: pytest.LogCaptureFixture) -> None:
    tell_in_log(Stall(5.0, "  File x, line 1"))
    (record,) = caplog.records
    assert record.levelname == "CRITICAL"
    assert isinstance(record.msg, dict)
    assert (record.msg["stalled_seconds"], record.msg["stack_trace"]) == (5.0, "  File x, line 1")


@on_virtual_time
async def test_on_virtual_time_there_is_no_thread_and_no_lag() -> None:
    heard, stop = Heard(), Stop(CLOCK)
    task = asyncio.create_task(LoopWatchdog(CLOCK, heard.bus, Beats(CLOCK), Standstill()).run(stop))
    await CLOCK.sleep(3600.0)
    stop.ask("the test is over")
    await task
    assert heard.all == []
