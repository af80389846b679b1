"""Football before kickoff, on every backend: history, point in time, and what the database itself refuses."""

import itertools
from typing import Any

import msgspec
import pytest

from longstop.domain.capture import SnapshotType
from longstop.domain.errors import RecordRefusedError
from longstop.domain.football import Side
from longstop.store.contract import Store, WriteBatch
from tests.contract.store.conftest import Backend
from tests.football_records import KICKOFF, at, match, player, progress, quarantined, sheet

TABLES = {
    "football_matches": "match_id",
    "match_external_refs": "match_id",
    "football_captures": "match_id",
    "match_sofascore_lineup": "team_side, captured_at",
    "match_sofascore_player": "team_side, player_id_ext, captured_at",
    "football_quarantine": "captured_at",
}
EVERYTHING = WriteBatch(
    football=(match(),),
    lineups=(sheet(), sheet(side=Side.AWAY, first=100)),
    progress=(progress(),),
    quarantined=(quarantined(),),
)


async def contents(backend: Backend) -> dict[str, list[tuple[Any, ...]]]:
    return {
        table: await backend.rows(f"SELECT * FROM {table} ORDER BY {key}")  # noqa: S608 - ours
        for table, key in TABLES.items()
    }


@pytest.mark.req("D8")
async def test_what_is_kept_comes_back_as_it_was(store: Store) -> None:
    rated = sheet(side=Side.AWAY, first=100, is_confirmed=True, snapshot=SnapshotType.CONFIRMED)
    rated = msgspec.structs.replace(rated, players=(player(100, rating=7.25, is_captain=True, position="F"),))
    await store.save(WriteBatch(football=(match(league_id=3, season=2026),), lineups=(sheet(), rated)))
    await store.save(WriteBatch(progress=(progress(confirmed_at=at(1)),), quarantined=(quarantined(),)))
    assert await store.football_match(7) == match(league_id=3, season=2026)
    assert await store.football_match_of("sofascore", "507") == match(league_id=3, season=2026)
    assert await store.football_match(8) is None
    assert list(await store.line_ups(7)) == [sheet(), rated]
    assert await store.capture_progress(7) == progress(confirmed_at=at(1))
    assert list(await store.capture_progresses(at(0), at(72))) == [progress(confirmed_at=at(1))]
    assert not await store.capture_progresses(at(7), at(72))
    assert list(await store.quarantined()) == [quarantined()]


@pytest.mark.req("D8")
async def test_the_same_batch_may_come_again_in_any_order(backend: Backend, store: Store) -> None:
    later = WriteBatch(
        football=(match(told_at=at(2), kickoff_at=at(7)),),
        lineups=(msgspec.structs.replace(sheet(), after_kickoff=True),),
        progress=(progress(2),),
        quarantined=(quarantined(released_at=at(3)),),
    )
    await store.save(EVERYTHING)
    await store.save(later)
    wanted = await contents(backend)
    for order in itertools.permutations((EVERYTHING, later, EVERYTHING)):
        for batch in order:
            await store.save(batch)
        assert await contents(backend) == wanted


@pytest.mark.req("D2")
async def test_line_ups_are_told_as_they_were_known_then(store: Store) -> None:
    other = sheet(3, formation="5-4-1")
    await store.save(WriteBatch(football=(match(),), lineups=(sheet(), other)))
    assert list(await store.line_ups(7, as_of=at(0.5))) == []
    assert list(await store.line_ups(7, as_of=at(1))) == [sheet()]
    assert list(await store.line_ups(7, as_of=at(3))) == [sheet(), other]


@pytest.mark.req("D2")
@pytest.mark.parametrize("hours", [6.0, 6.000001, 9.0])
async def test_the_database_refuses_a_capture_at_or_after_kickoff(backend: Backend, store: Store, hours: float) -> None:
    with pytest.raises(RecordRefusedError):
        await store.save(WriteBatch(lineups=(sheet(hours),)))
    assert await contents(backend) == {table: [] for table in TABLES}


