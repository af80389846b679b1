"""Facts about matches: added to, moved forward, never back."""

import itertools

import msgspec
import pytest

from longstop.domain.cricket import Result
from longstop.domain.errors import StoreError, StoreUnavailableError
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchPriority, MatchRef, MatchStatus, Names
from longstop.store.contract import MatchRow, NamesRow, Store, WriteBatch
from tests.contract.store.conftest import Backend
from tests.contract.store.samples import MATCH, at, failure, health, match


async def kept(store: Store, *rows: MatchRow) -> MatchRow:
    for row in rows:
        await store.save(WriteBatch(matches=(row,)))
    found = await store.match(rows[0].ref.match_id)
    assert found is not None
    return found


async def test_a_match_is_read_as_it_was_saved(store: Store) -> None:
    row = MatchRow(
        ref=MatchRef("crex", "AB1", "http://127.0.0.1/x"),
        title="A v B",
        teams=("A", "B"),
        status=MatchStatus.COMPLETED,
        state=MatchState.ARCHIVED,
        format="T20",
        series="1JK",
        venue="Lord's",
        starts_at=at(1.000001),
        discovered_at=at(2),
        last_scraper_update=at(3),
        scraper_status="stopped",
        priority=MatchPriority.COMPLETED,
        result=Result("won", winner="A", by_runs=3, text="A won by 3 runs"),
    )
    assert await kept(store, row) == row
    assert await store.match("crex_NOBODY") is None


async def test_discovery_stays_the_first(store: Store) -> None:
    assert (await kept(store, match(discovered=10), match(discovered=20))).discovered_at == at(10)
    assert (await kept(store, match(discovered=5), match(discovered=None))).discovered_at == at(5)


async def test_a_known_fact_is_not_overwritten_by_nothing(store: Store) -> None:
    full = msgspec.structs.replace(match(venue="Lord's", updated=10), starts_at=at(9), scraper_status="active")
    empty = match(venue="", title="", discovered=None, updated=None)
    row = await kept(store, full, empty)
    assert (row.venue, row.title, row.starts_at, row.last_scraper_update) == ("Lord's", "A v B", at(9), at(10))
    assert row.scraper_status == "active"


async def test_a_newer_fact_replaces_an_older_one_and_not_the_other_way(store: Store) -> None:
    newer, older = match(venue="Lord's", updated=20), match(venue="The Oval", updated=10)
    assert (await kept(store, older, newer)).venue == "Lord's"
    assert (await kept(store, older)).venue == "Lord's"
    assert (await kept(store, match(venue="Eden Park"))).venue == "Eden Park", (
        "a listing tells no time and counts as new"
    )


async def test_an_older_row_still_fills_what_was_unknown(store: Store) -> None:
    assert (await kept(store, match(updated=20), match(venue="Lord's", updated=10))).venue == "Lord's"


BACKWARDS = [
    (MatchState.ACTIVE, MatchState.DISCOVERED),
    (MatchState.PAUSED, MatchState.DISCOVERED),
    (MatchState.COMPLETED, MatchState.ACTIVE),
    (MatchState.COMPLETED, MatchState.PAUSED),
    (MatchState.ARCHIVED, MatchState.COMPLETED),
]


@pytest.mark.parametrize(("further", "back"), BACKWARDS)
async def test_a_match_never_goes_back_to_an_earlier_state(store: Store, further: MatchState, back: MatchState) -> None:
    row = await kept(store, match(state=further, updated=10), match(state=back, updated=20))
    assert row.state is further


async def test_a_match_may_pause_and_become_active_again(store: Store) -> None:
    paused, active = match(state=MatchState.PAUSED, updated=10), match(state=MatchState.ACTIVE, updated=20)
    assert (await kept(store, paused, active)).state is MatchState.ACTIVE
    assert (await kept(store, paused)).state is MatchState.ACTIVE, "what is older does not undo what is newer"


