"""A whole instance that another has replaced while it stood still: it ends by itself, and says why."""

from pathlib import Path

import pytest

from longstop.bootstrap import Instance
from longstop.clock import SystemClock
from longstop.domain.errors import PlaceLostError
from longstop.settings import load
from longstop.store.sqlite import SqliteStore
from longstop.storing import store_for
from tests.contract.store.samples import full_batch

CLOCK = SystemClock()


@pytest.mark.req("B9")
async def test_an_instance_ends_when_another_has_taken_its_place(tmp_path: Path) -> None:
    path = tmp_path / "longstop.db"
    wishes = {
        "storage.root": str(tmp_path),
        "database.url": f"sqlite:///{path}",
        "api.port": "0",
        "scraper.monitoring.prometheus.enabled": "false",
    }
    loaded = load(file=None, environ={}, overrides=wishes)
    store = store_for(loaded.settings, CLOCK)
    instance = Instance(loaded, (), store, CLOCK, reread=lambda: loaded)
    await instance.start()
    try:
        await store.save(full_batch("M1"))
        path.with_name("longstop.db.lock").unlink()
        successor = SqliteStore(path)
        await successor.open()
        await successor.save(full_batch("M2"))
        with pytest.raises(PlaceLostError):
            await store.save(full_batch("M3"))
        async with CLOCK.timeout(5):
            failure = await instance.failure()
        assert isinstance(failure, PlaceLostError)
        assert failure.exit_code == 77
        assert "another Longstop has taken over" in str(failure).replace("Another", "another")
    finally:
        await instance.stop("its place is lost")
    await successor.save(full_batch("M4"))
    assert {row.ref.key for row in await successor.matches()} == {"M1", "M2", "M4"}
    await successor.close()
