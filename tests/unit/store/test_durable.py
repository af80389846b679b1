"""With the database away what is critical is acknowledged once it is synced, and comes to the database in its order."""

import asyncio
from pathlib import Path

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import (
    RecordRefusedError,
    SpoolFullError,
    StoreClosedError,
    StoreError,
    StoreUnavailableError,
)
from longstop.observe import signals
from longstop.store.contract import WriteBatch
from longstop.store.durably import durably
from longstop.store.spool import SpoolLimits
from longstop.store.sqlite import SqliteStore
from tests.contract.store.samples import MATCH, NOON, capture, event, failure, full_batch, live, match, record
from tests.unit.store.durable_stage import DOWN, Stage, poll
from tests.virtual import on_virtual_time


def segments(stage: Stage) -> list[str]:
    return [name for name in stage.disk.list(Path("spool")) if name.endswith(".segment")]


async def seqs(stage: Stage, match_id: str = MATCH) -> list[int]:
    return [each.seq for each in await stage.store.events(match_id)]


async def acknowledged_until_full(stage: Stage) -> int:
    for number in range(1, 200):
        try:
            await stage.store.save(poll(number))
        except SpoolFullError:
            return number - 1
    raise AssertionError("the spool was never full")


async def test_a_second_store_on_a_spool_is_refused_and_leaves_nothing_behind(tmp_path: Path) -> None:
    first = durably(SqliteStore(None), tmp_path / "spool", SystemClock())
    await first.open()
    second = durably(SqliteStore(None), tmp_path / "spool", SystemClock())
    with pytest.raises(StoreError, match="in use by another Longstop"):
        await second.open()
    with pytest.raises(StoreClosedError):
        await second.save(poll(1))
    await first.save(poll(1))
    await first.close()


