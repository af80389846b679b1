"""What a capture leaves in the store: raw first, then what it says, once."""

from datetime import timedelta
from typing import Any

import pytest

from longstop.clock import LoopClock
from longstop.domain.capture import SnapshotType
from longstop.domain.capture_errors import CaptureFailedError, OtherMatchError, TakenEventError
from longstop.domain.errors import EmptyPayloadError, SourceFailingError
from longstop.observe.signals import captures as facts
from longstop.store.sqlite import SqliteStore
from tests.football_captures import KICKOFF, START, Site, service_on, told_lineups, upcoming
from tests.virtual import Heard, on_virtual_time

REDS_BLUES: dict[str, Any] = {"match_id": 7, "kickoff_utc": KICKOFF, "home_team": "Reds", "away_team": "Blues"}


async def a_scene() -> tuple[Site, Heard, SqliteStore]:
    site = Site(LoopClock(START))
    site.show(upcoming(501, "Reds", "Blues"), told_lineups())
    store = SqliteStore(None, clock=site.clock)
    await store.open()
    return site, Heard(), store


@pytest.mark.req("D8")
@on_virtual_time
async def test_a_second_run_adds_nothing_and_a_change_adds_a_row() -> None:
    site, heard, store = await a_scene()
    service = service_on(site, heard, store)
    for _ in range(3):
        await service.scrape_match(**REDS_BLUES)
    assert len(await store.line_ups(7)) == 2
    assert len(site.lists) == 1, "the match is looked up once"
    changed = told_lineups()
    changed["home"]["formation"] = "4-4-2"
    site.show(upcoming(501, "Reds", "Blues"), changed)
    await service.scrape_match(**REDS_BLUES)
    told = await store.line_ups(7)
    assert [(row.side.value, row.formation) for row in told] == [
        ("home", "4-3-3"),
        ("away", "3-4-2-1"),
        ("home", "4-4-2"),
    ]
    assert all(row.snapshot is SnapshotType.CONFIRMED and row.captured_at < row.kickoff_at for row in told)
    known = await store.capture_progress(7)
    assert known is not None
    assert (known.captures, known.attempts, known.status) == (4, 4, "success")
    assert known.next_at == KICKOFF - timedelta(minutes=5)
    await store.close()


@pytest.mark.req("D2")
@on_virtual_time
async def test_a_kickoff_that_moves_to_before_a_capture_flags_it() -> None:
    site, heard, store = await a_scene()
    service = service_on(site, heard, store)
    first = await service.scrape_match(**REDS_BLUES)
    await site.clock.sleep(600)
    changed = told_lineups(confirmed=False)
    site.show(upcoming(501, "Reds", "Blues"), changed)
    second = await service.scrape_match(**REDS_BLUES)
    earlier = START + timedelta(seconds=300)
    site.show(upcoming(501, "Reds", "Blues", earlier), changed)
    with pytest.raises(Exception, match="kickoff"):
        await service.scrape_match(**REDS_BLUES)
    standing = await store.line_ups(7)
    assert {row.captured_at for row in standing} == {first.captured_at}
    flagged = [row for row in await store.line_ups(7, with_flagged=True) if row.after_kickoff]
    assert {row.captured_at for row in flagged} == {second.captured_at}
    moved = heard.of(facts.KickoffMoved)
    assert [(each.after, each.flagged) for each in moved] == [(earlier, 2)]
    await store.close()


@pytest.mark.req("D4")
@on_virtual_time
async def test_what_breaks_its_contract_is_kept_raw_and_waits() -> None:
    site, heard, store = await a_scene()
    broken = told_lineups()
    broken["away"].pop("players")
    site.show(upcoming(501, "Reds", "Blues"), broken)
    with pytest.raises(CaptureFailedError):
        await service_on(site, heard, store).scrape_match(**REDS_BLUES)
    (held,) = await store.quarantined()
    assert (held.family, held.contract, held.source_event_id) == ("lineups", "sofascore.lineups.v1", "501")
    kept = await store.captures("7")
    assert {each.purpose for each in kept} == {"event", "lineups"}
    assert {each.captured_at for each in kept} == {held.captured_at}
    known = await store.capture_progress(7)
    assert known is not None
    assert (known.status, known.reason) == ("hard_fail", "schema_break")
    await store.close()


