import asyncio

import pytest

from longstop.domain.errors import BrowserLostError
from longstop.domain.lifecycle import HealthGrade
from longstop.domain.recovery import RecoveryAction, RecoveryOutcome
from longstop.observe import signals
from longstop.observe.health import Board
from longstop.observe.signals import troubles
from longstop.supervise.service import Stop
from tests.cricket import NOON
from tests.patient import CLOCK, Kennel, Simulated, view
from tests.virtual import on_virtual_time

pytestmark = pytest.mark.req("B3", "H3")


def many(count: int = 20) -> Simulated:
    return Simulated(*(view(f"crex_{number}") for number in range(count)))


def steps(kennel: Kennel) -> list[str]:
    return [each.event for each in kennel.heard.of(troubles.HealthGraded)]


@on_virtual_time
async def test_a_stall_recycles_within_fifteen_seconds_and_the_first_good_poll_ends_it() -> None:
    patient = many()
    patient.does_capture.clear()
    patient.on_recycle = lambda: patient.does_capture.update(patient.views)
    kennel = Kennel(patient)
    board = Board(NOON)
    board.subscribe(kennel.heard.bus)
    await kennel.watch_for(92.0, with_grade=True)
    assert 90.0 <= patient.recycled_at[0] <= 105.0
    assert board.grade == "recovering"
    await kennel.watch_for(60.0, with_grade=True)
    assert steps(kennel) == ["aged", "stalled", "recycled", "scraped"]
    assert len(patient.recycled_at) == 1
    (entry,) = [each for each in kennel.recoveries.entries if each.action is RecoveryAction.BROWSER_RECYCLE]
    assert entry.outcome is RecoveryOutcome.SUCCESS
    assert entry.duration_seconds == 1.0
    assert entry.metadata["grade_before"] == "failing"
    assert entry.metadata["grade_after"] == "healthy"
    assert entry.metadata["pids_after"] == 7
    assert board.grade == "healthy"


@on_virtual_time
async def test_a_recycle_that_did_not_help_is_repeated_after_five_and_ten_minutes_and_it_says_so() -> None:
    patient = many()
    patient.does_capture.clear()
    kennel = Kennel(patient)
    await kennel.watch_for(90.0 + 300.0 + 600.0 + 60.0, with_grade=True)
    assert patient.recycled_at == pytest.approx([90.0, 405.0, 1005.0], abs=20.0)
    assert kennel.grade.grade is HealthGrade.RECOVERING
    told = [each for each in kennel.heard.of(troubles.RecoveryWithheld) if each.subject == "instance"]
    assert [each.attempts for each in told] == [1, 2, 3]
    judged = [each.outcome for each in kennel.recoveries.entries if each.subject == "instance"]
    assert judged == [None, RecoveryOutcome.FAILED, RecoveryOutcome.FAILED]


@on_virtual_time
async def test_one_match_over_two_minutes_fails_the_instance_and_does_not_recycle_it_every_time() -> None:
    patient = many()
    patient.does_capture.discard("crex_7")
    kennel = Kennel(patient)
    await kennel.watch_for(360.0, with_grade=True)
    assert len(patient.recycled_at) == 1
    assert steps(kennel)[:4] == ["aged", "stalled", "recycled", "scraped"]
    outcomes = [each.outcome for each in kennel.recoveries.entries if each.subject == "instance"]
    assert outcomes == [RecoveryOutcome.FAILED], "well for one interval only is not well"


@on_virtual_time
async def test_a_recycle_that_hangs_or_breaks_is_ended_told_and_judged() -> None:
    patient = many()
    patient.does_capture.clear()
    patient.recycle_seconds = 600.0
    kennel = Kennel(patient)
    await kennel.watch_for(300.0, with_grade=True)
    patient.recycle_seconds, patient.recycle_error = 1.0, BrowserLostError("It died.")
    await kennel.watch_for(200.0, with_grade=True)
    words = [each.error_message for each in kennel.heard.of(signals.ErrorRaised)]
    assert words[0] == "The recycle failed: not done within 60 s"
    assert words[1].startswith("The recycle failed: BrowserLostError: It died.")
    assert len(words) == 2


@on_virtual_time
async def test_only_one_recycle_runs_at_a_time_and_one_by_hand_is_in_the_audit_too() -> None:
    kennel = Kennel(many())
    first = asyncio.create_task(kennel.grade.recycle(RecoveryAction.MANUAL_TRIGGER, "POST /admin/recycle"))
    await CLOCK.sleep(0.1)
    assert await kennel.grade.recycle(RecoveryAction.MANUAL_TRIGGER, "again") is None
    assert await first == kennel.recoveries.entries[0].entry_id
    assert kennel.recoveries.entries[0].action is RecoveryAction.MANUAL_TRIGGER


@on_virtual_time
async def test_who_wants_to_stop_does_not_wait_for_a_recycle() -> None:
    patient = many()
    patient.does_capture.clear()
    patient.recycle_seconds = 50.0
    kennel = Kennel(patient)
    stop = Stop(CLOCK)
    task = asyncio.create_task(kennel.grade.run(stop))
    await CLOCK.sleep(100.0)
    assert len(patient.recycled_at) == 1
    stop.ask("the test is over")
    await task
    assert CLOCK.monotonic() == pytest.approx(100.0)
