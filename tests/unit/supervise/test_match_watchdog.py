import pytest

from longstop.domain.cricket import PlayState
from longstop.domain.match import MatchStatus
from longstop.domain.recovery import RecoveryAction, RecoveryOutcome
from longstop.observe.health import Board
from longstop.observe.signals import troubles
from tests.cricket import NOON
from tests.patient import Kennel, Simulated, view
from tests.virtual import on_virtual_time

pytestmark = pytest.mark.req("B3", "C6")


def found(kennel: Kennel) -> list[tuple[str, str]]:
    return [(each.kind, each.action) for each in kennel.heard.of(troubles.StalenessFound)]


@on_virtual_time
async def test_a_frozen_match_is_told_and_restarted_within_fifteen_seconds_of_the_threshold() -> None:
    patient = Simulated(view("crex_A"), view("crex_B"))
    patient.does_change = {"crex_B"}
    kennel = Kennel(patient)
    await kennel.watch_for(330.0)
    (told,) = kennel.heard.of(troubles.StalenessFound)
    assert (told.match_id, told.kind, told.action) == ("crex_A", "frozen", "restarted")
    assert 300.0 <= (told.at - NOON).total_seconds() <= 315.0
    assert told.url.endswith("crex_A")
    assert told.captured_at is not None
    assert told.changed_at == NOON
    assert [match_id for _, match_id in patient.restarted] == ["crex_A"]


@on_virtual_time
async def test_a_restart_that_helped_is_a_success_in_the_audit_and_the_match_is_told_fresh() -> None:
    patient = Simulated(view())
    patient.does_change.clear()
    patient.on_restart = patient.does_change.add
    kennel = Kennel(patient)
    await kennel.watch_for(400.0)
    (entry,) = kennel.recoveries.entries
    assert (entry.action, entry.subject, entry.outcome) == (
        RecoveryAction.SOFT_RESTART,
        "crex_A",
        RecoveryOutcome.SUCCESS,
    )
    assert entry.trigger == "frozen for 300 s"
    assert entry.metadata["content_age_seconds_before"] == 300.0
    assert float(entry.metadata["content_age_seconds_after"] or 0.0) < 5.0
    (ended,) = kennel.heard.of(troubles.StalenessEnded)
    assert ended.duration_seconds == pytest.approx(5.0, abs=1.0)
    assert kennel.matches.stale == {}


@on_virtual_time
async def test_a_restart_that_did_not_help_is_repeated_after_five_ten_and_twenty_minutes_and_it_says_so() -> None:
    patient = Simulated(view())
    patient.does_change.clear()
    kennel = Kennel(patient)
    await kennel.watch_for(300.0 + 300.0 + 600.0 + 1200.0 + 30.0)
    assert [round(at) for at, _ in patient.restarted] == pytest.approx([300, 600, 1200, 2400], abs=10)
    withheld = kennel.heard.of(troubles.RecoveryWithheld)
    assert [each.attempts for each in withheld] == [1, 2, 3]
    assert withheld[0].wait_seconds == pytest.approx(180.0, abs=10.0)
    outcomes = [entry.outcome for entry in kennel.recoveries.entries]
    assert outcomes == [None, *[RecoveryOutcome.FAILED] * 3]
    assert patient.killed == [], "a frozen page gains nothing by a kill"


@on_virtual_time
async def test_a_match_that_is_not_captured_is_restarted_after_two_minutes_told_again_at_five_then_killed() -> None:
    patient = Simulated(view("crex_A"), view("crex_B"))
    patient.does_capture = {"crex_B"}
    kennel = Kennel(patient)
    await kennel.watch_for(440.0)
    assert found(kennel) == [("overdue", "restarted"), ("unseen", "waits"), ("unseen", "killed")]
    assert [round(at) for at, _ in patient.restarted] == [120]
    assert [round(at) for at, _ in patient.killed] == [420]


@pytest.mark.parametrize("play", [PlayState.STUMPS, PlayState.LUNCH, PlayState.RAIN, PlayState.INNINGS_BREAK])
@on_virtual_time
async def test_a_break_of_any_length_is_no_staleness_and_play_begins_the_count_anew(play: PlayState) -> None:
    patient = Simulated(view())
    kennel = Kennel(patient)
    await kennel.watch_for(200.0)
    patient.set("crex_A", play=play)
    patient.does_change.clear()
    await kennel.watch_for(3600.0)
    assert found(kennel) == []
    patient.set("crex_A", play=PlayState.PLAY, in_play_since=patient.views["crex_A"].captured_at)
    await kennel.watch_for(295.0)
    assert found(kennel) == []
    await kennel.watch_for(10.0)
    assert found(kennel) == [("frozen", "restarted")]


@on_virtual_time
async def test_a_restart_that_the_engine_refuses_is_told_as_refused_and_counts_as_an_attempt() -> None:
    patient = Simulated(view())
    patient.does_change.clear()
    patient.is_there = False
    kennel = Kennel(patient)
    await kennel.watch_for(330.0)
    assert found(kennel) == [("frozen", "refused")]
    assert len(patient.restarted) == 1


@on_virtual_time
async def test_a_match_that_ends_after_its_restart_has_nothing_to_recover() -> None:
    patient = Simulated(view())
    patient.does_change.clear()
    patient.on_restart = lambda match_id: patient.set(match_id, status=MatchStatus.COMPLETED)
    kennel = Kennel(patient)
    await kennel.watch_for(340.0)
    assert [entry.outcome for entry in kennel.recoveries.entries] == [RecoveryOutcome.SUCCESS]


@on_virtual_time
async def test_a_match_that_nobody_watches_any_more_is_forgotten() -> None:
    patient = Simulated(view())
    patient.does_change.clear()
    kennel = Kennel(patient)
    await kennel.watch_for(310.0)
    patient.views.clear()
    await kennel.watch_for(130.0)
    assert kennel.matches.stale == {}
    assert len(kennel.heard.of(troubles.StalenessEnded)) == 1
    assert [entry.outcome for entry in kennel.recoveries.entries] == [RecoveryOutcome.PARTIAL]


@pytest.mark.req("H1")
@on_virtual_time
async def test_a_frozen_match_degrades_the_board_until_it_is_fresh_again() -> None:
    patient = Simulated(view())
    patient.does_change.clear()
    kennel = Kennel(patient)
    board = Board(NOON)
    board.subscribe(kennel.heard.bus)
    board._meet("crex_A", "crex", NOON).captured_at = NOON
    await kennel.watch_for(310.0)
    watched = board.match("crex_A")
    assert watched is not None
    assert watched.health(NOON) == "degraded"
    patient.does_change.add("crex_A")
    await kennel.watch_for(10.0)
    assert watched.health(NOON) == "healthy"
