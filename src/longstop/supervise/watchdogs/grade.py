"""The grade of the instance, every 15 seconds, and what its table says is to be done."""

import asyncio
from datetime import datetime

from longstop.clock import Clock
from longstop.domain.lifecycle import HealthGrade
from longstop.domain.recovery import RecoveryAction
from longstop.observe.signals import Signals, troubles
from longstop.resilience.grading import (
    Freshness,
    GradeStep,
    Standing,
    assess,
    freshness_of,
    is_failing,
    recycled,
)
from longstop.resilience.patience import Attempts, after_attempt, wait_seconds, while_unwell, while_well
from longstop.resilience.recovering import Condition
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.limits import Limits
from longstop.supervise.watchdogs.patient import Patient
from longstop.supervise.watchdogs.recoveries import INSTANCE, Look, Recoveries
from longstop.supervise.watchdogs.recycling import Recycler

_CONDITION = {HealthGrade.HEALTHY: Condition.WELL, HealthGrade.DEGRADED: Condition.BETTER}


class GradeWatchdog:
    name = "health grade"

    def __init__(
        self,
        patient: Patient,
        recoveries: Recoveries,
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
        self._standing = Standing()
        self._freshness = Freshness()
        self._attempts = Attempts()
        self._is_withheld = False
        self._recycler = Recycler(patient, recoveries, self.look, limits, clock, bus)

    @property
    def grade(self) -> HealthGrade:
        return self._standing.grade

    @property
    def is_recycling(self) -> bool:
        return self._recycler.is_busy

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(self._limits().check_seconds):
            limits = self._limits()
            self._beats.promise(self.name, limits.check_seconds + limits.recycle_deadline_seconds)
            if not self._standstill.is_forgiving(self._clock.monotonic()):
                await self._check_unless(stop)
        self._beats.leave(self.name)

    async def _check_unless(self, stop: Stop) -> None:
        """A recycle may take its time; who wants to stop does not wait for it."""
        check = asyncio.create_task(self.check(), name=f"{self.name}: check")
        wish = asyncio.create_task(stop.wait(), name=f"{self.name}: stop")
        try:
            await asyncio.wait({check, wish}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wish.cancel()
            check.cancel()
            await asyncio.wait({check, wish})
        if not check.cancelled():
            check.result()

    async def check(self) -> None:
        limits = self._limits().grade
        self._freshness = freshness_of(self._patient.matches(), self._clock.now())
        self._standing, steps = assess(self._standing, self._freshness, limits)
        self._tell(steps)
        is_bad = is_failing(self._freshness, limits)
        if is_bad and self.grade in {HealthGrade.FAILING, HealthGrade.RECOVERING}:
            await self._recover()
        elif not is_bad:
            self._attempts = while_well(self._attempts, self._limits().patience, self._clock.monotonic())

    def look(self, _began: datetime | None) -> Look:
        seen = self._freshness
        figures = {
            "grade": self.grade.value,
            "matches": seen.count,
            "age_seconds_median": round(seen.median_seconds, 1),
            "age_seconds_p95": round(seen.p95_seconds, 1),
            "age_seconds_max": round(seen.max_seconds, 1),
            "stall_seconds": round(seen.stall_seconds, 1),
        }
        return Look(_CONDITION.get(self.grade, Condition.UNWELL), dict(figures))

    async def recycle(self, action: RecoveryAction, trigger: str) -> str | None:
        """For the watchdog and for a person. The entry's id, or None when a recycle is under way already."""
        if self._recycler.is_busy:
            return None
        before = self.look(None).figures
        self._standing, steps = recycled(self._standing, self._clock.now())
        self._tell(steps)
        return await self._recycler.recycle(action, trigger, before)

    async def _recover(self) -> None:
        """Recycles, unless it was tried of late and did not help: then it waits, and says so once."""
        now = self._clock.monotonic()
        self._attempts = while_unwell(self._attempts)
        wait = wait_seconds(self._attempts, self._limits().patience, now)
        if wait > 0:
            self._withhold(wait)
            return
        self._attempts = after_attempt(self._attempts, now)
        self._is_withheld = False
        await self.recycle(RecoveryAction.BROWSER_RECYCLE, self._trigger())

    def _trigger(self) -> str:
        seen, limits = self._freshness, self._limits().grade
        if seen.stall_seconds >= limits.stall_seconds:
            return f"no good poll of any match for {seen.stall_seconds:.0f} s"
        return f"a live match is {seen.max_seconds:.0f} s old"

    def _withhold(self, wait: float) -> None:
        if self._is_withheld:
            return
        self._is_withheld = True
        self._bus.emit(
            troubles.RecoveryWithheld(
                at=self._clock.now(),
                subject=INSTANCE,
                reason=self._trigger(),
                attempts=self._attempts.count,
                wait_seconds=wait,
            )
        )

    def _tell(self, steps: tuple[GradeStep, ...]) -> None:
        seen = self._freshness
        for step in steps:
            self._bus.emit(
                troubles.HealthGraded(
                    at=self._clock.now(),
                    before=step.source.value,
                    after=step.target.value,
                    event=step.event,
                    median_seconds=seen.median_seconds,
                    p95_seconds=seen.p95_seconds,
                    max_seconds=seen.max_seconds,
                    stall_seconds=seen.stall_seconds,
                )
            )
