"""What was saved is what is read, at every moment asked for."""

from datetime import datetime, timedelta, timezone

import msgspec
import pytest

from longstop.domain.cricket import Place
from longstop.domain.errors import InputError
from longstop.domain.events import GapState
from longstop.store.contract import LedgerPage, Store, WriteBatch
from tests.contract.store.conftest import Backend
from tests.contract.store.samples import MATCH, at, event, full_batch, gap, innings, live, record

ONE_MICROSECOND = timedelta(microseconds=1)


async def test_the_ledger_equals_what_was_saved(store: Store) -> None:
    batch = full_batch(balls=9)
    open_gap = gap()
    await store.save(msgspec.structs.replace(batch, gaps=(open_gap,)))
    assert await store.ledger(MATCH) == LedgerPage(
        deliveries=batch.deliveries, innings=batch.innings, gaps=(open_gap,), last_seq=9, live=batch.live[0]
    )


async def test_the_ledger_of_an_unknown_match_is_empty(store: Store) -> None:
    assert await store.ledger("crex_NOBODY") == LedgerPage((), (), (), 0, None)


async def test_text_that_is_not_unicode_is_no_name_of_a_match(store: Store) -> None:
    for question in (store.match("\ud800"), store.live(["\ud800"]), store.events("\ud800"), store.ledger("\ud800")):
        with pytest.raises(InputError, match="not valid Unicode"):
            await question


async def test_the_ledger_holds_the_current_revision_of_everything(store: Store) -> None:
    await store.save(
        WriteBatch(
            deliveries=(record(), record(revision=2, runs=4), record((1, 0, 2)), record((2, 0, 1))),
            innings=(innings(), innings(revision=2, runs=7), innings(2)),
        )
    )
    await store.save(WriteBatch(deliveries=(record((1, 0, 2), revision=2, is_withdrawn=True),)))
    page = await store.ledger(MATCH)
    assert [(str(each.place), each.revision) for each in page.deliveries] == [("1.0.1", 2), ("1.0.2", 2), ("2.0.1", 1)]
    assert page.deliveries[1].delivery is None, "a ball that comes back must find the revision it left with"
    assert [(each.score.number, each.revision) for each in page.innings] == [(1, 2), (2, 1)]


async def test_one_match_never_shows_in_another(store: Store) -> None:
    await store.save(full_batch("A"))
    await store.save(full_batch("AB"))
    page = await store.ledger("crex_A")
    assert {each.match_id for each in page.deliveries} == {each.match_id for each in page.innings} == {"crex_A"}
    assert {each.match_id for each in await store.events("crex_A")} == {"crex_A"}


@pytest.mark.req("C4")
async def test_as_of_tells_what_was_known_then(store: Store) -> None:
    first, better = record(captured=10), record(revision=2, runs=4, captured=20)
    await store.save(WriteBatch(deliveries=(first, record((1, 0, 2), captured=15))))
    await store.save(WriteBatch(deliveries=(better,)))

    async def known(moment: datetime) -> list[tuple[str, int]]:
        return [(str(each.place), each.revision) for each in await store.deliveries(MATCH, as_of=moment)]

    assert await known(at(10) - ONE_MICROSECOND) == []
    assert await known(at(10)) == [("1.0.1", 1)]
    assert await known(at(15) - ONE_MICROSECOND) == [("1.0.1", 1)]
    assert await known(at(15)) == [("1.0.1", 1), ("1.0.2", 1)]
    assert await known(at(20) - ONE_MICROSECOND) == [("1.0.1", 1), ("1.0.2", 1)]
    assert await known(at(20)) == [("1.0.1", 2), ("1.0.2", 1)]
    assert await known(at(9999)) == [("1.0.1", 2), ("1.0.2", 1)]


