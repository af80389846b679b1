import asyncio

import msgspec
import pytest

from longstop.domain.errors import StoreUnavailableError
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchListing, MatchRef, MatchStatus
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe import signals
from longstop.store.contract import MatchRow, WriteBatch
from longstop.supervise.roster import Roster
from longstop.watch import Watch, match_row
from tests.cricket import NOON
from tests.doubles import ShakyStore, failing_times
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()


def listing(key: str, status: MatchStatus = MatchStatus.LIVE, source: str = "crex") -> MatchListing:
    return MatchListing(
        MatchRef(source, key, f"http://127.0.0.1/{key}"), f"{key} v B", ("CD", "EF"), status, venue="Lord's"
    )


def row(key: str, state: MatchState, status: MatchStatus = MatchStatus.LIVE, source: str = "crex") -> MatchRow:
    watch = Watch(listing(key, status, source), "scraper-1", NOON, LedgerLimits())
    return msgspec.structs.replace(match_row(watch), state=state)


class Desk:
    def __init__(self) -> None:
        self.heard = Heard()
        self.store = ShakyStore(CLOCK)
        self.started: list[Watch] = []
        self.roster = Roster(self.store, LedgerLimits(), self.started.append, CLOCK, self.heard.bus)

    @property
    def keys(self) -> list[str]:
        return [watch.ref.key for watch in self.started]


async def opened() -> Desk:
    desk = Desk()
    await desk.store.open()
    return desk


@pytest.mark.req("A7")
@on_virtual_time
async def test_a_new_match_is_written_down_told_and_watched() -> None:
    desk = await opened()
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["A", "B"]
    rows = await desk.store.matches(source="crex")
    assert {(row.ref.key, row.state, row.venue) for row in rows} == {
        ("A", MatchState.DISCOVERED, "Lord's"),
        ("B", MatchState.DISCOVERED, "Lord's"),
    }
    assert [told.match_id for told in desk.heard.of(signals.MatchDiscovered)] == ["crex_A", "crex_B"]
    assert [watch.ref.key for watch in desk.roster.watches] == ["A", "B"]


@on_virtual_time
async def test_a_known_match_is_not_taken_in_again() -> None:
    desk = await opened()
    await desk.roster.take([listing("A")])
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["A", "B"]
    await desk.roster.take([listing("A"), listing("B")])
    assert len(desk.store.saved) == 2


@on_virtual_time
async def test_a_match_that_a_list_names_twice_is_watched_once() -> None:
    desk = await opened()
    await desk.roster.take([listing("A"), listing("A"), listing("A")])
    assert desk.keys == ["A"]
    assert desk.roster.watches == tuple(desk.started)


@on_virtual_time
async def test_two_who_take_in_the_same_match_at_once_watch_it_once() -> None:
    desk = await opened()
    save = desk.store.save

    async def slow(batch: WriteBatch) -> None:
        await CLOCK.sleep(1.0)
        await save(batch)

    desk.store.save = slow  # type: ignore[method-assign]  # a slow one of the same kind
    await asyncio.gather(desk.roster.take([listing("A")]), desk.roster.take([listing("A"), listing("B")]))
    assert sorted(desk.keys) == ["A", "B"]
    assert len(desk.heard.of(signals.MatchDiscovered)) == 2


@on_virtual_time
async def test_a_match_that_could_not_be_written_down_is_not_watched_and_comes_with_the_next_list() -> None:
    desk = await opened()
    desk.store.before = failing_times(1)
    with pytest.raises(StoreUnavailableError):
        await desk.roster.take([listing("A")])
    assert (desk.keys, desk.heard.all) == ([], [])
    await desk.roster.take([listing("A")])
    assert desk.keys == ["A"]


@on_virtual_time
async def test_nothing_new_writes_nothing() -> None:
    desk = await opened()
    await desk.roster.take([])
    assert desk.store.saved == []


@pytest.mark.req("B8")
@on_virtual_time
async def test_matches_under_way_are_watched_again_after_a_restart_listed_or_not() -> None:
    desk = await opened()
    rows = (
        row("NEW", MatchState.DISCOVERED, MatchStatus.UPCOMING),
        row("ON", MatchState.ACTIVE),
        row("HELD", MatchState.PAUSED),
        row("OVER", MatchState.COMPLETED, MatchStatus.COMPLETED),
        row("OLD", MatchState.ARCHIVED, MatchStatus.COMPLETED),
        row("OTHER", MatchState.ACTIVE, source="espn"),
    )
    await desk.store.save(WriteBatch(matches=rows))
    await desk.roster.resume("crex")
    assert set(desk.keys) == {"NEW", "ON", "HELD"}
    on = desk.roster.find(MatchRef("crex", "ON"))
    assert on is not None
    assert (on.listing.title, on.listing.teams, on.listing.venue) == ("ON v B", ("CD", "EF"), "Lord's")
    assert on.ref.url == "http://127.0.0.1/ON"
    assert desk.heard.all == []


@on_virtual_time
async def test_resuming_twice_or_with_a_list_watches_each_match_once() -> None:
    desk = await opened()
    await desk.store.save(WriteBatch(matches=(row("ON", MatchState.ACTIVE),)))
    await desk.roster.resume("crex")
    await desk.roster.resume("crex")
    await desk.roster.take([listing("ON")])
    assert desk.keys == ["ON"]


@on_virtual_time
async def test_a_match_that_rests_is_taken_in_again_afterwards_with_everything_fresh() -> None:
    desk = await opened()
    await desk.roster.take([listing("A")])
    desk.roster.rest("crex_A", 300.0)
    assert desk.roster.watches == ()
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["A", "B"]
    await CLOCK.sleep(301.0)
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["A", "B", "A"]
    assert desk.started[2] is not desk.started[0]
    assert desk.started[2].scraper_id != desk.started[0].scraper_id


@on_virtual_time
async def test_who_rests_is_forgotten_when_the_time_is_over() -> None:
    desk = await opened()
    for number in range(100):
        desk.roster.rest(f"crex_{number}", 10.0)
    await CLOCK.sleep(11.0)
    desk.roster.rest("crex_last", 10.0)
    assert len(desk.roster._resting) == 1


@on_virtual_time
async def test_a_match_that_nobody_watches_is_not_found() -> None:
    desk = await opened()
    assert desk.roster.find(MatchRef("crex", "A")) is None
    desk.roster.rest("crex_A", 1.0)
