"""Alarms that stand: told when they begin and when they end, and not in between."""

from collections.abc import Mapping

from longstop.clock import Clock
from longstop.observe.signals import Signals, troubles

# Who is late, or ahead, comes from outside: so many stand at once and no more.
STANDING_MAX = 200

Cause = tuple[str, str]


class StandingAlarms:
    """`kinds` under one roof: whoever does not name an alarm any more has ended it."""

    def __init__(self, clock: Clock, bus: Signals, hint: str) -> None:
        self._clock = clock
        self._bus = bus
        self._hint = hint
        self._since: dict[Cause, float] = {}

    @property
    def standing(self) -> tuple[Cause, ...]:
        return tuple(self._since)

    def settle(self, causes: Mapping[Cause, str]) -> None:
        """`causes`, a kind and a subject each with its detail, are all there are now."""
        now = self._clock.monotonic()
        for cause in [known for known in self._since if known not in causes]:
            self._tell_cleared(cause, now - self._since.pop(cause))
        for cause, detail in causes.items():
            if cause not in self._since and len(self._since) < STANDING_MAX:
                self._since[cause] = now
                self._tell_raised(cause, detail)

    def _tell_raised(self, cause: Cause, detail: str) -> None:
        kind, subject = cause
        self._bus.emit(
            troubles.AlarmRaised(at=self._clock.now(), kind=kind, subject=subject, detail=detail, hint=self._hint)
        )

    def _tell_cleared(self, cause: Cause, seconds: float) -> None:
        kind, subject = cause
        self._bus.emit(
            troubles.AlarmCleared(at=self._clock.now(), kind=kind, subject=subject, duration_seconds=seconds)
        )
