import asyncio
from typing import Any

import msgspec
import pytest

from longstop.domain.errors import InsufficientMemoryError, StoreUnavailableError
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchListing, MatchRef, MatchStatus
from longstop.domain.scraper_state import ScraperState
from longstop.observe import signals
from longstop.store.contract import MatchRow, WriteBatch
from longstop.supervise.roster import Again, Roster
from longstop.watch import listed_row
from tests.cricket import NOON
from tests.doubles import ShakyStore, failing_times
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
DAY = 86400.0


def listing(key: str, status: MatchStatus = MatchStatus.LIVE, source: str = "crex") -> MatchListing:
    return MatchListing(
        MatchRef(source, key, f"http://127.0.0.1/{key}"), f"{key} v B", ("CD", "EF"), status, venue="Lord's"
    )


def row(key: str, state: MatchState, status: MatchStatus = MatchStatus.LIVE, source: str = "crex") -> MatchRow:
    shown = listed_row(listing(key, status, source), NOON)
    return msgspec.structs.replace(shown, state=state, last_scraper_update=NOON)


class Desk:
    """Takes the place of a department: begins assignments and remembers which."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.store = ShakyStore(CLOCK)
        self.begun: list[tuple[MatchListing, MatchState, ScraperState | None]] = []
        self.refused: set[str] = set()
        self.crowded_out: set[str] = set()
        self.again: dict[str, Again] = {}
        self.roster = Roster(self.store, self.begin, CLOCK, self.heard.bus, self.admit)

    def begin(self, wanted: MatchListing, state: MatchState, prior: ScraperState | None) -> Any:
        self.begun.append((wanted, state, prior))
        return len(self.begun)

    async def admit(self, match_id: str, again: Again) -> None:
        if match_id in self.refused:
            raise StoreUnavailableError("No counter.")
        if match_id in self.crowded_out:
            self.again[match_id] = again
            raise InsufficientMemoryError("No room.")

    @property
    def keys(self) -> list[str]:
        return [wanted.ref.key for wanted, _, _ in self.begun]


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
    assert len(desk.roster.assignments) == 2


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
    assert len(desk.roster.assignments) == 1


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
    known = ScraperState("crex_ON", "scraper-0", NOON, "interval", sequence=7)
    await desk.store.save(WriteBatch(matches=rows, states=(known,)))
    await desk.roster.resume("crex", DAY)
    assert set(desk.keys) == {"NEW", "ON", "HELD", "OVER"}
    on, state, prior = next(each for each in desk.begun if each[0].ref.key == "ON")
    assert (on.title, on.teams, on.venue, state) == ("ON v B", ("CD", "EF"), "Lord's", MatchState.ACTIVE)
    assert on.ref.url == "http://127.0.0.1/ON"
    assert prior == known
    assert desk.heard.all == []


@pytest.mark.req("A5")
@on_virtual_time
async def test_a_match_that_was_over_for_long_before_a_restart_is_not_watched_again() -> None:
    desk = await opened()
    rows = (row("OVER", MatchState.COMPLETED, MatchStatus.COMPLETED),)
    await desk.store.save(WriteBatch(matches=rows))
    await CLOCK.sleep(DAY + 1.0)
    await desk.roster.resume("crex", DAY)
    assert desk.keys == []


@pytest.mark.req("B6")
@on_virtual_time
async def test_a_match_that_is_not_admitted_is_told_and_comes_with_a_later_list() -> None:
    desk = await opened()
    desk.refused = {"crex_A"}
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["B"]
    assert [error.match_id for error in desk.heard.of(signals.ErrorRaised)] == ["crex_A"]
    desk.refused = set()
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["B", "A"]


@pytest.mark.req("B6")
@on_virtual_time
async def test_a_match_for_which_there_is_no_memory_is_begun_when_it_is_called_again() -> None:
    desk = await opened()
    desk.crowded_out = {"crex_A", "crex_ON"}
    await desk.store.save(WriteBatch(matches=(row("ON", MatchState.ACTIVE),)))
    await desk.roster.resume("crex", DAY)
    await desk.roster.take([listing("A")])
    assert desk.keys == []
    assert desk.heard.of(signals.ErrorRaised) == []
    desk.crowded_out = set()
    for again in desk.again.values():
        await again()
        await again()
    assert desk.keys == ["ON", "A"]


@on_virtual_time
async def test_resuming_twice_or_with_a_list_watches_each_match_once() -> None:
    desk = await opened()
    await desk.store.save(WriteBatch(matches=(row("ON", MatchState.ACTIVE),)))
    await desk.roster.resume("crex", DAY)
    await desk.roster.resume("crex", DAY)
    await desk.roster.take([listing("ON")])
    assert desk.keys == ["ON"]


@on_virtual_time
async def test_a_match_that_rests_is_taken_in_again_afterwards_with_everything_fresh() -> None:
    desk = await opened()
    await desk.roster.take([listing("A")])
    desk.roster.rest("crex_A", 300.0)
    assert desk.roster.assignments == ()
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["A", "B"]
    await CLOCK.sleep(301.0)
    await desk.roster.take([listing("A"), listing("B")])
    assert desk.keys == ["A", "B", "A"]


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


@pytest.mark.req("G1")
@on_virtual_time
async def test_what_was_only_pushed_is_watched_when_its_source_lists_it_and_not_before() -> None:
    desk = await opened()
    pushed = row("A", MatchState.ACTIVE)
    pushed = msgspec.structs.replace(pushed, ref=MatchRef("crex", "A"))
    await desk.store.save(WriteBatch(matches=(pushed, row("B", MatchState.ACTIVE))))
    await desk.roster.resume("crex", DAY)
    assert desk.keys == ["B"]
    await desk.roster.take([listing("A")])
    assert desk.keys == ["B", "A"]
    found = await desk.store.match("crex_A")
    assert found is not None
    assert found.ref.url == "http://127.0.0.1/A"
