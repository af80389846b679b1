"""The events of all matches in one order: nothing is lost, nothing told twice, whoever writes meanwhile."""

import asyncio

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest

from longstop.store.contract import FedEvent, FeedCursor, Store, WriteBatch
from longstop.store.open import open_store
from tests.contract.store.samples import event

pytestmark = pytest.mark.req("C7")


async def told_from(store: Store, cursor: FeedCursor, page: int = 2) -> list[FedEvent]:
    found: list[FedEvent] = []
    while batch := await store.feed(cursor, limit=page):
        found += batch
        cursor = batch[-1].cursor
    return found


def batch_of(match_id: str, *seqs: int) -> WriteBatch:
    return WriteBatch(events=tuple(event(seq, match_id=match_id) for seq in seqs))


async def test_the_feed_tells_all_matches_in_the_order_of_their_writing(store: Store) -> None:
    await store.save(batch_of("crex_B", 1, 2))
    await store.save(batch_of("crex_A", 1))
    await store.save(batch_of("crex_B", 3))
    told = await told_from(store, FeedCursor())
    assert [(fed.event.match_id, fed.event.seq) for fed in told] == [
        ("crex_B", 1),
        ("crex_B", 2),
        ("crex_A", 1),
        ("crex_B", 3),
    ]
    assert told[1].event == event(2, match_id="crex_B")


async def test_a_reader_goes_on_from_any_place_without_loss_or_repetition(store: Store) -> None:
    for seq in range(1, 6):
        await store.save(batch_of("crex_A", seq))
    told = await told_from(store, FeedCursor())
    for place, fed in enumerate(told):
        assert await told_from(store, fed.cursor) == told[place + 1 :]
    assert await store.feed_end() == told[-1].cursor


async def test_the_same_events_written_again_are_told_once(store: Store) -> None:
    await store.save(batch_of("crex_A", 1, 2))
    await store.save(batch_of("crex_A", 1, 2))
    assert len(await told_from(store, FeedCursor())) == 2


async def test_an_empty_feed_ends_where_it_begins(store: Store) -> None:
    assert await store.feed_end() == FeedCursor()
    assert list(await store.feed(FeedCursor())) == []


async def test_a_cursor_from_nowhere_is_answered(store: Store) -> None:
    await store.save(batch_of("crex_A", 1))
    assert list(await store.feed(FeedCursor(2**63, 2**63))) == []
    assert len(await store.feed(FeedCursor(-(2**70), -5))) == 1


async def test_nothing_is_told_past_a_transaction_that_still_runs(postgres_url: str) -> None:
    """The late one got its place first: whoever had read past it would never see it."""
    store = open_store(postgres_url)
    await store.open()
    late = await asyncpg.connect(postgres_url)
    try:
        start = await store.feed_end()
        writing = late.transaction()
        await writing.start()
        await late.execute(
            "INSERT INTO match_events (match_id, seq, key, kind, true_at, captured_at, revision, detail)"
            " VALUES ('feed_LATE', 1, 'x', 'status_changed', now(), now(), 1, 'live')"
        )
        await late.execute("INSERT INTO event_feed (match_id, seq) VALUES ('feed_LATE', 1)")
        await store.save(batch_of("feed_SOON", 1))
        assert list(await store.feed(start)) == []
        await writing.commit()
        await asyncio.sleep(0)
        told = await told_from(store, start)
        assert [fed.event.match_id for fed in told] == ["feed_LATE", "feed_SOON"]
    finally:
        await late.close()
        await store.close()