@on_virtual_time
async def test_while_the_database_answers_the_spool_is_not_touched(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    await stage.store.save(poll(1))
    assert stage.disk.operations == 0
    assert await seqs(stage) == [1]
    assert stage.heard.all == []
    await stage.store.close()


@pytest.mark.req("B7")
@on_virtual_time
async def test_with_the_database_away_a_ball_is_acknowledged_when_it_is_synced(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    await stage.store.save(poll(2))
    assert stage.store.is_away
    assert len(stage.heard.of(signals.StoreLost)) == 1
    assert stage.store.backlog().spool_records == 2
    stage.database.error = None
    assert await stage.store.recover()
    assert await seqs(stage) == [1, 2]
    assert stage.store.is_caught_up
    assert segments(stage) == []
    assert [told.records for told in stage.heard.of(signals.StoreRecovered)] == [2]
    await stage.store.close()


@pytest.mark.req("B9")
@pytest.mark.parametrize("has_power_failed", [False, True])
def test_a_killed_process_leaves_its_balls_to_the_next_one(tmp_path: Path, has_power_failed: bool) -> None:
    @on_virtual_time
    async def run() -> None:
        stage = Stage(tmp_path)
        await stage.store.open()
        stage.database.error = DOWN
        for number in range(1, 6):
            await stage.store.save(poll(number))
        await stage.killed_and_begun_anew(has_power_failed=has_power_failed)
        assert [found.records for found in stage.heard.of(signals.SpoolFound)] == [5]
        assert await seqs(stage) == [1, 2, 3, 4, 5]
        assert (await stage.store.ledger(MATCH)).last_seq == 5
        assert stage.store.is_caught_up
        await stage.store.close()

    run()


@pytest.mark.req("B7")
@on_virtual_time
async def test_what_is_not_critical_waits_in_memory(tmp_path: Path) -> None:
    stage = Stage(tmp_path, items=2)
    await stage.store.open()
    stage.database.error = DOWN
    for number in range(4):
        await stage.store.save(WriteBatch(errors=(failure(f"e{number}"),)))
    await stage.store.save(WriteBatch(matches=(match(),), live=(live(1),)))
    assert segments(stage) == []
    assert [(told.items, told.reason) for told in stage.heard.of(signals.WritesDropped)] == [(1, "no room")] * 3
    assert stage.store.backlog().buffered == 2
    stage.database.error = None
    assert await stage.store.recover()
    assert [row.error_id for row in await stage.store.errors()] == ["e3"]
    assert (await stage.store.match(MATCH)) is not None
    await stage.store.close()


@on_virtual_time
async def test_a_batch_is_divided_into_what_must_survive_and_the_rest(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    both = WriteBatch(matches=(match(),), events=(event(1),), errors=(failure(),))
    await stage.store.save(both)
    await stage.killed_and_begun_anew()
    assert await seqs(stage) == [1]
    assert (await stage.store.match(MATCH)) is not None
    assert list(await stage.store.errors()) == []
    await stage.store.close()


@pytest.mark.req("B9")
@on_virtual_time
async def test_raw_payloads_are_kept_too_while_the_database_is_away(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    kept = [capture(f"payload {number} ".encode() * 50, captured=number) for number in range(3)]
    await stage.store.save(poll(1))
    await stage.store.keep(kept)
    await stage.killed_and_begun_anew()
    assert list(await stage.store.captures(MATCH)) == kept
    await stage.store.close()


@on_virtual_time
async def test_nothing_overtakes_what_waits(tmp_path: Path) -> None:
    """The database is back, but until what is older was brought, newer balls go behind it."""
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    stage.database.error = None
    await stage.store.save(poll(2))
    assert stage.database.writes == []
    assert stage.store.backlog().spool_records == 2
    assert await stage.store.recover()
    await stage.store.save(poll(3))
    written = [each.seq for batch in stage.database.writes for each in batch.events]
    assert written == [1, 2, 3]
    await stage.store.close()


@on_virtual_time
async def test_a_database_that_hangs_is_not_waited_for_longer_than_agreed(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.hangs = True
    began = stage.clock.monotonic()
    await stage.store.save(poll(1))
    await stage.store.save(poll(2))
    assert stage.clock.monotonic() - began == pytest.approx(2.0)
    assert not await stage.store.recover()
    stage.database.hangs = False
    assert await stage.store.recover()
    assert await seqs(stage) == [1, 2]
    await stage.store.close()


@pytest.mark.req("B9")
@on_virtual_time
async def test_a_commit_of_unknown_fate_is_brought_again_without_harm(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.is_forgetful = True
    await stage.store.save(poll(1))
    for _ in range(3):
        assert not await stage.store.recover()
    stage.database.is_forgetful = False
    assert await stage.store.recover()
    assert await seqs(stage) == [1]
    assert len(await stage.store.delivery_history(MATCH)) == 1
    await stage.store.close()


@on_virtual_time
async def test_a_ledger_is_never_older_than_what_was_acknowledged(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    with pytest.raises(StoreUnavailableError, match="wait in the spool"):
        await stage.store.ledger(MATCH)
    with pytest.raises(StoreUnavailableError, match="wait in the spool"):
        await stage.store.states([MATCH])
    stage.database.error = None
    await stage.clock.sleep(1)
    assert (await stage.store.ledger(MATCH)).last_seq == 1
    await stage.store.close()


@pytest.mark.req("B7")
@on_virtual_time
async def test_whoever_reads_does_not_wait_long_for_a_slow_database_and_it_is_brought_all_the_same(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    stage.database.error, stage.database.save_seconds = None, 25.0
    began = stage.clock.monotonic()
    with pytest.raises(StoreUnavailableError, match="wait in the spool"):
        await stage.store.ledger(MATCH)
    assert stage.clock.monotonic() - began == pytest.approx(10.0)
    await stage.clock.sleep(20.0)
    assert (await stage.store.ledger(MATCH)).last_seq == 1
    await stage.store.close()


@on_virtual_time
async def test_many_who_ask_at_once_make_one_attempt(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    stage.database.error, stage.database.hangs = None, True
    began = stage.clock.monotonic()
    answers = await asyncio.gather(*(stage.store.ledger(MATCH) for _ in range(50)), return_exceptions=True)
    assert all(isinstance(each, StoreUnavailableError) for each in answers)
    assert stage.clock.monotonic() - began == pytest.approx(2.0)
    stage.database.hangs = False
    await stage.store.close()


@pytest.mark.req("B7")
@pytest.mark.parametrize("error", [RecordRefusedError("Never."), StoreError("Odd.")], ids=["surely", "it seems"])
def test_a_record_that_is_refused_for_ever_does_not_hold_up_the_others(tmp_path: Path, error: StoreError) -> None:
    @on_virtual_time
    async def run() -> None:
        stage = Stage(tmp_path)
        await stage.store.open()
        stage.database.error = DOWN
        for number in range(1, 6):
            await stage.store.save(poll(number, "BAD" if number == 2 else "AB1"))
        stage.database.error, stage.database.refuses, stage.database.refused_text = None, error, "BAD"
        assert await stage.store.recover()
        assert await seqs(stage) == [1, 3, 4, 5]
        assert stage.store.is_caught_up
        assert [name[-8:] for name in stage.disk.list(Path("spool/quarantine"))] == [".refused"]
        (told,) = stage.heard.of(signals.ErrorRaised)
        assert told.severity == "CRITICAL"
        assert "set aside" in told.operation
        await stage.store.close()

    run()


@on_virtual_time
async def test_a_database_that_refuses_everything_is_not_fit_and_nothing_is_set_aside(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.refuses = StoreError("The schema is not the current one.")
    for number in range(1, 4):
        await stage.store.save(poll(number))
    assert not await stage.store.recover()
    assert stage.disk.list(Path("spool/quarantine")) == []
    assert stage.store.backlog().spool_records == 3
    stage.database.refuses = None
    assert await stage.store.recover()
    assert await seqs(stage) == [1, 2, 3]
    await stage.store.close()


@on_virtual_time
async def test_what_no_database_could_hold_is_refused_at_once_also_while_it_is_away(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    unkeepable = WriteBatch(deliveries=(record((1, 0, 1), runs=2**70),))
    with pytest.raises(RecordRefusedError):
        await stage.store.save(unkeepable)
    stage.database.error = DOWN
    with pytest.raises(RecordRefusedError):
        await stage.store.save(unkeepable)
    assert segments(stage) == []
    await stage.store.close()


@pytest.mark.req("B7")
@on_virtual_time
async def test_the_spool_alarms_long_before_it_is_full_and_then_says_so(tmp_path: Path) -> None:
    stage = Stage(tmp_path, spool=SpoolLimits(max_bytes=40_000, segment_bytes=4_000, reserve_bytes=0))
    await stage.store.open()
    stage.database.error = DOWN
    acknowledged = await acknowledged_until_full(stage)
    assert [told.level_percent for told in stage.heard.of(signals.SpoolFilled)] == [50, 80, 95, 100]
    stage.database.error = None
    assert await stage.store.recover()
    assert await seqs(stage) == list(range(1, acknowledged + 1))
    stage.database.error = DOWN
    await stage.store.save(poll(acknowledged + 1))
    assert len(stage.heard.of(signals.SpoolFilled)) == 4
    await stage.store.close()


@pytest.mark.req("B9")
@on_virtual_time
async def test_damage_in_the_last_record_that_waits_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    stage.disk.flip_bit(Path("spool") / segments(stage)[0], 60, 3)
    stage.database.error = None
    async with stage.clock.timeout(5):
        assert await stage.store.recover()
    assert stage.store.is_caught_up
    assert [name[-8:] for name in stage.disk.list(Path("spool/quarantine"))] == [".damaged"]
    await stage.store.save(poll(1))
    assert await seqs(stage) == [1]
    await stage.store.close()


@on_virtual_time
async def test_a_stop_in_the_midst_of_a_recovery_ends_it_first(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    for number in range(1, 4):
        await stage.store.save(poll(number))
    stage.database.error, stage.database.hangs = None, True
    attempt = asyncio.create_task(stage.store.recover())
    await stage.clock.sleep(0.5)
    began = stage.clock.monotonic()
    await stage.store.close()
    assert stage.clock.monotonic() - began < 6
    await asyncio.gather(attempt, return_exceptions=True)
    stage.database.hangs = False
    await stage.killed_and_begun_anew()
    assert await seqs(stage) == [1, 2, 3]
    await stage.store.close()


@on_virtual_time
async def test_a_stop_brings_what_it_can_and_leaves_the_rest_on_disk(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    await stage.store.save(WriteBatch(errors=(failure(),)))
    await stage.store.close()
    assert [(told.items, told.reason) for told in stage.heard.of(signals.WritesDropped)] == [(1, "stopped")]
    with pytest.raises(StoreClosedError):
        await stage.store.save(poll(2))
    await stage.killed_and_begun_anew()
    assert await seqs(stage) == [1]
    await stage.store.close()


@on_virtual_time
async def test_ten_minutes_of_many_matches_are_brought_in_a_minute(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    for number in range(1, 41):
        for key in ("AB1", "CD2", "EF3"):
            await stage.store.save(full_batch(key, first=number, balls=1))
        await stage.clock.sleep(15)
    assert stage.store.backlog().oldest_seconds == pytest.approx(600)
    assert stage.store.backlog().down_seconds == pytest.approx(600)
    stage.database.error = None
    assert await stage.store.recover()
    for key in ("AB1", "CD2", "EF3"):
        assert await seqs(stage, f"crex_{key}") == list(range(1, 41))
    sizes = [len(written.matches) for written in stage.database.writes]
    assert sizes == [64, 56], "many records go in one transaction, and never so many that the loop is held up"
    assert stage.heard.of(signals.StoreRecovered)[0].at > NOON
    await stage.store.close()
