"""A whole instance whose spool's disk fails a sync while the database is away: it ends by itself, and says why."""

from pathlib import Path

import pytest

from longstop.bootstrap import Instance
from longstop.clock import SystemClock
from longstop.domain.errors import SpoolBrokenError
from longstop.settings import load
from longstop.store.durably import durably
from tests.contract.store.failing_disk import FailingDisk
from tests.contract.store.samples import MATCH
from tests.unit.store.durable_stage import DOWN, Database, poll

CLOCK = SystemClock()


@pytest.mark.req("B9")
async def test_an_instance_ends_when_a_sync_of_its_spool_fails(tmp_path: Path) -> None:
    wishes = {"storage.root": str(tmp_path), "api.port": "0", "scraper.monitoring.prometheus.enabled": "false"}
    loaded = load(file=None, environ={}, overrides=wishes)
    disk, database = FailingDisk(), Database(tmp_path / "kept.db", CLOCK)
    store = durably(database, tmp_path / "spool", CLOCK, disk=disk)
    instance = Instance(loaded, (), store, CLOCK, reread=lambda: loaded)
    await instance.start()
    try:
        database.error = DOWN
        await store.save(poll(1))
        disk.is_failing = True
        with pytest.raises(SpoolBrokenError):
            await store.save(poll(2))
        async with CLOCK.timeout(5):
            failure = await instance.failure()
        assert isinstance(failure, SpoolBrokenError)
        assert failure.exit_code == 73
    finally:
        await instance.stop("the spool is broken")

    healed = Database(tmp_path / "kept.db", CLOCK)
    again = durably(healed, tmp_path / "spool", CLOCK)
    await again.open()
    assert next(each.seq for each in await again.events(MATCH)) == 1
    await again.close()
