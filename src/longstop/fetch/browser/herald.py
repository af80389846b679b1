"""What the pool tells about its browsers, as signals."""

from longstop.clock import Clock
from longstop.domain.errors import BrowserError
from longstop.fetch.browser.berths import Berth
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.recycling import Verdict
from longstop.fetch.browser.survey import Ending
from longstop.observe import signals
from longstop.observe.signals import Signals


class Herald:
    def __init__(self, clock: Clock, bus: Signals) -> None:
        self._clock = clock
        self._bus = bus

    def started(self, berth: Berth, seconds: float) -> None:
        driver, browser = berth.unit.driver, berth.unit.browser
        self._bus.emit(
            signals.BrowserStarted(
                at=self._clock.now(),
                unit=berth.unit.name,
                pid=0 if browser is None else browser.pid,
                driver_pid=0 if driver is None else driver.pid,
                duration_seconds=seconds,
            )
        )

    def failed(self, error: BrowserError, operation: str, attempt: int = 0) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="error",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation=operation,
                attempt=attempt,
            )
        )

    def lost(self, berth: Berth, reason: str) -> None:
        now, unit = self._clock.now(), berth.unit.name
        self._bus.emit(signals.BrowserLost(at=now, unit=unit, reason=reason, leases=len(berth.leases)))

    def unmeasured(self, berth: Berth) -> None:
        reason = f"Browser {berth.unit.name} lives and is said to take no memory."
        self._bus.emit(signals.ReadingFailed(at=self._clock.now(), reading="browser memory", reason=reason))

    def stopped(self, berth: Berth, reason: str, ending: Ending) -> None:
        self._bus.emit(
            signals.BrowserStopped(
                at=self._clock.now(),
                unit=berth.unit.name,
                reason=reason,
                pids_before=ending.pids_before,
                pids_after=ending.pids_after,
                duration_seconds=ending.seconds,
            )
        )

    def recycled(self, berth: Berth, subject: str, verdict: Verdict) -> None:
        self._bus.emit(
            signals.BrowserRecycled(
                at=self._clock.now(),
                unit=berth.unit.name,
                subject=subject,
                reason=verdict.reason,
                action=verdict.action.value,
                detail=verdict.detail,
            )
        )

    def lease_lost(self, berth: Berth, lease: Lease, reason: str) -> None:
        now, unit = self._clock.now(), berth.unit.name
        self._bus.emit(signals.LeaseLost(at=now, unit=unit, source=lease.need.source, reason=reason))
