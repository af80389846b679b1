"""Services that no longer come round, and work that no longer moves: both are begun anew.

The alarm is told by the eyes; this watchdog does something about it. One service is ended and started again by its
supervisor, as if it had failed; when polls no longer move, that is the scheduler. Matches that nobody means to poll are
put back on the agenda.
"""

from collections.abc import Callable, Iterable
from typing import Final, Protocol, runtime_checkable

from longstop.clock import Clock
from longstop.domain.recovery import RecoveryAction
from longstop.observe.signals import Signals, troubles
from longstop.resilience.patience import Attempts, after_attempt, wait_seconds, while_unwell, while_well
from longstop.resilience.recovering import Condition
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.alarms import Cause
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.eyes import BEAT_MISSED, FORGOTTEN, HALTED
from longstop.supervise.watchdogs.limits import Limits
from longstop.supervise.watchdogs.recoveries import Look, Recoveries

SCHEDULER: Final = "scheduler"


@runtime_checkable
class Revived(Protocol):
    """Whose services they are."""

    def restart_service(self, name: str) -> bool:
        """Ended and begun anew. False when there is none of this name, or it may not be touched."""
        ...

    def gather(self) -> int:
        """Matches that nobody means to poll are due again; how many there were."""
        ...


class _Case:
    __slots__ = ("attempts", "is_withheld")

    def __init__(self) -> None:
        self.attempts = Attempts()
        self.is_withheld = False


class Reviver:
    """`standing` are the alarms that stand now."""

    name = "service watchdog"

    def __init__(
        self,
        revived: Revived,
        standing: Callable[[], Iterable[Cause]],
        recoveries: Recoveries,
        limits: Limits,
        beats: Beats,
        clock: Clock,
        bus: Signals,
        standstill: Standstill,
    ) -> None:
        self._standstill = standstill
        self._revived = revived
        self._standing = standing
        self._recoveries = recoveries
        self._limits = limits
        self._beats = beats
        self._clock = clock
        self._bus = bus
        self._cases: dict[Cause, _Case] = {}

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(self._limits().watch_seconds):
            self._beats.promise(self.name, self._limits().watch_seconds)
            if not self._standstill.is_forgiving(self._clock.monotonic()):
                self.check()
        self._beats.leave(self.name)

    def check(self) -> None:
        """Who is missing is asked of the beats themselves: the eyes may be the ones that are missing."""
        troubled = [cause for cause in self._standing() if cause[0] in {HALTED, FORGOTTEN}]
        troubled += [(BEAT_MISSED, name) for name in self._beats.missing()]
        for cause in troubled:
            self._treat(cause, self._cases.setdefault(cause, _Case()))
        for cause in [known for known in self._cases if known not in troubled]:
            self._release(cause, self._cases[cause])

    def look(self, cause: Cause) -> Look:
        kind, name = cause
        is_there = name in self._beats.missing() if kind == BEAT_MISSED else cause in self._standing()
        return Look(Condition.UNWELL if is_there else Condition.WELL)

    def _treat(self, cause: Cause, case: _Case) -> None:
        now = self._clock.monotonic()
        case.attempts = while_unwell(case.attempts)
        wait = wait_seconds(case.attempts, self._limits().patience, now)
        if wait <= 0:
            case.attempts = after_attempt(case.attempts, now)
            case.is_withheld = False
            self._revive(cause, case.attempts.count)
        elif not case.is_withheld and now - case.attempts.last_at >= self._limits().judging.window_seconds:
            case.is_withheld = True
            self._tell_withheld(cause, case.attempts.count, wait)

    def _revive(self, cause: Cause, attempt: int) -> None:
        kind, name = cause
        subject = name if kind == BEAT_MISSED else SCHEDULER
        entry_id = self._recoveries.begin(
            RecoveryAction.SOFT_RESTART, f"{kind}: {name}", subject, {}, lambda _: self.look(cause)
        )
        done = self._revived.gather() if kind == FORGOTTEN else self._revived.restart_service(subject)
        self._recoveries.acted(entry_id, 0.0, {"is_done": bool(done), "attempt": attempt})

    def _release(self, cause: Cause, case: _Case) -> None:
        case.attempts = while_well(case.attempts, self._limits().patience, self._clock.monotonic())
        if case.attempts.count == 0:
            del self._cases[cause]

    def _tell_withheld(self, cause: Cause, attempts: int, wait: float) -> None:
        self._bus.emit(
            troubles.RecoveryWithheld(
                at=self._clock.now(), subject=cause[1], reason=cause[0], attempts=attempts, wait_seconds=wait
            )
        )
