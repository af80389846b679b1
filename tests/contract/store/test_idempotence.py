"""A commit that raised may have held, so every batch may come again, in any order, at any time."""

import asyncio
import itertools
from typing import Any

import msgspec
import pytest

from longstop.domain.errors import StoreError, StoreUnavailableError
from longstop.domain.match import MatchRef, Names
from longstop.store.contract import NamesRow, Store, WriteBatch
from tests.contract.store.conftest import Backend
from tests.contract.store.samples import (
    MATCH,
    at,
    audit,
    event,
    failure,
    full_batch,
    gap,
    health,
    innings,
    live,
    match,
    record,
    state,
)

EVERYTHING = WriteBatch(
    matches=(match(updated=3),),
    live=(live(4),),
    deliveries=(record(), record((1, 0, 2), revision=2, is_withdrawn=True)),
    innings=(innings(), innings(2)),
    events=(event(1), event(2)),
    gaps=(gap(),),
    names=(NamesRow("crex", Names(players={"B1": "Lorcan Tucker"})),),
    errors=(failure(),),
    health=(health(),),
    states=(state(),),
    audits=(audit(),),
)
TABLES = {
    "matches": "match_id",
    "match_external_refs": "match_id",
    "live_match_data": "match_id",
    "deliveries": "innings, over, position, revision",
    "innings": "number, revision",
    "match_events": "seq",
    "gaps": "gap_id",
    "gap_states": "gap_id, state",
    "live_history": "sequence",
    "match_statuses": "status",
    "names": "code",
    "scraper_states": "match_id",
    "recovery_audit": "entry_id",
    "scraper_errors": "error_id",
    "scraper_health_log": "timestamp",
}