@pytest.mark.req("D2")
@pytest.mark.parametrize("table", ["match_sofascore_lineup", "match_sofascore_player"])
async def test_nobody_gets_such_a_row_in_past_the_store(backend: Backend, store: Store, table: str) -> None:
    await store.save(WriteBatch(lineups=(sheet(),)))
    with pytest.raises(Exception, match="before_kickoff"):
        await backend.executed(f"UPDATE {table} SET captured_at = kickoff_at")  # noqa: S608 - ours


@pytest.mark.req("D2")
async def test_what_is_told_after_the_match_is_told_apart(store: Store) -> None:
    after = sheet(9, snapshot=SnapshotType.POST_MATCH)
    await store.save(WriteBatch(football=(match(),), lineups=(sheet(), after)))
    assert list(await store.line_ups(7)) == [sheet(), after]


@pytest.mark.req("D2")
async def test_a_kickoff_that_was_moved_before_a_capture_takes_it_out_of_sight(store: Store) -> None:
    """Also before anybody has set the flag: the kickoff that was told last decides."""
    late = sheet(4)
    await store.save(WriteBatch(football=(match(),), lineups=(sheet(), late)))
    await store.save(WriteBatch(football=(match(told_at=at(5), kickoff_at=at(4)),)))
    assert list(await store.line_ups(7)) == [sheet()]
    assert list(await store.line_ups(7, with_flagged=True)) == [sheet(), late]


@pytest.mark.req("D2")
async def test_a_flag_is_set_and_never_taken_back(store: Store) -> None:
    flagged = msgspec.structs.replace(sheet(), after_kickoff=True)
    await store.save(WriteBatch(football=(match(),), lineups=(sheet(),)))
    await store.save(WriteBatch(lineups=(flagged,)))
    await store.save(WriteBatch(lineups=(sheet(),)))
    assert list(await store.line_ups(7)) == []
    assert list(await store.line_ups(7, with_flagged=True)) == [flagged]


@pytest.mark.req("D8")
async def test_the_last_word_about_a_match_counts(store: Store) -> None:
    await store.save(WriteBatch(football=(match(league_id=3, told_at=at(2), kickoff_at=at(8)),)))
    await store.save(WriteBatch(football=(match(told_at=at(1), kickoff_at=KICKOFF),)))
    told = await store.football_match(7)
    assert told is not None
    assert (told.kickoff_at, told.league_id) == (at(8), 3)
    await store.save(WriteBatch(football=(match(told_at=at(3), kickoff_at=at(9), home_team="The Reds"),)))
    told = await store.football_match(7)
    assert told is not None
    assert (told.kickoff_at, told.league_id, told.home_team) == (at(9), 3, "Reds")


@pytest.mark.req("D9")
async def test_matches_are_listed_by_their_kickoff(store: Store) -> None:
    rows = tuple(match(number, kickoff_at=at(20 - number)) for number in range(1, 6))
    await store.save(WriteBatch(football=rows))
    told = await store.football_matches(kickoff_from=at(16), kickoff_until=at(18), limit=2)
    assert [each.match_id for each in told] == [4, 3]
    assert len(await store.football_matches()) == 5


@pytest.mark.req("D4")
async def test_what_was_released_waits_no_longer(store: Store) -> None:
    await store.save(WriteBatch(quarantined=(quarantined(), quarantined(2))))
    await store.save(WriteBatch(quarantined=(quarantined(released_at=at(3)),)))
    assert list(await store.quarantined()) == [quarantined(2)]


@pytest.mark.req("D9")
async def test_a_nul_in_a_name_is_kept_as_it_came(store: Store) -> None:
    """PostgreSQL takes none in text."""
    odd = sheet()
    named = msgspec.structs.replace(odd.players[0], name="a\x00b\x10c")
    told = msgspec.structs.replace(odd, players=(named, *odd.players[1:]), sheet={"odd": "a\x00b"})
    known = msgspec.structs.replace(match(), home_team="Reds\x00", away_team="\x10Blues")
    await store.save(WriteBatch(football=(known,), lineups=(told,)))
    assert await store.line_ups(told.match_id) == [told]
    assert await store.football_match(known.match_id) == known
