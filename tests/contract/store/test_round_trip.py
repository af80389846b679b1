"""Whatever the domain can hold comes back as it went in, from either database."""

import itertools
from datetime import datetime

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longstop.domain.match import MatchRef, Names
from longstop.store.contract import NamesRow, Store, WriteBatch
from tests.contract.store import strategies as of
from tests.contract.store.conftest import Backend
from tests.contract.store.samples import record

# The store is the same for all examples on purpose: each example brings a match of its own.
thorough = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture
async def counted(backend: Backend) -> "Counted":
    return Counted(await backend.store())


class Counted:
    def __init__(self, store: Store) -> None:
        self.store = store
        self._numbers = itertools.count(1)

    def match_id(self) -> str:
        return f"crex_N{next(self._numbers)}"


@thorough
@given(data=st.data())
async def test_a_ball_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    match_id = counted.match_id()
    drawn = data.draw(of.delivery_records(match_id))
    await counted.store.save(WriteBatch(deliveries=(drawn,)))
    await counted.store.save(WriteBatch(deliveries=(drawn,)))
    assert list(await counted.store.delivery_history(match_id)) == [drawn]
    assert (await counted.store.ledger(match_id)).deliveries == (drawn,)


@thorough
@given(data=st.data())
async def test_an_innings_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    match_id = counted.match_id()
    drawn = data.draw(of.innings_records(match_id))
    await counted.store.save(WriteBatch(innings=(drawn,)))
    await counted.store.save(WriteBatch(innings=(drawn,)))
    assert (await counted.store.ledger(match_id)).innings == (drawn,)


@thorough
@given(data=st.data())
async def test_an_event_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    match_id = counted.match_id()
    event = data.draw(of.events(match_id))
    await counted.store.save(WriteBatch(events=(event,)))
    await counted.store.save(WriteBatch(events=(event,)))
    assert list(await counted.store.events(match_id)) == [event]


@thorough
@given(data=st.data())
async def test_a_gap_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    match_id = counted.match_id()
    gap = data.draw(of.gaps(match_id))
    await counted.store.save(WriteBatch(gaps=(gap,)))
    assert list(await counted.store.gaps(match_id)) == [gap]


@thorough
@given(data=st.data())
async def test_a_live_row_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    match_id = counted.match_id()
    row = data.draw(of.live_rows(match_id))
    await counted.store.save(WriteBatch(live=(row,)))
    assert await counted.store.live([match_id]) == {match_id: row}


@thorough
@given(data=st.data())
async def test_a_snapshot_of_a_scraper_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    match_id = counted.match_id()
    state = data.draw(of.states(match_id))
    await counted.store.save(WriteBatch(states=(state,)))
    assert await counted.store.states([match_id]) == {match_id: state}


@thorough
@given(data=st.data())
async def test_an_entry_of_the_audit_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    entry = data.draw(of.audits(counted.match_id()))
    await counted.store.save(WriteBatch(audits=(entry,)))
    assert entry in await counted.store.audits(limit=10_000)


@thorough
@given(data=st.data())
async def test_captures_come_back_as_they_went_in_and_in_the_order_of_time(
    counted: Counted, data: st.DataObject
) -> None:
    match_id = counted.match_id()
    drawn = data.draw(st.lists(of.captures(match_id), max_size=4, unique_by=lambda row: (row.purpose, row.captured_at)))
    await counted.store.keep(drawn)
    await counted.store.keep(drawn)
    kept = list(await counted.store.captures(match_id))
    assert sorted(kept, key=repr) == sorted(drawn, key=repr)
    assert [each.captured_at for each in kept] == sorted(each.captured_at for each in drawn)


@thorough
@given(data=st.data())
async def test_a_match_comes_back_as_it_went_in(counted: Counted, data: st.DataObject) -> None:
    ref = MatchRef("crex", counted.match_id().removeprefix("crex_"), data.draw(of.texts))
    row = data.draw(of.match_rows(ref))
    await counted.store.save(WriteBatch(matches=(row,)))
    assert await counted.store.match(ref.match_id) == row


@thorough
@given(match_id=of.keys, data=st.data())
async def test_even_an_odd_key_finds_its_own(counted: Counted, match_id: str, data: st.DataObject) -> None:
    event = data.draw(of.events(match_id))
    await counted.store.save(WriteBatch(live=(data.draw(of.live_rows(match_id)),)))
    assert set(await counted.store.live([match_id])) == {match_id}
    assert match_id not in await counted.store.live([match_id + "x", event.key + "y"])


@thorough
@given(players=st.dictionaries(of.keys, of.texts.filter(bool), max_size=5))
async def test_names_come_back_as_they_went_in(counted: Counted, players: dict[str, str]) -> None:
    source = counted.match_id()
    await counted.store.save(WriteBatch(names=(NamesRow(source, Names(players=players, teams_short=players)),)))
    assert await counted.store.names(source) == Names(players=players, teams_short=players)


@thorough
@given(first=of.times, second=of.times)
async def test_both_databases_order_times_as_time_does(counted: Counted, first: datetime, second: datetime) -> None:
    """The text of SQLite must compare as the moments do, whatever their zones."""
    match_id = counted.match_id()
    ball = msgspec.structs.replace(record(match_id=match_id), captured_at=first)
    await counted.store.save(WriteBatch(deliveries=(ball,)))
    known = await counted.store.deliveries(match_id, as_of=second)
    assert bool(known) == (first <= second)
