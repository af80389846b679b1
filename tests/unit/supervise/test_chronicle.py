"""What others replace by rules of their own stands in the book of recoveries too."""

import pytest

from longstop.domain.recovery import RecoveryAction, RecoveryOutcome
from longstop.observe import signals
from longstop.supervise.watchdogs.limits import WatchdogLimits
from longstop.supervise.watchdogs.pack import Watchdogs
from tests.patient import CLOCK, Simulated, view
from tests.virtual import Heard, on_virtual_time

pytestmark = pytest.mark.req("H3", "B5")

LIMITS = WatchdogLimits(measures_resources=False)


class Desk:
    def __init__(self) -> None:
        self.heard = Heard()
        self.patient = Simulated(view())
        self.pack = Watchdogs(self.patient, lambda: LIMITS, CLOCK, self.heard.bus)

    async def live_for(self, seconds: float) -> None:
        for _ in range(round(seconds / 5)):
            await self.patient.live_for(5.0)
            self.pack.matches.check()
            await self.pack.grade.check()
            self.pack.recoveries.judge_all()

    def order(self, action: str, *, is_accepted: bool = True) -> None:
        self.heard.bus.emit(
            signals.ReplacementOrdered(
                at=CLOCK.now(),
                match_id="crex_A",
                scraper_id="before",
                action=action,
                reason="lifetime",
                detail="21600 of 21600 s",
                is_accepted=is_accepted,
            )
        )

    def recycle(self, subject: str = "browser", action: str = "replace") -> None:
        self.heard.bus.emit(
            signals.BrowserRecycled(
                at=CLOCK.now(), unit="u1", subject=subject, reason="pids", action=action, detail="201 of 200"
            )
        )


@on_virtual_time
async def test_a_scraper_that_is_replaced_for_its_age_is_audited_with_how_long_that_took() -> None:
    desk = Desk()
    await desk.live_for(10.0)
    desk.order("replace")
    await desk.live_for(5.0)
    desk.heard.bus.emit(
        signals.ScraperReplaced(
            at=CLOCK.now(), match_id="crex_A", before="before", after="after", reason="lifetime", gap_seconds=2.5
        )
    )
    await desk.live_for(30.0)
    (entry,) = desk.pack.recoveries.entries
    assert (entry.action, entry.trigger, entry.subject) == (
        RecoveryAction.SOFT_RESTART,
        "lifetime: 21600 of 21600 s",
        "crex_A",
    )
    assert entry.outcome is RecoveryOutcome.SUCCESS
    assert entry.duration_seconds == pytest.approx(5.0)
    assert entry.metadata["scraper_id_after"] == "after"


@on_virtual_time
async def test_a_replacement_after_which_no_data_come_has_failed() -> None:
    desk = Desk()
    desk.patient.does_capture.clear()
    desk.order("kill")
    await desk.live_for(150.0)
    entry = desk.pack.recoveries.entries[-1]
    assert (entry.subject, entry.outcome) == ("crex_A", RecoveryOutcome.FAILED)


@on_virtual_time
async def test_a_browser_with_too_many_processes_is_a_browser_recycle() -> None:
    desk = Desk()
    desk.recycle()
    await desk.live_for(60.0)
    (entry,) = desk.pack.recoveries.entries
    assert (entry.action, entry.trigger, entry.subject, entry.outcome) == (
        RecoveryAction.BROWSER_RECYCLE,
        "pids: 201 of 200",
        "browser u1",
        RecoveryOutcome.SUCCESS,
    )


@on_virtual_time
async def test_what_is_no_recovery_is_not_written_down() -> None:
    desk = Desk()
    desk.order("replace", is_accepted=False)
    desk.recycle("context")
    desk.recycle(action="close")
    await desk.live_for(10.0)
    assert desk.pack.recoveries.entries == ()