async def test_as_of_is_told_by_when_a_ball_was_captured_and_not_by_its_number(store: Store) -> None:
    """A revision may be captured out of turn; the highest of those known then is the one."""
    await store.save(WriteBatch(deliveries=(record(captured=30), record(revision=2, runs=4, captured=20))))
    assert [each.revision for each in await store.deliveries(MATCH, as_of=at(20))] == [2]
    assert [each.revision for each in await store.deliveries(MATCH, as_of=at(30))] == [2]


async def test_as_of_takes_any_zone_and_refuses_none(store: Store) -> None:
    await store.save(WriteBatch(deliveries=(record(captured=10),)))
    india = timezone(timedelta(hours=5, minutes=30))
    assert len(await store.deliveries(MATCH, as_of=at(10).astimezone(india))) == 1
    assert await store.deliveries(MATCH, as_of=at(9.999999).astimezone(india)) == []
    with pytest.raises(InputError, match="has no zone"):
        await store.deliveries(MATCH, as_of=at(10).replace(tzinfo=None))


@pytest.mark.req("C1")
async def test_a_withdrawn_ball_is_left_out_while_it_is_withdrawn(store: Store) -> None:
    await store.save(
        WriteBatch(
            deliveries=(
                record(captured=10),
                record(revision=2, is_withdrawn=True, captured=20),
                record(revision=3, runs=6, captured=30),
            )
        )
    )
    counts = [len(await store.deliveries(MATCH, as_of=at(second))) for second in (10, 20, 30)]
    assert counts == [1, 0, 1]
    assert [each.revision for each in await store.deliveries(MATCH)] == [3]
    assert [each.delivery is None for each in await store.delivery_history(MATCH)] == [False, True, False]


async def test_the_last_balls_are_the_end_of_all_of_them_now_and_at_any_moment(store: Store) -> None:
    """Numbers are not compared as words: the ninth over is before the tenth."""
    places = [(1, 8, 6), (1, 9, 1), (1, 9, 2), (1, 10, 1), (2, 0, 1)]
    await store.save(
        WriteBatch(deliveries=tuple(record(place, captured=number) for number, place in enumerate(places, start=10)))
    )
    await store.save(WriteBatch(deliveries=(record((2, 0, 1), revision=2, is_withdrawn=True, captured=20),)))
    for moment in (None, *(at(second) for second in (9, 10, 12, 14, 20))):
        whole = list(await store.deliveries(MATCH, as_of=moment))
        for limit in (1, 2, 4, 12):
            assert list(await store.last_deliveries(MATCH, limit=limit, as_of=moment)) == whole[-limit:]
    assert [str(each.place) for each in await store.last_deliveries(MATCH, limit=2)] == ["1.9.2", "1.10.1"]


async def test_sums_over_the_columns_leave_a_withdrawn_ball_out(backend: Backend, store: Store) -> None:
    await store.save(WriteBatch(deliveries=(record(runs=3), record((1, 0, 2), is_withdrawn=True))))
    assert await backend.rows("SELECT sum(runs), sum(wickets), count(batter) FROM deliveries") == [(3, 0, 1)]


async def test_balls_come_in_the_order_of_their_place(store: Store) -> None:
    places = [(1, 0, 2), (1, 10, 1), (1, 2, 1), (1, 0, 10), (2, 0, 1), (1, 0, 1), (10, 0, 1)]
    await store.save(WriteBatch(deliveries=tuple(record(place) for place in places)))
    expected = [Place(*place) for place in sorted(places)]
    assert [each.place for each in await store.deliveries(MATCH)] == expected
    assert [each.place for each in await store.deliveries(MATCH, as_of=at(99))] == expected
    assert [each.place for each in (await store.ledger(MATCH)).deliveries] == expected


async def test_history_shows_every_revision_in_order(store: Store) -> None:
    saved = [record(), record(revision=2, runs=2), record(revision=10, runs=3), record((1, 0, 2))]
    await store.save(WriteBatch(deliveries=tuple(reversed(saved))))
    assert list(await store.delivery_history(MATCH)) == saved