async def test_a_match_goes_through_its_whole_life(store: Store) -> None:
    for number, (state, status) in enumerate(
        (
            (MatchState.DISCOVERED, MatchStatus.UPCOMING),
            (MatchState.ACTIVE, MatchStatus.LIVE),
            (MatchState.PAUSED, MatchStatus.LIVE),
            (MatchState.ACTIVE, MatchStatus.LIVE),
            (MatchState.PAUSED, MatchStatus.LIVE),
            (MatchState.COMPLETED, MatchStatus.COMPLETED),
            (MatchState.ARCHIVED, MatchStatus.COMPLETED),
        )
    ):
        row = await kept(store, match(state=state, status=status, updated=number))
        assert (row.state, row.status) == (state, status)


LIFE = (
    match(state=MatchState.ACTIVE, updated=10),
    match(state=MatchState.PAUSED, updated=10, entered=15),
    match(state=MatchState.ACTIVE, updated=20),
    match(state=MatchState.PAUSED, updated=20, entered=25),
)


@pytest.mark.req("B3")
@pytest.mark.parametrize("told", range(1, len(LIFE) + 1))
async def test_no_order_and_no_repetition_wakes_a_paused_match_or_pauses_an_active_one(store: Store, told: int) -> None:
    """A pause brings no newer look at the match, so it says itself when it began."""
    rows = LIFE[:told]
    for number, order in enumerate(itertools.permutations(rows)):
        ref = MatchRef("crex", f"O{number}")
        row = await kept(store, *(msgspec.structs.replace(each, ref=ref) for each in (*order, *order)))
        assert (row.state, row.state_at) == (rows[-1].state, rows[-1].state_at)


async def test_a_pause_comes_after_the_look_that_led_to_it(store: Store) -> None:
    paused, active = match(state=MatchState.PAUSED, updated=10), match(state=MatchState.ACTIVE, updated=10)
    assert (await kept(store, active, paused)).state is MatchState.PAUSED
    assert (await kept(store, active)).state is MatchState.PAUSED


async def test_a_listing_does_not_wake_a_paused_match(store: Store) -> None:
    paused = match(state=MatchState.PAUSED, updated=10, entered=15)
    assert (await kept(store, paused, match(state=MatchState.ACTIVE))).state is MatchState.PAUSED


async def test_a_status_never_goes_back(store: Store) -> None:
    over = msgspec.structs.replace(match(status=MatchStatus.COMPLETED, updated=10), priority=MatchPriority.COMPLETED)
    row = await kept(store, over, match(status=MatchStatus.LIVE, updated=20))
    assert (row.status, row.priority) == (MatchStatus.COMPLETED, MatchPriority.COMPLETED)


async def test_the_order_of_writing_does_not_decide(store: Store) -> None:
    rows = [
        match(state=MatchState.DISCOVERED, status=MatchStatus.UPCOMING, updated=10, discovered=3, title="x"),
        match(state=MatchState.ACTIVE, status=MatchStatus.LIVE, updated=20, discovered=1, venue="Lord's"),
        match(state=MatchState.COMPLETED, status=MatchStatus.COMPLETED, updated=30, discovered=2, title="A v B, final"),
    ]
    seen = []
    for number, order in enumerate(itertools.permutations(rows)):
        ref = MatchRef("crex", f"O{number}")
        row = await kept(store, *(msgspec.structs.replace(each, ref=ref) for each in order))
        seen.append(msgspec.structs.replace(row, ref=rows[0].ref))
    assert all(row == seen[0] for row in seen)


async def test_two_matches_never_share_an_id(store: Store) -> None:
    await store.save(WriteBatch(matches=(msgspec.structs.replace(match(), ref=MatchRef("crex_AB", "1")),)))
    with pytest.raises(StoreError, match="already belongs to another match") as refused:
        await store.save(WriteBatch(matches=(msgspec.structs.replace(match(), ref=MatchRef("crex", "AB_1")),)))
    assert not isinstance(refused.value, StoreUnavailableError)