@pytest.mark.req("D1")
@on_virtual_time
async def test_one_match_of_the_source_has_one_number_of_ours() -> None:
    site, heard, store = await a_scene()
    service = service_on(site, heard, store)
    await service.scrape_match(**REDS_BLUES)
    with pytest.raises(TakenEventError):
        await service.scrape_match(**REDS_BLUES | {"match_id": 8})
    await store.close()


@pytest.mark.req("D1")
@pytest.mark.parametrize(
    "other",
    [
        {"home_team": "Greens", "away_team": "Whites"},
        {"home_team": "Nobody", "away_team": "Ever"},
        {"home_team": "Blues", "away_team": "Reds"},
        {"home_team": "Reds Women", "away_team": "Blues Women"},
        {"kickoff_utc": KICKOFF + timedelta(days=3)},
    ],
)
@on_virtual_time
async def test_a_number_that_is_known_never_brings_another_match(other: dict[str, Any]) -> None:
    site, heard, store = await a_scene()
    site.show(upcoming(502, "Greens", "Whites"), told_lineups())
    site.show(upcoming(503, "Reds", "Blues", KICKOFF + timedelta(days=3)), told_lineups())
    service = service_on(site, heard, store)
    await service.scrape_match(**REDS_BLUES)
    before = await store.capture_progress(7)
    with pytest.raises(OtherMatchError):
        await service.scrape_match(**REDS_BLUES | other)
    assert [order.key for order in site.visits] == ["501"]
    assert await store.capture_progress(7) == before
    assert heard.of(facts.CaptureSkipped)[-1].reason == "other_match"
    await store.close()


@pytest.mark.req("D1")
@on_virtual_time
async def test_a_match_that_was_moved_by_days_is_known_again_from_the_lists() -> None:
    site, heard, store = await a_scene()
    service = service_on(site, heard, store)
    await service.scrape_match(**REDS_BLUES)
    moved = KICKOFF + timedelta(days=3)
    site.show(upcoming(501, "Reds", "Blues", moved), told_lineups())
    assert (await service.scrape_match(**REDS_BLUES | {"kickoff_utc": moved})).source_event_id == "501"
    await store.close()


@pytest.mark.req("D4")
@on_virtual_time
async def test_an_empty_answer_is_no_line_up_yet_until_there_was_one() -> None:
    site, heard, store = await a_scene()
    service = service_on(site, heard, store)
    site.lineups["501"] = b""
    result = await service.scrape_match(**REDS_BLUES)
    assert result.integrity is not None
    assert "lineups_missing" in result.integrity["flags"]
    site.lineups["501"] = told_lineups()
    await service.scrape_match(**REDS_BLUES)
    site.lineups["501"] = b""
    with pytest.raises(CaptureFailedError) as failed:
        await service.scrape_match(**REDS_BLUES)
    assert failed.value.reason == "empty"
    await store.close()


@pytest.mark.req("D4")
@pytest.mark.req("D5")
@on_virtual_time
async def test_why_a_family_did_not_come_decides_what_becomes_of_the_visit() -> None:
    site, heard, store = await a_scene()
    service = service_on(site, heard, store)
    site.lineups.clear()
    site.refusals["lineups"] = EmptyPayloadError("Nothing.")
    assert (await service.scrape_match(**REDS_BLUES)).normalized["lineups"]["home"] is None
    site.refusals["lineups"] = SourceFailingError("503")
    with pytest.raises(CaptureFailedError) as failed:
        await service.scrape_match(**REDS_BLUES)
    assert failed.value.reason == "5xx"
    await store.close()