@pytest.mark.req("C7")
async def test_events_are_read_after_a_cursor(store: Store) -> None:
    events = tuple(event(seq) for seq in range(1, 13))
    await store.save(WriteBatch(events=tuple(reversed(events))))
    assert list(await store.events(MATCH)) == list(events)
    assert [each.seq for each in await store.events(MATCH, after=9)] == [10, 11, 12]
    assert [each.seq for each in await store.events(MATCH, after=9, limit=2)] == [10, 11]
    assert await store.events(MATCH, after=12) == []
    assert len(await store.events(MATCH, after=-5)) == 12
    assert await store.events(MATCH, limit=0) == []
    assert await store.events(MATCH, limit=-1) == []
    assert await store.events(MATCH, after=2**70) == []
    assert len(await store.events(MATCH, limit=2**70)) == 12


async def test_pages_of_events_join_without_a_hole(store: Store) -> None:
    await store.save(WriteBatch(events=tuple(event(seq) for seq in range(1, 24))))
    read, cursor = [], 0
    while page := await store.events(MATCH, after=cursor, limit=5):
        read += [each.seq for each in page]
        cursor = page[-1].seq
    assert read == list(range(1, 24))


@pytest.mark.req("C2")
async def test_a_gap_goes_forward_only(store: Store) -> None:
    for state, missing in ((GapState.OPEN, 4), (GapState.OPEN, 6)):
        await store.save(WriteBatch(gaps=(gap(state, missing_runs=missing),)))
    assert [(each.state, each.missing_runs) for each in await store.gaps(MATCH)] == [(GapState.OPEN, 6)]
    await store.save(WriteBatch(gaps=(gap(GapState.UNRECOVERABLE),)))
    await store.save(WriteBatch(gaps=(gap(GapState.OPEN),)))
    assert (await store.gaps(MATCH))[0].state is GapState.UNRECOVERABLE
    await store.save(WriteBatch(gaps=(gap(GapState.REPAIRED),)))
    await store.save(WriteBatch(gaps=(gap(GapState.UNRECOVERABLE),)))
    repaired = (await store.gaps(MATCH))[0]
    assert (repaired.state, repaired.closed_at) == (GapState.REPAIRED, at(60))


async def test_gaps_come_in_the_order_they_opened(store: Store) -> None:
    gaps = tuple(gap(gap_id=name, opened=second) for name, second in (("b", 2), ("c", 1), ("a", 2), ("B", 2)))
    await store.save(WriteBatch(gaps=gaps))
    assert [each.gap_id for each in await store.gaps(MATCH)] == ["c", "B", "a", "b"]


async def test_a_live_row_that_is_not_newer_is_refused(store: Store) -> None:
    for sequence, captured, word in ((5, 10, "first"), (4, 99, "older"), (5, 10, "same"), (5, 9.999999, "earlier")):
        await store.save(WriteBatch(live=(live(sequence, captured=captured, last_event=word),)))
    assert (await store.live([MATCH]))[MATCH].last_event == "first"
    await store.save(WriteBatch(live=(live(5, captured=10.000001, last_event="later"),)))
    assert (await store.live([MATCH]))[MATCH].last_event == "later"
    await store.save(WriteBatch(live=(live(6, captured=0, last_event="next"),)))
    assert (await store.live([MATCH]))[MATCH].last_event == "next"


async def test_the_newest_of_several_live_rows_in_a_batch_stays(store: Store) -> None:
    await store.save(WriteBatch(live=tuple(live(sequence) for sequence in (3, 7, 1, 5))))
    assert (await store.live([MATCH]))[MATCH].sequence == 7


async def test_live_rows_are_read_for_many_matches_at_once(store: Store) -> None:
    ids = [f"crex_{number}" for number in range(300)]
    await store.save(WriteBatch(live=tuple(live(1, match_id=match_id) for match_id in ids)))
    assert set(await store.live([*ids, "crex_none"])) == set(ids)
    assert await store.live([]) == {}
    assert set(await store.live([ids[0], ids[0]])) == {ids[0]}
