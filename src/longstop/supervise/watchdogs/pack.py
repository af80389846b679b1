"""All the watchdogs of one instance, joined. Each is a service of the tree."""

from longstop.clock import Clock
from longstop.domain.recovery import RecoveryAction
from longstop.observe.signals import Signals
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Service
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.chronicle import Chronicle
from longstop.supervise.watchdogs.eyes import Eyes
from longstop.supervise.watchdogs.grade import GradeWatchdog
from longstop.supervise.watchdogs.limits import Limits
from longstop.supervise.watchdogs.loop import LoopLimits, LoopWatchdog, StallWatcher
from longstop.supervise.watchdogs.matches import MatchWatchdog
from longstop.supervise.watchdogs.patient import Patient
from longstop.supervise.watchdogs.recoveries import AuditKeeping, Recoveries
from longstop.supervise.watchdogs.reviving import Revived, Reviver


class Watchdogs:
    """`beats` is for every other periodic service: whoever promises to come round is missed when he does not.

    Without `watcher`, as on virtual time, no thread looks at the loop. A patient who is not `Revived` has no
    services that could be begun anew: what does not come round is told only."""

    def __init__(
        self,
        patient: Patient,
        limits: Limits,
        clock: Clock,
        bus: Signals,
        *,
        beats: Beats | None = None,
        keeping: AuditKeeping | None = None,
        watcher: StallWatcher | None = None,
    ) -> None:
        self.beats = beats or Beats(clock)
        self.recoveries = Recoveries(clock, bus, limits, self.beats, keeping)
        still = Standstill()
        self.matches = MatchWatchdog(patient, self.recoveries, limits, self.beats, clock, bus, still)
        self.grade = GradeWatchdog(patient, self.recoveries, limits, self.beats, clock, bus, still)
        self.eyes = Eyes(patient, limits, self.beats, clock, bus, still)
        self.chronicle = Chronicle(
            self.recoveries, self.matches.look, self.grade.look, lambda: self.grade.is_recycling, clock, bus
        )
        self.reviver = (
            Reviver(patient, lambda: self.eyes.alarms.standing, self.recoveries, limits, self.beats, clock, bus, still)
            if isinstance(patient, Revived)
            else None
        )
        self.loop = LoopWatchdog(clock, bus, self.beats, still, watcher.limits if watcher else LoopLimits(), watcher)

    @property
    def services(self) -> tuple[Service, ...]:
        """The loop's first: it should see how the others begin."""
        revival = (self.reviver,) if self.reviver else ()
        return (self.loop, self.eyes, self.matches, self.grade, *revival, self.recoveries)

    async def recycle(self, action: RecoveryAction, trigger: str) -> str | None:
        """For a person: the audit entry's id, or None when a recycle is under way already."""
        return await self.grade.recycle(action, trigger)
