"""Looks at every live match every few seconds: is what we have of it still what goes on out there?"""

from collections.abc import Mapping
from datetime import datetime

from longstop.clock import Clock
from longstop.domain.recovery import RecoveryAction
from longstop.observe.signals import Signals, troubles
from longstop.resilience.patience import Attempts, after_attempt, wait_seconds, while_unwell, while_well
from longstop.resilience.recovering import Condition
from longstop.resilience.staleness import (
    Finding,
    MatchView,
    Staleness,
    capture_age_seconds,
    content_age_seconds,
    find,
)
from longstop.resilience.standstill import Standstill
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.limits import Limits
from longstop.supervise.watchdogs.patient import Figures, Patient
from longstop.supervise.watchdogs.recoveries import Look, Recoveries


class _Case:
    """A match that is not fresh, or was not of late."""

    __slots__ = ("attempts", "found_at", "is_withheld", "kind")

    def __init__(self) -> None:
        self.kind: Staleness | None = None
        self.found_at = 0.0
        self.attempts = Attempts()
        self.is_withheld = False


class MatchWatchdog:
    name = "match watchdog"

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
        self._recoveries = recoveries
        self._limits = limits
        self._beats = beats
        self._clock = clock
        self._bus = bus
        self._cases: dict[str, _Case] = {}
        self._views: Mapping[str, MatchView] = {}

    @property
    def stale(self) -> dict[str, Staleness]:
        return {match_id: case.kind for match_id, case in self._cases.items() if case.kind is not None}

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(self._limits().watch_seconds):
            self._beats.promise(self.name, self._limits().watch_seconds)
            if not self._standstill.is_forgiving(self._clock.monotonic()):
                self.check()
        self._beats.leave(self.name)

    def check(self) -> None:
        self._views = {view.match_id: view for view in self._patient.matches()}
        for gone in self._cases.keys() - self._views.keys():
            self._end(gone, self._cases.pop(gone))
        limits, now = self._limits().staleness, self._clock.now()
        for view in self._views.values():
            found = find(view, now, limits)
            if found is not None:
                self._treat(view, found)
            elif view.match_id in self._cases:
                self._release(view.match_id, self._cases[view.match_id])

    def look(self, match_id: str, began: datetime) -> Look:
        """How a match is that was restarted then. What is no longer live has nothing to recover."""
        view = self._views.get(match_id)
        if view is None:
            return Look(Condition.BETTER, {"is_watched": False})
        figures = self._figures(view)
        if not view.is_live:
            return Look(Condition.WELL, figures)
        has_new = view.captured_at is not None and view.captured_at > began
        is_found = find(view, self._clock.now(), self._limits().staleness) is not None
        return Look(Condition.WELL if has_new and not is_found else Condition.UNWELL, figures)

    def _treat(self, view: MatchView, found: Finding) -> None:
        now = self._clock.monotonic()
        case = self._cases.setdefault(view.match_id, _Case())
        is_news = case.kind is not found.kind
        if case.kind is None:
            case.found_at = now
        case.kind = found.kind
        case.attempts = while_unwell(case.attempts)
        wait = wait_seconds(case.attempts, self._limits().patience, now)
        if wait <= 0:
            self._restart(view, found, case)
        elif is_news:
            self._tell_found(view, found, "waits", wait)
        elif not case.is_withheld and now - case.attempts.last_at >= self._limits().judging.window_seconds:
            self._withhold(view, found, case, wait)

    def _restart(self, view: MatchView, found: Finding, case: _Case) -> None:
        """Softly first. What hangs and did not mind that is killed; a frozen page gains nothing by it."""
        now = self._clock.monotonic()
        is_kill = case.attempts.count > 0 and found.kind is not Staleness.FROZEN
        case.attempts = after_attempt(case.attempts, now)
        case.is_withheld = False
        trigger = f"{found.kind.value} for {found.age_seconds:.0f} s"
        act = self._patient.kill if is_kill else self._patient.restart
        entry_id = self._recoveries.begin(
            RecoveryAction.SOFT_RESTART,
            trigger,
            view.match_id,
            self._figures(view),
            lambda began: self.look(view.match_id, began),
        )
        is_done = act(view.match_id, trigger)
        self._recoveries.acted(
            entry_id,
            self._clock.monotonic() - now,
            {"way": "kill" if is_kill else "restart", "is_done": is_done, "attempt": case.attempts.count},
        )
        done = "killed" if is_kill else "restarted"
        self._tell_found(view, found, done if is_done else "refused", 0.0)

    def _release(self, match_id: str, case: _Case) -> None:
        self._end(match_id, case)
        case.attempts = while_well(case.attempts, self._limits().patience, self._clock.monotonic())
        if case.attempts.count == 0:
            del self._cases[match_id]

    def _end(self, match_id: str, case: _Case) -> None:
        if case.kind is None:
            return
        self._bus.emit(
            troubles.StalenessEnded(
                at=self._clock.now(),
                match_id=match_id,
                kind=case.kind.value,
                duration_seconds=self._clock.monotonic() - case.found_at,
            )
        )
        case.kind = None

    def _withhold(self, view: MatchView, found: Finding, case: _Case, wait: float) -> None:
        """The last attempt did not help, and the next one waits: said once."""
        case.is_withheld = True
        self._bus.emit(
            troubles.RecoveryWithheld(
                at=self._clock.now(),
                subject=view.match_id,
                reason=f"{found.kind.value} for {found.age_seconds:.0f} s",
                attempts=case.attempts.count,
                wait_seconds=wait,
            )
        )

    def _figures(self, view: MatchView) -> Figures:
        now = self._clock.now()
        return {
            "status": view.status.value,
            "play": view.play.value if view.play else None,
            "capture_age_seconds": round(capture_age_seconds(view, now), 1),
            "content_age_seconds": round(content_age_seconds(view, now), 1),
        }

    def _tell_found(self, view: MatchView, found: Finding, action: str, wait: float) -> None:
        self._bus.emit(
            troubles.StalenessFound(
                at=self._clock.now(),
                match_id=view.match_id,
                kind=found.kind.value,
                age_seconds=found.age_seconds,
                action=action,
                url=view.url,
                captured_at=view.captured_at,
                changed_at=view.changed_at,
                wait_seconds=wait,
            )
        )
