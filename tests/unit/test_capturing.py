"""Append before parse: what is kept of the payloads, and when."""

import msgspec
import pytest

from longstop.capturing import Shelf, missing_of
from longstop.domain.errors import MalformedPayloadError
from longstop.pipeline import OutcomeKind
from longstop.sources.contract import Missing
from longstop.store.contract import Capture
from tests.crex import REF
from tests.doubles import DOWN, failing_times
from tests.polling import Table, table
from tests.virtual import on_virtual_time


async def kept(it: Table) -> list[Capture]:
    return list(await it.store.captures(REF.match_id))


@pytest.mark.req("C5")
@on_virtual_time
async def test_a_payload_is_kept_once_however_often_it_comes_and_again_when_it_changes() -> None:
    it = await table(9)
    for _ in range(3):
        await it.poll()
    first = msgspec.json.encode(it.innings.state())
    it.innings.bowl()
    await it.poll()
    assert [each.body for each in await kept(it)] == [first, msgspec.json.encode(it.innings.state())]
    assert {(each.purpose, each.source, each.rung) for each in await kept(it)} == {("state", "crex", "replay")}


@pytest.mark.req("C5")
@on_virtual_time
async def test_the_ball_feed_is_kept_with_the_overs_that_were_asked_for() -> None:
    it = await table(60)
    await it.poll()
    feeds = [each for each in await kept(it) if each.purpose == "feed"]
    assert missing_of(feeds[0].asked) == Missing(1, 0, 5)


@pytest.mark.req("C5")
@pytest.mark.parametrize("body", [b"<html>Oops", b'{"a":"CD.CD"}'], ids=["unreadable", "not believed"])
@on_virtual_time
async def test_what_cannot_be_read_or_is_not_believed_is_kept_once_for_reading_it_again(body: bytes) -> None:
    it = await table(9)
    for _ in range(3):
        assert not (await it.poll(state=body)).is_success
    assert [each.body for each in await kept(it)] == [body]


@pytest.mark.req("C5")
@on_virtual_time
async def test_nothing_is_derived_from_a_payload_that_could_not_be_kept() -> None:
    it = await table(9)
    it.store.keeping = failing_times(1)
    outcome = await it.poll()
    assert (outcome.kind, outcome.error) == (OutcomeKind.NOT_STORED, DOWN)
    assert it.store.saved == []
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(9)


@pytest.mark.req("C5")
@on_virtual_time
async def test_keeping_can_be_switched_off_and_on_while_it_runs() -> None:
    it = await table(9)
    is_on = [False]
    shelf = Shelf(it.store, lambda: is_on[0])
    snapshot = await it.fetcher.fetch(it.source.live_state(REF))
    await shelf.keep(it.watch, snapshot)
    assert await kept(it) == []
    is_on[0] = True
    assert (await shelf.keep(it.watch, snapshot)).sha256() == snapshot.sha256()
    assert len(await kept(it)) == 1


def test_a_capture_that_does_not_tell_what_was_asked_is_malformed() -> None:
    with pytest.raises(MalformedPayloadError):
        missing_of("overs 1 to 9")
