"""Replaces browsers and connections of all sources, with a deadline and an entry in the book.

Whoever asks, the watchdog of the grade or a person, comes through here; one recycle at a time.
"""

from collections.abc import Callable
from datetime import datetime

from longstop.clock import Clock
from longstop.domain.recovery import RecoveryAction
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.supervise.watchdogs.limits import Limits
from longstop.supervise.watchdogs.patient import Figures, Patient
from longstop.supervise.watchdogs.recoveries import INSTANCE, Look, Recoveries


class Recycler:
    def __init__(
        self,
        patient: Patient,
        recoveries: Recoveries,
        look: Callable[[datetime], Look],
        limits: Limits,
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._patient = patient
        self._recoveries = recoveries
        self._look = look
        self._limits = limits
        self._clock = clock
        self._bus = bus
        self.is_busy = False

    async def recycle(self, action: RecoveryAction, trigger: str, before: Figures) -> str | None:
        """The entry's id; None when one is under way already."""
        if self.is_busy:
            return None
        self.is_busy = True
        entry_id = self._recoveries.begin(action, trigger, INSTANCE, before, self._look)
        began = self._clock.monotonic()
        try:
            figures = await self._act(trigger)
        finally:
            self.is_busy = False
        self._recoveries.acted(entry_id, self._clock.monotonic() - began, figures)
        return entry_id

    async def _act(self, trigger: str) -> Figures:
        deadline = self._limits().recycle_deadline_seconds
        try:
            async with self._clock.timeout(deadline):
                return await self._patient.recycle(trigger)
        except TimeoutError:
            return self._failed(f"not done within {deadline:g} s", "timeout")
        except Exception as error:
            return self._failed(f"{type(error).__name__}: {error}", getattr(error, "kind", "internal"))

    def _failed(self, words: str, kind: str) -> Figures:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="ERROR",
                error_type=kind,
                error_message=f"The recycle failed: {words}",
                hint="It is tried again after a while if the instance does not recover.",
                operation="recycle",
            )
        )
        return {"recycle_error": words[:300]}
