"""What is missing is on record in time, whatever the source does meanwhile."""

import asyncio
from types import SimpleNamespace
from typing import Any, Self

import pytest

from longstop.domain.errors import LongstopError, SourceFailingError, SourceThrottledError, StoreUnavailableError
from longstop.domain.events import EventKind, Gap, GapState
from longstop.observe import signals
from longstop.pipeline import OutcomeKind
from longstop.supervise.gap_keeping import GapKeeping
from longstop.supervise.service import Stop
from tests.crex import REF
from tests.cricket import NOON
from tests.polling import CLOCK, Table, table
from tests.virtual import on_virtual_time

DEADLINE_SECONDS = 10.0
DOWN = SourceFailingError("Down.")


async def missing() -> Table:
    """The board has 60 balls, the recent list 24, and the feed is away."""
    it = await table(60)
    it.answer("feed", DOWN)
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    return it


class Keeping:
    """The service beside whatever else happens."""

    def __init__(self, it: Table, *, is_replacing: bool = False) -> None:
        self.assignment: Any = SimpleNamespace(watch=it.watch, is_replacing=is_replacing)
        self._service = GapKeeping("crex", it.pipeline, lambda: [self.assignment])
        self._stop = Stop(CLOCK)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._service.run(self._stop))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.ask("the test is over")
        await self._task


async def gaps(it: Table) -> list[Gap]:
    return list(await it.store.gaps(REF.match_id))


def seconds(gap: Gap) -> float:
    return (gap.opened_at - NOON).total_seconds()


@pytest.mark.req("C2")
@pytest.mark.parametrize(
    "answer", [DOWN, SourceThrottledError("Slow.", retry_after_seconds=600.0), b"<html>", {"a": "CD.11"}], ids=str
)
@on_virtual_time
async def test_a_source_that_fails_from_then_on_does_not_keep_a_gap_from_the_record(answer: Any) -> None:
    it = await missing()
    async with Keeping(it):
        for _ in range(5):
            await CLOCK.sleep(2.5)
            await it.poll(state=answer)
    (gap,) = await gaps(it)
    assert (gap.state, gap.missing_balls, seconds(gap) < DEADLINE_SECONDS) == (GapState.OPEN, 36, True)
    (told,) = it.heard.of(signals.GapOpened)
    assert told.gap_id == gap.gap_id
    assert [event.kind for event in await it.events()].count(EventKind.GAP_OPENED) == 1


@pytest.mark.req("C2")
@on_virtual_time
async def test_a_poll_that_hangs_or_comes_only_each_half_minute_does_not_either() -> None:
    it = await missing()
    async with Keeping(it):
        await CLOCK.sleep(30.0)
        (gap,) = await gaps(it)
        assert seconds(gap) < DEADLINE_SECONDS
        it.answer("feed", it.innings.feed)
        it.innings.moved()
        await it.poll()
    (gap,) = await gaps(it)
    assert gap.state is GapState.REPAIRED
    await it.require_whole(60)


@pytest.mark.req("C2")
@on_virtual_time
async def test_what_a_poll_fills_in_time_never_becomes_a_gap() -> None:
    it = await missing()
    async with Keeping(it):
        await CLOCK.sleep(5.0)
        it.answer("feed", it.innings.feed)
        await it.poll()
        await CLOCK.sleep(30.0)
    assert await gaps(it) == []


@on_virtual_time
async def test_while_a_successor_is_tried_out_it_is_the_one_that_writes() -> None:
    it = await missing()
    async with Keeping(it, is_replacing=True) as keeping:
        await CLOCK.sleep(30.0)
        assert await gaps(it) == []
        keeping.assignment.is_replacing = False
        await CLOCK.sleep(1.5)
    assert len(await gaps(it)) == 1


@on_virtual_time
async def test_a_gap_that_cannot_be_written_is_told_and_the_next_poll_reads_the_record_again() -> None:
    it = await missing()

    def away() -> None:
        raise StoreUnavailableError("Away.")

    it.store.before = away
    async with Keeping(it):
        await CLOCK.sleep(12.0)
    assert [error.operation for error in it.heard.of(signals.ErrorRaised)].count("gaps") == 1
    assert not it.watch.has_ledger
    it.store.before = lambda: None
    it.innings.moved()
    outcome = await it.poll()
    assert (outcome.kind, outcome.error) == (OutcomeKind.UPDATED, None)


@pytest.mark.req("C1")
@on_virtual_time
async def test_a_gap_and_a_poll_at_the_same_moment_do_not_take_each_others_numbers() -> None:
    """The poll drafts while the gap is being written: it drafts again after it."""
    it = await missing()
    await CLOCK.sleep(8.0)
    it.innings.bowl(3)
    outcomes = await asyncio.gather(it.pipeline.record_overdue(it.watch), it.poll())
    assert outcomes[1].kind is OutcomeKind.UPDATED
    events = await it.events()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len({event.key for event in events}) == len(events)
    assert not isinstance(outcomes[0], LongstopError)
