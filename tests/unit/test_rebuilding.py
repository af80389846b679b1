"""The ledger derived again from captures: the same, or what differs, and written only when told to."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import pytest

from longstop.domain.cricket import Place
from longstop.domain.errors import InputError, MalformedPayloadError, SourceFailingError, UnknownMatchError
from longstop.domain.events import EventKind
from longstop.domain.match import MatchRef
from longstop.domain.observation import Observation
from longstop.fetch.snapshot import Snapshot
from longstop.pipeline import OutcomeKind, Pipeline
from longstop.rebuilding import QUIET_SECONDS, Comparison, Rebuild, row_of, told
from longstop.sources.crex import CrexSource
from longstop.store.contract import Capture
from tests.crex import REF
from tests.polling import CLOCK, Table, table
from tests.virtual import on_virtual_time

LATER = timedelta(seconds=QUIET_SECONDS + 60)


class OldCrexSource(CrexSource):
    """Stumbles over a batter that the new parser reads well."""

    def parse_state(self, ref: MatchRef, snapshot: Snapshot) -> Observation:
        if b'"r":4' in snapshot.body:
            raise MalformedPayloadError("A four is no number of runs.")
        return super().parse_state(ref, snapshot)


async def rebuilt(it: Table) -> tuple[Rebuild, Comparison]:
    job = Rebuild(it.source, it.store, await row_of(it.store, REF.match_id))
    return job, await job.compare()


async def missed_by_the_old_parser() -> Table:
    """Nine balls were read; the four that came then could not be."""
    it = await table(9)
    it.pipeline = Pipeline(OldCrexSource(), it.fetcher, it.store, CLOCK, it.heard.bus)
    await it.poll()
    it.innings.bowl()
    it.innings.runs[-1] = 4
    assert (await it.poll()).kind is OutcomeKind.FAILED
    return it


@pytest.mark.req("C5")
@on_virtual_time
async def test_captures_of_a_match_that_was_read_well_give_the_same_ledger() -> None:
    it = await table(60)
    for _ in range(20):
        await it.poll()
        it.innings.bowl(4)
    it.innings.ended = "CD won by 5 runs"
    await it.poll(feed=SourceFailingError("Down."))
    for _ in range(3):
        await it.poll()
    job, found = await rebuilt(it)
    assert (found.is_same, found.differences, found.passed, found.unproven) == (True, (), (), ())
    assert found.balls == len(it.innings.runs)
    assert told(found, 10)[-1] == "The record says the same."
    assert await job.compare() == found


@pytest.mark.req("C5")
@on_virtual_time
async def test_what_the_old_parser_could_not_read_the_new_one_gives_and_writes_as_new_revisions() -> None:
    it = await missed_by_the_old_parser()
    job, found = await rebuilt(it)
    assert [(each.kind, each.where, each.stored) for each in found.differences] == [("ball", "1.1.4", None)]
    assert len(await it.places()) == 9
    now = CLOCK.now() + LATER
    before = await it.events()
    await job.write(now)
    assert (await job.compare()).is_same
    *older, ball = await it.events()
    assert older == before
    assert (ball.kind, ball.place, ball.captured_at) == (EventKind.BALL_BOWLED, Place(1, 1, 4), now)
    live = (await it.store.live([REF.match_id]))[REF.match_id]
    assert (live.innings[0].runs, live.captured_at < now) == (13, True)


@pytest.mark.req("C1")
@on_virtual_time
async def test_a_ball_that_was_read_wrongly_is_corrected_and_never_changed_in_place() -> None:
    it = await missed_by_the_old_parser()
    job, _ = await rebuilt(it)
    await job.write(CLOCK.now() + LATER)
    first = await it.store.delivery_history(REF.match_id)
    it.innings.runs[2] = 2
    it.innings.moved()
    it.watch = it.watching()
    await it.poll(state=b"not read at all")
    job, found = await rebuilt(it)
    assert found.is_same
    assert [each.purpose for each in found.passed] == ["state"]
    it.watch = it.watching()
    it.pipeline = Pipeline(OldCrexSource(), it.fetcher, it.store, CLOCK, it.heard.bus)
    await it.poll()
    job, found = await rebuilt(it)
    assert [each.where for each in found.differences] == ["1.0.3"]
    await job.write(CLOCK.now() + LATER)
    history = await it.store.delivery_history(REF.match_id)
    assert [row for row in history if row in first] == list(first)
    assert {row.place: row.revision for row in history if row not in first} == {Place(1, 0, 3): 2}


@on_virtual_time
async def test_balls_of_which_no_capture_is_left_are_told_and_left_alone() -> None:
    it = await table(3)
    await it.poll()
    it.innings.bowl(57)
    await it.poll()
    await it.store.prune_captures(0)
    it.innings.bowl()
    await it.poll()
    _, found = await rebuilt(it)
    assert (found.is_same, found.captures) == (True, 1)
    assert found.unproven[0] == "1.0.1"
    assert "no capture that is left" in "".join(told(found, 10))


async def insisting(it: Table, *, on_the_same: bool) -> None:
    """Forty balls are taken back, which nobody believes at first."""
    await it.poll()
    del it.innings.runs[20:]
    it.innings.moved()
    for _ in range(30):
        await it.poll()
        await CLOCK.sleep(2.5)
        if not on_the_same:
            it.innings.moved()


@pytest.mark.req("C5")
@pytest.mark.parametrize("on_the_same", [True, False], ids=["by one payload", "by many payloads"])
@on_virtual_time
async def test_what_polling_believed_because_it_was_insisted_on_is_believed_again(on_the_same: bool) -> None:
    it = await table(60)
    await insisting(it, on_the_same=on_the_same)
    assert len(await it.places()) == 20
    _, found = await rebuilt(it)
    assert (found.is_same, found.balls) == (True, 20)
    it.innings.bowl(8)
    await it.poll()
    _, found = await rebuilt(it)
    assert (found.is_same, found.balls) == (True, 28)


@pytest.mark.req("C5")
@on_virtual_time
async def test_a_damaged_capture_is_passed_over_and_the_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    it = await table(9)
    for _ in range(5):
        await it.poll()
        it.innings.bowl()
    kept = list(await it.store.captures(REF.match_id))
    kept[2] = msgspec.structs.replace(kept[2], body=b"", damage="the kept body is damaged")

    async def shelf(_: str, *, after: datetime | None = None, limit: int = 100) -> Sequence[Capture]:
        return [each for each in kept if after is None or each.captured_at > after][:limit]

    monkeypatch.setattr(it.store, "captures", shelf)
    _, found = await rebuilt(it)
    assert (found.is_same, found.captures, found.balls) == (True, 5, 13)
    assert [each.reason for each in found.passed] == ["the kept body is damaged"]


@on_virtual_time
async def test_nothing_is_written_while_somebody_watches_the_match() -> None:
    it = await missed_by_the_old_parser()
    job, _ = await rebuilt(it)
    with pytest.raises(InputError, match="somebody is watching"):
        await job.write(CLOCK.now())


@on_virtual_time
async def test_a_record_that_is_newer_than_its_captures_is_not_written_over() -> None:
    it = await missed_by_the_old_parser()
    it.pipeline = Pipeline(it.source, it.fetcher, it.store, CLOCK, it.heard.bus)
    job, _ = await rebuilt(it)
    it.innings.bowl()
    await it.poll()
    with pytest.raises(InputError, match="not kept"):
        await job.write(CLOCK.now() + LATER)


@on_virtual_time
async def test_a_match_without_captures_or_without_a_name_is_told() -> None:
    it = await table(3)
    with pytest.raises(UnknownMatchError):
        await row_of(it.store, "crex_NONE")
    await it.poll()
    await it.store.prune_captures(0)
    with pytest.raises(InputError, match="No payload"):
        await rebuilt(it)
