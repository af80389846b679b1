"""What was known at a moment, of everything that a match consists of, in whatever order it came to be written."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from longstop.domain.cricket import Result
from longstop.domain.errors import InputError
from longstop.domain.events import Gap, GapState, InningsRecord
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchPriority, MatchRef, MatchStatus
from longstop.store.contract import LiveRow, Store, WriteBatch
from tests.contract.store.conftest import Backend
from tests.contract.store.samples import MATCH, at, event, gap, innings, live, match

JUST_BEFORE = timedelta(microseconds=-1)


async def save_each(store: Store, batches: Sequence[WriteBatch]) -> None:
    for batch in batches:
        await store.save(batch)


# ---- events and innings ----


@pytest.mark.req("C4")
async def test_events_are_told_as_far_as_they_were_known(store: Store) -> None:
    await store.save(WriteBatch(events=tuple(event(seq) for seq in range(1, 9))))
    assert [each.seq for each in await store.events(MATCH, as_of=at(4))] == [1, 2, 3]
    assert [each.seq for each in await store.events(MATCH, after=1, limit=1, as_of=at(4))] == [2]
    assert list(await store.events(MATCH, as_of=at(2) + JUST_BEFORE)) == []


@pytest.mark.req("C4")
async def test_innings_are_told_as_they_were_known(store: Store) -> None:
    rows = (
        innings(captured=10),
        innings(revision=2, runs=7, captured=20),
        innings(2, captured=30),
        innings(revision=3, runs=9, captured=40),
    )
    await store.save(WriteBatch(innings=rows[::-1]))
    assert list(await store.innings(MATCH)) == [rows[3], rows[2]]
    assert list(await store.innings(MATCH, as_of=at(10) + JUST_BEFORE)) == []
    assert list(await store.innings(MATCH, as_of=at(10))) == [rows[0]]
    assert list(await store.innings(MATCH, as_of=at(30))) == [rows[1], rows[2]]
    assert list(await store.innings("crex_NOBODY")) == []


# ---- gaps ----

OPEN = gap(opened=10)
GIVEN_UP = replace(gap(GapState.UNRECOVERABLE, opened=10, closed=20), cause="the source has it no more")
REPAIRED = replace(gap(GapState.REPAIRED, opened=10, closed=30), cause="the source showed it again")


@pytest.mark.req("C2")
@pytest.mark.req("C4")
async def test_a_gap_is_told_in_the_state_it_had_then_with_its_cause(store: Store) -> None:
    for number, order in enumerate(itertools.permutations([OPEN, GIVEN_UP, REPAIRED])):
        match_id = f"crex_O{number}"
        opened, given_up, repaired = (replace(each, match_id=match_id) for each in (OPEN, GIVEN_UP, REPAIRED))
        for each in (*order, *order):
            await store.save(WriteBatch(gaps=(replace(each, match_id=match_id),)))
        assert list(await store.gaps(match_id)) == list(await store.gaps(match_id, as_of=at(99))) == [repaired]
        assert list(await store.gaps(match_id, as_of=at(10) + JUST_BEFORE)) == []
        assert list(await store.gaps(match_id, as_of=at(20) + JUST_BEFORE)) == [opened]
        assert list(await store.gaps(match_id, as_of=at(30) + JUST_BEFORE)) == [given_up]
        assert list(await store.gap_history(match_id)) == [opened, given_up, repaired]


async def test_gaps_of_a_moment_come_in_the_order_they_opened(store: Store) -> None:
    gaps = tuple(gap(gap_id=name, opened=second) for name, second in (("b", 2), ("c", 1), ("a", 2), ("B", 2)))
    await store.save(WriteBatch(gaps=gaps))
    assert [each.gap_id for each in await store.gaps(MATCH, as_of=at(2))] == ["c", "B", "a", "b"]
    assert [each.gap_id for each in await store.gap_history(MATCH)] == ["c", "B", "a", "b"]


# ---- the live state ----


@pytest.mark.req("C4")
async def test_a_live_state_is_told_as_it_was_known_whatever_the_order(store: Store) -> None:
    rows = [live(1, captured=10, last_event="a"), live(2, captured=20, last_event="b"), live(3, captured=30)]
    for number, order in enumerate(itertools.permutations(rows)):
        match_id = f"crex_O{number}"
        moved = [replace(each, match_id=match_id) for each in (*order, *order)]
        await save_each(store, [WriteBatch(live=(each,)) for each in moved])
        told = [(await store.live([match_id], as_of=at(second))).get(match_id) for second in (9, 10, 29, 30)]
        assert [each.sequence if each else None for each in told] == [None, 1, 2, 3]


async def test_live_states_of_a_moment_are_read_for_many_matches_at_once(store: Store) -> None:
    ids = [f"crex_{number}" for number in range(30)]
    rows = [live(turn, captured=10 * turn, match_id=match_id) for turn in (1, 2, 3) for match_id in ids]
    await store.save(WriteBatch(live=tuple(rows)))
    told = await store.live([*ids, "crex_none"], as_of=at(25))
    assert set(told) == set(ids)
    assert {row.sequence for row in told.values()} == {2}
    assert await store.live([], as_of=at(25)) == {}


# ---- the match ----

UPCOMING = match(status=MatchStatus.UPCOMING, state=MatchState.DISCOVERED, discovered=0)
RUNNING = match(status=MatchStatus.LIVE, updated=20)
RUNNING_ON = match(status=MatchStatus.LIVE, updated=25)
OVER = replace(
    match(status=MatchStatus.COMPLETED, state=MatchState.COMPLETED, updated=30),
    result=Result("won", winner="A"),
    priority=MatchPriority.COMPLETED,
)


@pytest.mark.req("C4")
async def test_a_status_is_told_as_it_was_known_whatever_the_order(store: Store) -> None:
    for number, order in enumerate(itertools.permutations([UPCOMING, RUNNING, RUNNING_ON, OVER])):
        ref = MatchRef("crex", f"O{number}")
        moved = [replace(each, ref=ref) for each in (*order, *order)]
        await save_each(store, [WriteBatch(matches=(each,)) for each in moved])
        told = [await store.match(ref.match_id, as_of=at(second)) for second in (0, 20, 29.9, 30)]
        assert [each.status.value if each else None for each in told] == ["upcoming", "live", "live", "completed"]
        assert await store.match(ref.match_id, as_of=at(0) + JUST_BEFORE) is None


@pytest.mark.req("C4")
async def test_a_match_of_the_past_knows_no_result_that_came_later(store: Store) -> None:
    result = Result("won", winner="A")
    await save_each(
        store,
        [
            WriteBatch(matches=(UPCOMING,)),
            WriteBatch(matches=(RUNNING,), live=(live(1, captured=20),)),
            WriteBatch(matches=(OVER,), live=(replace(live(2, captured=30), result=result),)),
        ],
    )
    then, now = await store.match(MATCH, as_of=at(29)), await store.match(MATCH, as_of=at(30))
    assert then is not None
    assert now is not None
    assert (then.result, then.state, then.priority) == (None, MatchState.ACTIVE, MatchPriority.LIVE)
    assert (then.last_scraper_update, then.title) == (at(20), "A v B")
    assert now == await store.match(MATCH)


async def test_what_was_never_seen_was_never_known(store: Store) -> None:
    assert await store.match("crex_NOBODY", as_of=at(9)) is None
    assert list(await store.gaps("crex_NOBODY", as_of=at(9))) == []
    assert await store.live(["crex_NOBODY"], as_of=at(9)) == {}


async def test_every_read_of_a_moment_takes_any_zone_and_refuses_none(store: Store) -> None:
    naive = at(1).replace(tzinfo=None)
    for question in (
        store.match(MATCH, as_of=naive),
        store.live([MATCH], as_of=naive),
        store.events(MATCH, as_of=naive),
        store.innings(MATCH, as_of=naive),
        store.deliveries(MATCH, as_of=naive),
        store.gaps(MATCH, as_of=naive),
    ):
        with pytest.raises(InputError, match="has no zone"):
            await question


# ---- all of it, against a model that adds up the same rows by itself ----

seconds = st.integers(0, 12).map(float)
FORWARD = (GapState.OPEN, GapState.UNRECOVERABLE, GapState.REPAIRED)


@st.composite
def gap_lives(draw: st.DrawFn, gap_id: str) -> list[Gap]:
    """Opened, then given up or not, then repaired or not: later and later, or at the same moment."""
    opened, *closed = sorted(draw(st.lists(seconds, min_size=3, max_size=3)))
    later = draw(st.sets(st.sampled_from(FORWARD[1:])))
    closings = zip(FORWARD[1:], closed, strict=True)
    return [
        gap(gap_id=gap_id, opened=opened),
        *(gap(state, gap_id=gap_id, opened=opened, closed=when) for state, when in closings if state in later),
    ]


live_rows = st.lists(
    st.tuples(st.integers(1, 5), seconds).map(lambda told: live(told[0], captured=told[1])), max_size=6
)
innings_rows = st.lists(
    st.tuples(st.integers(1, 2), st.integers(1, 4), seconds),
    max_size=6,
    unique_by=lambda told: told[:2],
).map(lambda rows: [innings(number, revision=revision, captured=when) for number, revision, when in rows])


def known_gaps(rows: Sequence[Gap], moment: datetime) -> list[Gap]:
    found: dict[str, Gap] = {}
    for row in sorted(rows, key=lambda each: FORWARD.index(each.state)):
        if (row.closed_at or row.opened_at) <= moment:
            found[row.gap_id] = row
    return sorted(found.values(), key=lambda each: (each.opened_at, each.gap_id))


def known_live(rows: Sequence[LiveRow], moment: datetime) -> LiveRow | None:
    known = [row for row in rows if row.captured_at <= moment]
    return max(known, key=lambda row: (row.sequence, row.captured_at), default=None)


def known_innings(rows: Sequence[InningsRecord], moment: datetime) -> list[InningsRecord]:
    found: dict[int, InningsRecord] = {}
    for row in sorted(rows, key=lambda each: each.revision):
        if row.captured_at <= moment:
            found[row.score.number] = row
    return [found[number] for number in sorted(found)]


@pytest.fixture
async def numbered(backend: Backend) -> tuple[Store, "itertools.count[int]"]:
    return await backend.store(), itertools.count(1)


@pytest.mark.req("C4")
@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_whatever_is_written_in_whatever_order_each_moment_is_told_as_it_was(
    numbered: tuple[Store, "itertools.count[int]"], data: st.DataObject
) -> None:
    store, match_id = numbered[0], f"crex_N{next(numbered[1])}"
    gaps = [replace(row, match_id=match_id) for name in ("g1", "g2") for row in data.draw(gap_lives(name))]
    lives = [replace(row, match_id=match_id) for row in data.draw(live_rows)]
    boards = [replace(row, match_id=match_id) for row in data.draw(innings_rows)]
    batches = [
        *(WriteBatch(gaps=(row,)) for row in gaps),
        *(WriteBatch(live=(row,)) for row in lives),
        *(WriteBatch(innings=(row,)) for row in boards),
    ]
    again = data.draw(st.lists(st.sampled_from(batches), max_size=5)) if batches else []
    await save_each(store, data.draw(st.permutations([*batches, *again])))
    for second in (-1, *data.draw(st.sets(st.integers(0, 12), max_size=4)), 13):
        moment = at(second)
        assert list(await store.gaps(match_id, as_of=moment)) == known_gaps(gaps, moment)
        assert list(await store.innings(match_id, as_of=moment)) == known_innings(boards, moment)
        assert (await store.live([match_id], as_of=moment)).get(match_id) == known_live(lives, moment)