async def test_matches_are_listed_soonest_first(store: Store) -> None:
    def row(key: str, priority: MatchPriority, starts: float | None) -> MatchRow:
        starts_at = None if starts is None else at(starts)
        return msgspec.structs.replace(match(key), priority=priority, starts_at=starts_at)

    rows = (
        row("done", MatchPriority.COMPLETED, 0),
        row("soon", MatchPriority.IMMINENT, 50),
        row("b", MatchPriority.LIVE, 10),
        row("a", MatchPriority.LIVE, 10),
        row("B", MatchPriority.LIVE, 10),
        row("unknown", MatchPriority.LIVE, None),
        row("early", MatchPriority.LIVE, 5),
    )
    await store.save(WriteBatch(matches=rows))
    assert [each.ref.key for each in await store.matches()] == ["early", "B", "a", "b", "unknown", "soon", "done"]
    assert [each.ref.key for each in await store.matches(limit=2)] == ["early", "B"]
    assert await store.matches(limit=-1) == []


async def test_matches_are_found_by_status_and_source(store: Store) -> None:
    other = msgspec.structs.replace(match(), ref=MatchRef("espn", "AB1"))
    await store.save(WriteBatch(matches=(match("A"), match("B", status=MatchStatus.UPCOMING), other)))
    assert [each.ref.match_id for each in await store.matches(status=MatchStatus.UPCOMING)] == ["crex_B"]
    assert [each.ref.match_id for each in await store.matches(source="espn")] == ["espn_AB1"]
    both = await store.matches(status=MatchStatus.LIVE, source="crex")
    assert [each.ref.match_id for each in both] == ["crex_A"]


@pytest.mark.req("A5")
async def test_matches_are_found_by_their_state_before_the_limit_is_taken(store: Store) -> None:
    def row(key: str, state: MatchState) -> MatchRow:
        return msgspec.structs.replace(match(key, status=MatchStatus.COMPLETED), state=state)

    put_away = tuple(row(f"A{number}", MatchState.ARCHIVED) for number in range(5))
    await store.save(WriteBatch(matches=(*put_away, row("Z", MatchState.COMPLETED))))
    found = await store.matches(status=MatchStatus.COMPLETED, state=MatchState.COMPLETED, limit=2)
    assert [each.ref.key for each in found] == ["Z"]


async def test_the_reference_of_the_source_is_linked(backend: Backend, store: Store) -> None:
    await store.save(WriteBatch(matches=(match(),)))
    rows = await backend.rows("SELECT match_id, source, source_event_id FROM match_external_refs")
    assert rows == [(MATCH, "crex", "AB1")]


async def test_a_row_tells_how_old_its_data_was_when_written(backend: Backend, store: Store) -> None:
    await store.save(WriteBatch(matches=(match("A", updated=-3e8), match("B"))))
    rows = await backend.rows("SELECT data_freshness_seconds FROM matches ORDER BY match_id")
    assert rows[0][0] > 0
    assert rows[1][0] == 0


async def test_names_are_added_and_corrected_but_never_lost(store: Store) -> None:
    await store.save(WriteBatch(names=(NamesRow("crex", Names(players={"A": "Ann", "B": "Bo"}, teams={"A": "Aces"})),)))
    await store.save(WriteBatch(names=(NamesRow("crex", Names(players={"A": "Anne", "B": ""}, series={"S": "Cup"})),)))
    await store.save(WriteBatch(names=(NamesRow("espn", Names(players={"A": "Other"})),)))
    assert await store.names("crex") == Names(
        players={"A": "Anne", "B": "Bo"}, teams={"A": "Aces"}, series={"S": "Cup"}
    )
    assert await store.names("nobody") == Names()


async def test_an_error_may_be_resolved_later_and_stays_so(backend: Backend, store: Store) -> None:
    for is_resolved in (False, True, False):
        await store.save(WriteBatch(errors=(failure(is_resolved=is_resolved),)))
    rows = await backend.rows("SELECT count(*), min(resolution_method) FROM scraper_errors WHERE resolved")
    assert rows == [(1, "auto_retry")]


async def test_health_is_kept_once_for_each_moment(backend: Backend, store: Store) -> None:
    for second in (0, 0, 30):
        await store.save(WriteBatch(health=(health(second),)))
    rows = await backend.rows("SELECT count(*), max(memory_mb), max(cpu_percent) FROM scraper_health_log")
    assert rows == [(2, 850.5, 15.2)]
