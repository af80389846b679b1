"""The watchdog of progress and of the watchdogs themselves: does work move, does everybody come round, can we see?"""

from datetime import datetime

import msgspec

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals, troubles
from longstop.resilience import blindness, halting
from longstop.resilience.blindness import Measure
from longstop.resilience.clock_steps import STEP_SECONDS, step_seconds
from longstop.resilience.staleness import capture_age_seconds, is_expected
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.alarms import Cause, StandingAlarms
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.limits import Limits
from longstop.supervise.watchdogs.patient import Patient

HALTED = "progress_halted"
FORGOTTEN = "matches_forgotten"
BEAT_MISSED = "beat_missed"
_HINT = "docs/runbook.md says what each kind means, under 'The watchdogs'."


class Meter:
    """The last measure as everybody hears it: if it is wrong there, it is wrong on every page."""

    def __init__(self, clock: Clock, bus: Signals) -> None:
        self._clock = clock
        self._browsers = 0
        self._last: Measure | None = None
        bus.subscribe(signals.ResourcesMeasured, self._on_measured)
        bus.subscribe(signals.BrowserStarted, lambda _: self._count(1))
        bus.subscribe(signals.BrowserStopped, lambda _: self._count(-1))

    @property
    def measure(self) -> Measure | None:
        """None until the first."""
        return self._last

    def _count(self, step: int) -> None:
        self._browsers = max(0, self._browsers + step)

    def _on_measured(self, signal: signals.ResourcesMeasured) -> None:
        self._last = Measure(
            measured_at=self._clock.monotonic(),
            rss_bytes=signal.rss_bytes,
            cpu_seconds=signal.cpu_seconds,
            processes=signal.processes,
            # Our own, and one for each browser that came up and has not gone.
            processes_least=1 + self._browsers,
        )


class Eyes:
    name = "eyes of the watchdogs"

    def __init__(
        self,
        patient: Patient,
        limits: Limits,
        beats: Beats,
        clock: Clock,
        bus: Signals,
        standstill: Standstill,
    ) -> None:
        self._standstill = standstill
        self._patient = patient
        self._limits = limits
        self._beats = beats
        self._clock = clock
        self._bus = bus
        self._meter = Meter(clock, bus) if limits().measures_resources else None
        self._memory = blindness.Memory()
        self._movement = halting.Movement()
        self._finished = 0
        self._began = 0.0
        self.alarms = StandingAlarms(clock, bus, _HINT)

    async def run(self, stop: Stop) -> None:
        self._memory = msgspec.structs.replace(self._memory, wall=None)
        self._began = self._clock.monotonic()
        while not await stop.pause(self._limits().watch_seconds):
            self._beats.promise(self.name, self._limits().watch_seconds)
            if not self._standstill.is_forgiving(self._clock.monotonic()):
                self.check()
        self._beats.leave(self.name)

    def check(self) -> None:
        causes: dict[Cause, str] = {(alarm.kind.value, "watchdogs"): alarm.detail for alarm in self._blindness()}
        causes |= self._halts()
        causes |= {(BEAT_MISSED, name): f"late by {late:.0f} s" for name, late in self._beats.missing().items()}
        self.alarms.settle(causes)

    def _blindness(self) -> list[blindness.Alarm]:
        """The measure is remembered first, so that it is judged by what it was over all that time."""
        now, elapsed, limits = self._clock.now(), self._clock.monotonic(), self._limits().blindness
        finished = self._patient.progress().finished
        found = list(blindness.clock_alarms(self._memory, now, elapsed, limits))
        self._tell_step(now, elapsed)
        measure = self._meter.measure if self._meter else None
        polls, self._finished = finished - self._finished, finished
        self._memory = blindness.remember(self._memory, measure, polls, now, elapsed)
        has_begun = measure is not None or elapsed - self._began > limits.measure_seconds
        if self._meter is not None and has_begun:
            found += blindness.measure_alarms(self._memory, measure, elapsed, limits)
        ages = {view.match_id: capture_age_seconds(view, now) for view in self._patient.matches()}
        return found + list(blindness.age_alarms(ages, limits))

    def _tell_step(self, now: datetime, elapsed: float) -> None:
        memory = self._memory
        if memory.wall is None:
            return
        by = step_seconds((memory.wall, memory.elapsed), (now, elapsed))
        if abs(by) >= STEP_SECONDS:
            self._bus.emit(troubles.ClockSet(at=now, by_seconds=by))

    def _halts(self) -> dict[Cause, str]:
        now, limit = self._clock.monotonic(), self._limits().progress_seconds
        progress = self._patient.progress()
        self._movement = halting.seen(self._movement, progress, now)
        if halted := halting.halted_seconds(self._movement, progress, now, limit):
            waiting = f"{progress.due} due (the oldest since {progress.oldest_due_seconds:.0f} s)"
            return {(HALTED, "polls"): f"nothing finished for {halted:.0f} s; {waiting}, {progress.running} under way"}
        oldest = self._oldest_age_seconds()
        if forgotten := halting.forgotten_seconds(self._movement, oldest, now, limit):
            return {(FORGOTTEN, "polls"): f"nothing is due, and nothing was finished for {forgotten:.0f} s"}
        return {}

    def _oldest_age_seconds(self) -> float:
        now = self._clock.now()
        expected = (view for view in self._patient.matches() if is_expected(view, now))
        return max((capture_age_seconds(view, now) for view in expected), default=0.0)
