"""What a poll leaves in the store when writes fail, restarts come in between, or the match ends."""

import asyncio

import pytest

from longstop.domain.errors import SourceFailingError
from longstop.domain.events import EventKind, GapState
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus
from longstop.observe import signals
from longstop.pipeline import OutcomeKind
from tests.crex import REF
from tests.doubles import DOWN, failing_times
from tests.polling import table
from tests.virtual import on_virtual_time


@pytest.mark.req("B7")
@on_virtual_time
async def test_a_write_that_did_not_hold_is_made_again_from_what_is_newest_then() -> None:
    it = await table(9)
    it.store.before = failing_times(3)
    for _ in range(3):
        outcome = await it.poll()
        assert (outcome.kind, outcome.error) == (OutcomeKind.NOT_STORED, DOWN)
        it.innings.bowl(2)
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(15)


@pytest.mark.req("B9")
@pytest.mark.parametrize("losing", range(1, 12))
@on_virtual_time
async def test_a_write_that_held_though_it_raised_neither_loses_nor_doubles(losing: int) -> None:
    """The commit is cut after one poll of a short match, whichever; the ledger is read back from the store."""
    it = await table(0)
    for number in range(1, 13):
        if number == losing:
            it.store.after = failing_times(1)
        if number == 11:
            it.innings.ended = "CD won by 5 runs"
        reads = it.store.ledgers_read
        outcome = await it.poll()
        if number == losing:
            assert outcome.kind is OutcomeKind.NOT_STORED
            assert not it.watch.has_ledger
        elif number == losing + 1:
            assert it.store.ledgers_read == reads + 1
        if number <= 9:
            it.innings.bowl(2)
        else:
            it.innings.moved()
    await it.require_whole(18)
    results = [event for event in await it.events() if event.kind is EventKind.RESULT_DECLARED]
    assert len(results) == 1
    assert it.watch.status is MatchStatus.COMPLETED


@pytest.mark.req("B9")
@pytest.mark.parametrize("fault", [KeyError("ours"), asyncio.CancelledError()], ids=["a fault of ours", "cancelled"])
@on_virtual_time
async def test_a_write_that_ended_in_any_other_way_is_read_back_too(fault: BaseException) -> None:
    it = await table(9)

    def broken() -> None:
        raise fault

    it.store.after = broken
    with pytest.raises(type(fault)):
        await it.poll()
    it.store.after = failing_times(0)
    it.innings.bowl(3)
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(12)


@pytest.mark.req("B8")
@pytest.mark.parametrize("status", [MatchStatus.UPCOMING, MatchStatus.LIVE])
@on_virtual_time
async def test_a_restart_goes_on_without_a_twin_or_a_hole(status: MatchStatus) -> None:
    """Whoever resumes has the status of the list or of the row; either way nothing is told twice."""
    it = await table(9)
    await it.poll()
    for _ in range(3):
        it.watch = it.watching(status)
        it.innings.bowl(4)
        assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(21)


@pytest.mark.req("B8")
@on_virtual_time
async def test_a_restart_after_the_end_tells_nothing_again() -> None:
    it = await table(9)
    it.innings.ended = "CD won by 5 runs"
    await it.poll()
    before = await it.events()
    it.watch = it.watching()
    it.innings.moved()
    await it.poll()
    assert await it.events() == before


@on_virtual_time
async def test_a_store_that_cannot_be_read_is_an_outcome_and_nothing_is_asked_of_the_source() -> None:
    it = await table(9)
    it.store.reading = failing_times(1)
    assert (await it.poll()).kind is OutcomeKind.NOT_STORED
    assert it.fetcher.asked == []
    assert (await it.poll()).kind is OutcomeKind.UPDATED


@pytest.mark.req("A5")
@on_virtual_time
async def test_the_end_of_a_match_is_recorded_and_every_over_is_read_once_more() -> None:
    it = await table(60)
    await it.poll()
    it.innings.moved().ended = "CD won by 5 runs"
    await it.poll()
    assert (it.watch.status, it.watch.state) == (MatchStatus.COMPLETED, MatchState.COMPLETED)
    before = len(it.fetcher.asked_for("feed"))
    finished = [it.watch.is_finished]
    await it.poll()
    finished.append(it.watch.is_finished)
    assert finished == [False, True]
    assert len(it.fetcher.asked_for("feed")) > before
    steps = [(told.before, told.after) for told in it.heard.of(signals.MatchStateChanged)]
    assert steps == [("discovered", "active"), ("active", "completed")]
    row = await it.store.match(REF.match_id)
    assert row is not None
    assert (row.state, row.status) == (MatchState.COMPLETED, MatchStatus.COMPLETED)
    assert row.result is not None
    assert (row.result.winner, row.result.by_runs) == ("CD", 5)
    await it.require_whole(60)


@on_virtual_time
async def test_a_fault_of_ours_comes_out_for_supervision() -> None:
    it = await table(9)

    def broken() -> None:
        raise KeyError("ours")

    it.store.before = broken
    with pytest.raises(KeyError):
        await it.poll()
    it.store.before = failing_times(0)
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(9)


@pytest.mark.req("A5")
@on_virtual_time
async def test_a_match_that_the_source_dropped_for_good_is_concluded_once() -> None:
    it = await table(9)
    await it.poll()
    await it.pipeline.conclude(it.watch)
    await it.pipeline.conclude(it.watch)
    row = await it.store.match(REF.match_id)
    assert row is not None
    assert (row.state, row.status) == (MatchState.COMPLETED, MatchStatus.COMPLETED)
    assert [told.after for told in it.heard.of(signals.MatchStateChanged)] == ["active", "completed"]


@on_virtual_time
async def test_a_match_that_was_never_seen_has_nothing_to_conclude() -> None:
    it = await table(9)
    await it.pipeline.conclude(it.watch)
    assert it.store.saved == []


@on_virtual_time
async def test_a_conclusion_that_cannot_be_stored_is_told_and_does_no_harm() -> None:
    it = await table(9)
    await it.poll()
    it.store.before = failing_times(1)
    await it.pipeline.conclude(it.watch)
    (error,) = it.heard.of(signals.ErrorRaised)
    assert error.operation == "conclusion"


@pytest.mark.req("C7")
@on_virtual_time
async def test_what_is_missing_when_the_source_drops_the_match_is_given_up_with_its_cause() -> None:
    """The feed never answered, so the first overs were never seen."""
    it = await table(60)
    down = SourceFailingError("Down.")
    await it.poll(feed=down)
    it.answer("feed", down)
    await it.pipeline.conclude(it.watch)
    states = [gap.state for gap in await it.store.gap_history(REF.match_id)]
    assert states == [GapState.OPEN, GapState.UNRECOVERABLE]
    assert "shows the match no more" in (await it.store.gaps(REF.match_id))[0].cause
    (concluded,) = it.heard.of(signals.MatchConcluded)
    assert not concluded.is_verified
    assert [told.state for told in it.heard.of(signals.GapClosed)] == ["unrecoverable"]
    assert [event.kind for event in await it.events()][-1] is EventKind.GAP_UNRECOVERABLE
