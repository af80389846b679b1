"""Opened once, closed once, and honest about what became of a batch in between."""

import asyncio

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import StoreClosedError
from longstop.store.contract import Store, WriteBatch
from tests.contract.store.conftest import Backend
from tests.contract.store.samples import MATCH, event, full_batch, record


@pytest.mark.req("B8")
async def test_after_a_restart_the_data_is_the_same(backend: Backend) -> None:
    first = await backend.store()
    await first.save(full_batch(balls=12))
    before = await first.ledger(MATCH)
    await first.close()
    second = await backend.store()
    assert await second.ledger(MATCH) == before
    await second.save(full_batch(balls=12))
    assert await second.ledger(MATCH) == before


async def test_closing_twice_is_legal(store: Store) -> None:
    await store.close()
    await store.close()


async def test_closing_from_two_sides_is_legal(store: Store) -> None:
    await store.save(full_batch())
    await asyncio.gather(store.close(), store.close(), store.close())


async def test_a_store_that_was_never_opened_may_be_closed(backend: Backend) -> None:
    store = backend.make()
    await store.close()
    with pytest.raises(StoreClosedError):
        await store.open()


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_store_outside_its_life_says_so(backend: Backend, moment: str) -> None:
    store = backend.make()
    if moment == "after":
        await store.open()
        await store.close()
    for call in (
        store.save(full_batch()),
        store.ledger(MATCH),
        store.match(MATCH),
        store.matches(),
        store.live([MATCH]),
        store.events(MATCH),
        store.deliveries(MATCH),
        store.gaps(MATCH),
        store.names("crex"),
        store.ping(),
    ):
        with pytest.raises(StoreClosedError):
            await call
    await store.close()


async def test_a_store_is_opened_once(store: Store) -> None:
    with pytest.raises(StoreClosedError, match="is open"):
        await store.open()
    await store.save(full_batch())


async def test_closing_writes_what_is_on_its_way(backend: Backend) -> None:
    store = await backend.store()
    waiting = [asyncio.create_task(store.save(full_batch(f"M{number}"))) for number in range(60)]
    await asyncio.sleep(0)
    await store.close()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    kept = [number for number, outcome in enumerate(done) if outcome is None]
    assert all(outcome is None or isinstance(outcome, StoreClosedError) for outcome in done), done
    rows = await backend.rows("SELECT DISTINCT match_id FROM match_events")
    assert {match_id for (match_id,) in rows} == {f"crex_M{number}" for number in kept}
    assert kept, "what was taken before the end is written"


async def test_one_who_stops_waiting_breaks_nothing(backend: Backend) -> None:
    """Cancelled at every point of the way: what was taken is written whole, and the next one is served."""
    store = await backend.store()
    for turns in range(12):
        task = asyncio.create_task(store.save(full_batch(f"M{turns}", balls=6)))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await store.save(full_batch("LAST", balls=6))
    await store.close()
    rows = await backend.rows(
        "SELECT match_id, (SELECT count(*) FROM deliveries d WHERE d.match_id = e.match_id), count(*)"
        " FROM match_events e GROUP BY match_id"
    )
    assert {(balls, events) for _, balls, events in rows} == {(6, 6)}
    assert "crex_LAST" in {row[0] for row in rows}


async def test_readers_who_stop_waiting_leave_their_place_to_others(store: Store) -> None:
    await store.save(full_batch(balls=60))
    for turns in range(30):
        tasks = [asyncio.create_task(store.ledger(MATCH)) for _ in range(8)]
        for _ in range(turns % 6):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert len((await store.ledger(MATCH)).deliveries) == 60


async def test_reading_never_sees_half_a_batch(store: Store) -> None:
    """The ledger is read in one snapshot: its balls, its innings and its last event are of one moment."""

    async def write() -> None:
        for number in range(1, 120):
            await store.save(full_batch(first=number, balls=1))

    writing = asyncio.create_task(write())
    seen = []
    while not writing.done():
        page = await store.ledger(MATCH)
        seen.append((len(page.deliveries), page.last_seq, page.live.sequence if page.live else 0))
        await asyncio.sleep(0)
    await writing
    assert all(balls == last_seq == sequence for balls, last_seq, sequence in seen), seen
    assert len({balls for balls, *_ in seen}) > 1 or len(seen) <= 1


async def test_what_was_saved_is_seen_at_once(store: Store) -> None:
    for seq in range(1, 30):
        await store.save(WriteBatch(events=(event(seq),), deliveries=(record((1, seq, 1)),)))
        assert (await store.events(MATCH, after=seq - 1))[0].seq == seq


async def test_a_ping_tells_how_long_it_took(store: Store) -> None:
    assert 0 <= await store.ping() < 5


async def test_reads_and_writes_at_once_all_end(store: Store) -> None:
    clock = SystemClock()
    async with clock.timeout(60):
        writes = [store.save(full_batch(f"M{number % 7}", first=1 + number // 7)) for number in range(70)]
        reads = [store.ledger(f"crex_M{number % 7}") for number in range(70)]
        await asyncio.gather(*writes, *reads, store.matches(), store.ping())
    assert len(await store.matches()) == 7