async def everything_in(backend: Backend) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables but for the numbers the database gives itself and the age at the time of writing."""
    left_out = {"scraper_errors": "error_id, resolved", "scraper_health_log": "scraper_id, timestamp"}
    left_out["matches"] = "match_id, source, key, title, status, state, discovered_at, last_scraper_update, priority"
    return {
        table: await backend.rows(f"SELECT {left_out.get(table, '*')} FROM {table} ORDER BY {order}")  # noqa: S608 - ours
        for table, order in TABLES.items()
    }


async def test_a_batch_saved_twice_changes_nothing(backend: Backend, store: Store) -> None:
    await store.save(EVERYTHING)
    once = await everything_in(backend)
    assert all(once.values()), once
    await store.save(EVERYTHING)
    assert await everything_in(backend) == once


async def test_batches_may_come_in_any_order(backend: Backend) -> None:
    """Each order in a match of its own; what is read must be the same for all."""
    store = await backend.store()
    seen = []
    for number, order in enumerate(itertools.permutations(range(3))):
        key = f"M{number}"
        batches = [
            replace_key(full_batch(first=1), key),
            replace_key(full_batch(first=3), key),
            replace_key(full_batch(first=2), key),
        ]
        for index in order:
            await store.save(batches[index])
        page = await store.ledger(f"crex_{key}")
        places = [(each.place, each.delivery) for each in page.deliveries]
        assert page.live is not None
        seen.append((places, [each.score for each in page.innings], page.last_seq, page.live.sequence))
    assert all(each == seen[0] for each in seen)


def replace_key(batch: WriteBatch, key: str) -> WriteBatch:
    match_id = f"crex_{key}"
    return WriteBatch(
        matches=tuple(msgspec.structs.replace(row, ref=MatchRef("crex", key)) for row in batch.matches),
        live=tuple(msgspec.structs.replace(row, match_id=match_id) for row in batch.live),
        deliveries=tuple(msgspec.structs.replace(row, match_id=match_id) for row in batch.deliveries),
        innings=tuple(msgspec.structs.replace(row, match_id=match_id) for row in batch.innings),
        events=tuple(msgspec.structs.replace(row, match_id=match_id) for row in batch.events),
    )


async def test_the_same_batches_at_the_same_moment_are_kept_once(backend: Backend, store: Store) -> None:
    batches = [full_batch(f"M{number}", balls=6) for number in range(5)]
    await asyncio.gather(*(store.save(batch) for batch in batches * 8))
    assert await backend.rows("SELECT count(*), count(DISTINCT match_id) FROM deliveries") == [(30, 5)]
    assert await backend.rows("SELECT count(*) FROM match_events") == [(30,)]


async def test_writers_who_cross_do_not_block_each_other(store: Store) -> None:
    """The same matches in opposite orders: without an order of our own, the database would see a deadlock."""
    rows = tuple(live(sequence, match_id=f"crex_{key}") for sequence in (1, 2) for key in "ABCDEFGH")
    names = tuple(match(key) for key in "ABCDEFGH")
    forth, back = WriteBatch(matches=names, live=rows), WriteBatch(matches=names[::-1], live=rows[::-1])
    await asyncio.gather(*(store.save(batch) for batch in [forth, back] * 10))
    found = await store.live([f"crex_{key}" for key in "ABCDEFGH"])
    assert {row.sequence for row in found.values()} == {2}


OTHERS = {
    "ball": (WriteBatch(deliveries=(record(),)), WriteBatch(deliveries=(record(runs=2),))),
    "ball withdrawn": (WriteBatch(deliveries=(record(),)), WriteBatch(deliveries=(record(is_withdrawn=True),))),
    "ball captured at another time": (
        WriteBatch(deliveries=(record(),)),
        WriteBatch(deliveries=(record(captured=0.000001),)),
    ),
    "innings": (WriteBatch(innings=(innings(),)), WriteBatch(innings=(innings(runs=1),))),
    "event": (WriteBatch(events=(event(1),)), WriteBatch(events=(event(1, detail="other"),))),
    "event under the key of another": (
        WriteBatch(events=(event(1),)),
        WriteBatch(events=(event(2, key="ball:1.0.2:1"),)),
    ),
}


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.req("C1")
async def test_another_row_under_the_same_key_is_refused(store: Store, what: str) -> None:
    first, second = OTHERS[what]
    await store.save(first)
    before = await store.ledger(MATCH)
    with pytest.raises(StoreError, match="Another row already stands in") as refused:
        await store.save(second)
    assert not isinstance(refused.value, StoreUnavailableError), "a fault that never heals must not be tried for ever"
    assert await store.ledger(MATCH) == before


async def test_a_batch_that_contradicts_itself_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="Another row"):
        await store.save(WriteBatch(deliveries=(record(), record(runs=4))))
    assert await store.delivery_history(MATCH) == []


async def test_the_same_row_twice_in_a_batch_is_one_row(store: Store) -> None:
    await store.save(WriteBatch(deliveries=(record(), record()), events=(event(1), event(1)), live=(live(1), live(1))))
    assert len(await store.delivery_history(MATCH)) == len(await store.events(MATCH)) == 1


NAIVE = at(2).replace(tzinfo=None)
BAD: dict[str, dict[str, tuple[Any, ...]]] = {
    "a contradiction at the end": {"events": (event(7, key="ball:1.0.2:1"),)},
    "a number no database holds": {"events": (msgspec.structs.replace(event(2), seq=2**63),)},
    "text that is not Unicode": {"events": (event(3, detail="\ud800"),)},
    "text in JSON that is not Unicode": {"live": (live(2, last_event="\ud800"),)},
    "a time without a zone": {"live": (msgspec.structs.replace(live(2), captured_at=NAIVE),)},
    "a pace that is no number": {"states": (msgspec.structs.replace(state(), pace_seconds=float("nan")),)},
    "a state saved at no zone's time": {"states": (msgspec.structs.replace(state(), paused_until=NAIVE),)},
    "a detail that is no number": {"audits": (msgspec.structs.replace(audit(), metadata={"x": float("inf")}),)},
    "a key without end": {"events": (event(3, key="k" * 301),)},
    "nothing where something must be": {"gaps": (msgspec.structs.replace(gap(), cause=None),)},
    "a ball at another place": {
        "deliveries": (msgspec.structs.replace(record(), delivery=record((1, 0, 2)).delivery),)
    },
}


@pytest.mark.parametrize("what", BAD)
async def test_a_batch_with_a_bad_row_writes_nothing(backend: Backend, store: Store, what: str) -> None:
    await store.save(WriteBatch(events=(event(1),)))
    before = await everything_in(backend)
    good = WriteBatch(matches=(match(),), live=(live(1),), deliveries=(record((1, 1, 1)),), innings=(innings(),))
    with pytest.raises(StoreError) as refused:
        await store.save(msgspec.structs.replace(good, **BAD[what]))
    assert not isinstance(refused.value, StoreUnavailableError)
    assert refused.value.hint
    assert await everything_in(backend) == before
    await store.save(good)


async def test_an_empty_batch_is_legal(store: Store) -> None:
    await store.save(WriteBatch())
