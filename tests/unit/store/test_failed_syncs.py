"""A sync that fails, of the spool or of the database, ends the process: nothing is acknowledged on top of it."""

import asyncio
import errno
from pathlib import Path

import pytest

from longstop.domain.errors import DatabaseSyncError, SpoolBrokenError
from longstop.observe import signals
from longstop_origin.storm.disk import Faults
from tests.contract.store.samples import MATCH
from tests.unit.store.durable_stage import DOWN, Stage, poll
from tests.virtual import on_virtual_time


@pytest.mark.req("B9")
@on_virtual_time
async def test_a_failed_sync_breaks_the_spool_and_whoever_waits_for_that_is_told(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    await stage.store.open()
    stage.database.error = DOWN
    await stage.store.save(poll(1))
    waiter = asyncio.create_task(stage.store.broken())
    stage.disk.faults = Faults(fail_at={stage.disk.operations + 2: errno.EIO})
    for _ in range(3):
        with pytest.raises(SpoolBrokenError):
            await stage.store.save(poll(2))
    assert (await waiter).exit_code == 73
    assert [told.severity for told in stage.heard.of(signals.ErrorRaised)] == ["CRITICAL"]
    await stage.killed_and_begun_anew(has_power_failed=True)
    assert (await stage.store.events(MATCH))[0].seq == 1
    await stage.store.close()


@pytest.mark.req("B9")
@on_virtual_time
async def test_a_failed_sync_of_the_database_ends_the_process_too_and_is_not_put_by(tmp_path: Path) -> None:
    """Who puts it by goes on, on top of a file of which nobody knows what is on the disk."""
    stage = Stage(tmp_path)
    await stage.store.open()
    waiter = asyncio.create_task(stage.store.broken())
    stage.database.error = DatabaseSyncError("The database could not be synced.")
    with pytest.raises(DatabaseSyncError):
        await stage.store.save(poll(1))
    assert (await waiter).exit_code == 73
    assert [told.severity for told in stage.heard.of(signals.ErrorRaised)] == ["CRITICAL"]
    assert (stage.store.is_away, stage.store.backlog().spool_records) == (False, 0)
    await stage.store.close()
