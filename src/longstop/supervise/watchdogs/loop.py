"""Does the event loop turn? From within its lag is measured; from a thread beside it, whether it turns at all.

The thread cannot mend a loop that stands: it writes down where it stands, and after a much longer time ends the process
with an exit code of its own, so that whoever supervises us starts a fresh one.
"""

import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Final

import msgspec

from longstop.clock import Clock, machine_seconds
from longstop.observe import signals
from longstop.observe.signals import Signals, troubles
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.beats import Beats

# Not one of sysexits.h, nor of a shell's, nor any error's of ours.
STALLED_EXIT: Final = 81
_SAY_SECONDS: Final = 2.0


class LoopLimits(msgspec.Struct, frozen=True):
    """`end_seconds` of 0 never ends the process. Less lag than `lag_seconds_min` is no news: no timer is exact."""

    turn_seconds: float = 1.0
    lag_seconds_min: float = 0.1
    stall_seconds: float = 5.0
    end_seconds: float = 120.0


class Stall(msgspec.Struct, frozen=True):
    """`is_last`: the process is about to be ended for it."""

    stalled_seconds: float
    stack: str
    is_last: bool = False


class StallWatcher:
    """The thread. It shares nothing with the loop but a number that the loop counts up.

    A process that was stopped as a whole (a signal, a frozen container) did not stall: time in which this thread did
    not come round either is not counted.
    """

    def __init__(
        self,
        tell: Callable[[Stall], None],
        limits: LoopLimits = LoopLimits(),
        end: Callable[[int], None] = os._exit,
        seconds: Callable[[], float] = machine_seconds,
    ) -> None:
        self._tell = tell
        self.limits = limits
        self._end = end
        self._seconds = seconds
        self._look_seconds = min(1.0, limits.stall_seconds / 5)
        self._pulses = 0
        self._seen = 0
        self._still = 0.0
        self._is_told = False
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._watched: int | None = None

    def start(self) -> None:
        """Watches the thread that calls this."""
        self._watched = threading.get_ident()
        self._is_over.clear()
        self._thread = threading.Thread(target=self._run, name="loop watchdog", daemon=True)
        self._thread.start()

    def pulse(self) -> None:
        """The loop turns."""
        self._pulses += 1

    def stop(self) -> None:
        self._is_over.set()
        if self._thread is not None:
            self._thread.join(_SAY_SECONDS * 3)
            self._thread = None

    def _run(self) -> None:
        before = self._seconds()
        while not self._is_over.wait(self._look_seconds):
            now = self._seconds()
            self.look(now - before)
            before = now

    def look(self, passed_seconds: float) -> None:
        if self._pulses != self._seen:
            self._seen, self._still, self._is_told = self._pulses, 0.0, False
            return
        self._still += min(passed_seconds, 2 * self._look_seconds)
        if self._still >= self.limits.stall_seconds and not self._is_told:
            self._is_told = True
            self._say(Stall(self._still, self._stack()))
        if 0 < self.limits.end_seconds <= self._still:
            self._say(Stall(self._still, self._stack(), is_last=True))
            self._end(STALLED_EXIT)

    def _say(self, stall: Stall) -> None:
        """On a thread of its own, since the loop may stand in the very log, with its lock held."""
        teller = threading.Thread(target=self._tell, args=(stall,), name="loop watchdog tells", daemon=True)
        teller.start()
        teller.join(_SAY_SECONDS)

    def _stack(self) -> str:
        frame = sys._current_frames().get(self._watched or 0)  # noqa: SLF001 - the one way to another thread's stack
        return "".join(traceback.format_stack(frame)) if frame is not None else "the thread of the loop is gone"


def tell_in_log(stall: Stall) -> None:
    """Called on a thread, so past the bus, whose listeners live on the loop."""
    hint = "The stack shows where the loop stands: something there waits, or counts, without giving way."
    if stall.is_last:
        hint = f"The process ends now, with exit code {STALLED_EXIT}; whoever supervises it starts a fresh one."
    logging.getLogger("longstop.loop").critical(
        {
            "event": "event loop stands still",
            "stalled_seconds": round(stall.stalled_seconds, 1),
            "stack_trace": stall.stack,
            "hint": hint,
        }
    )


class LoopWatchdog:
    """Within the loop: measures how late it is, and gives the thread its sign. Without a thread on virtual time."""

    name = "loop watchdog"

    def __init__(
        self,
        clock: Clock,
        bus: Signals,
        beats: Beats,
        standstill: Standstill,
        limits: LoopLimits = LoopLimits(),
        watcher: StallWatcher | None = None,
    ) -> None:
        self._standstill = standstill
        self._clock = clock
        self._bus = bus
        self._beats = beats
        self._limits = limits
        self._watcher = watcher

    async def run(self, stop: Stop) -> None:
        if self._watcher is not None:
            self._watcher.start()
        try:
            await self._turn(stop)
        finally:
            self._beats.leave(self.name)
            if self._watcher is not None:
                self._watcher.stop()

    async def _turn(self, stop: Stop) -> None:
        due = self._clock.monotonic() + self._limits.turn_seconds
        while not await stop.pause(due - self._clock.monotonic()):
            self._beats.promise(self.name, self._limits.turn_seconds)
            self._standstill.is_forgiving(self._clock.monotonic())  # nobody looks as often as we do
            if self._watcher is not None:
                self._watcher.pulse()
            self._tell_lag(self._clock.monotonic() - due)
            due = self._clock.monotonic() + self._limits.turn_seconds

    def _tell_lag(self, seconds: float) -> None:
        if seconds >= self._limits.lag_seconds_min:
            self._bus.emit(signals.LoopLagged(at=self._clock.now(), lag_seconds=seconds))
        if seconds >= self._limits.stall_seconds:
            self._bus.emit(troubles.LoopStalled(at=self._clock.now(), duration_seconds=seconds))
