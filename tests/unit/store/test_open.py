"""A store for every address, and an extra asked for only where it is needed."""

import sys
from pathlib import Path

import pytest

from longstop import virtual_time
from longstop.domain.errors import StoreError
from longstop.store.contract import Store
from longstop.store.open import StoreOptions, open_store
from longstop.store.schema import current_revision, upgrade
from longstop.store.sqlite import SqliteOptions, SqliteStore
from tests.contract.store.samples import MATCH, full_batch


async def test_a_store_in_memory_needs_nothing() -> None:
    store = open_store("sqlite://")
    await store.open()
    await store.save(full_batch())
    assert (await store.ledger(MATCH)).last_seq == 2
    await store.close()


async def test_two_stores_in_memory_share_nothing() -> None:
    first, second = open_store("sqlite://"), open_store("sqlite://")
    for store in (first, second):
        await store.open()
    await first.save(full_batch())
    assert await second.match(MATCH) is None
    for store in (first, second):
        await store.close()


async def test_a_file_makes_its_folder(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/deep/down/store.db")
    await store.open()
    await store.close()
    assert (tmp_path / "deep" / "down" / "store.db").exists()


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    for name in [name for name in sys.modules if name.startswith("longstop.store.postgres")]:
        if name != "longstop.store.postgres_options":
            monkeypatch.delitem(sys.modules, name)
            monkeypatch.delattr(sys.modules["longstop.store"], name.rpartition(".")[2], raising=False)


@pytest.mark.parametrize("work", [open_store, upgrade, current_revision])
def test_postgres_without_its_driver_asks_for_the_extra(no_driver: None, work: object) -> None:
    assert callable(work)
    with pytest.raises(StoreError, match=r"pip install .*\[postgres\]"):
        work("postgresql://127.0.0.1/x")


@pytest.mark.parametrize("where", ["memory", "file"])
def test_the_real_sql_runs_on_virtual_time(tmp_path: Path, where: str) -> None:
    url = "sqlite://" if where == "memory" else f"sqlite:///{tmp_path}/store.db"

    async def played() -> tuple[int, int]:
        store: Store = open_store(url, options=StoreOptions(sqlite=SqliteOptions(inline=True)))
        await store.open()
        for number in range(1, 30):
            await store.save(full_batch(first=number, balls=1))
        page = await store.ledger(MATCH)
        await store.close()
        return page.last_seq, len(page.deliveries)

    assert virtual_time.run(played()) == (29, 29)


def test_nothing_is_opened_or_made_before_it_is_asked_for(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/deep/store.db")
    SqliteStore(tmp_path / "other.db")
    assert list(tmp_path.iterdir()) == []
