"""One instance at a PostgreSQL database, also when sessions are ended behind its back; commands write beside it."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import PlaceLostError, StoreError, StoreUnavailableError
from longstop.store import postgres_place
from longstop.store.contract import Store
from longstop.store.open import StoreOptions, open_store
from longstop.store.postgres_options import PostgresOptions
from longstop.store.schema import upgrade
from tests.contract.store.samples import full_batch
from tests.servers.own_postgres import OwnPostgres

CLOCK = SystemClock()
PLACE = PostgresOptions(has_place=True)
pytestmark = pytest.mark.req("B9")


def instance(url: str, options: PostgresOptions = PLACE) -> Store:
    return open_store(url, options=StoreOptions(postgres=options))


@pytest.fixture
async def other(migrated_postgres_url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(migrated_postgres_url)
    yield connection
    await connection.close()


@pytest.fixture
async def first(migrated_postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    monkeypatch.setattr(postgres_place, "_PATIENCE_SECONDS", 0.3)
    store = instance(migrated_postgres_url)
    await store.open()
    yield store
    await store.close()


async def end_session_of_the_place(other: Any) -> None:
    """As an operator does, or a server that restarts."""
    pid = await other.fetchval(postgres_place._HOLDER, postgres_place._LOCK)
    assert pid is not None
    await other.fetchval("SELECT pg_terminate_backend($1, 5000)", pid)


async def test_a_second_instance_is_refused_and_a_command_is_not(
    migrated_postgres_url: str, other: Any, first: Store
) -> None:
    with pytest.raises(StoreError, match=r"in use by another Longstop \(session \d+\)") as told:
        await instance(migrated_postgres_url).open()
    assert told.value.hint
    command = instance(migrated_postgres_url, PostgresOptions())
    await command.open()
    await command.save(full_batch("C1"))
    await command.close()
    await first.save(full_batch("C2"))


async def test_a_place_is_free_again_when_its_instance_has_ended(migrated_postgres_url: str, first: Store) -> None:
    await first.close()
    second = instance(migrated_postgres_url)
    await second.open()
    await second.save(full_batch("E1"))
    await second.close()


async def test_an_instance_whose_session_is_ended_takes_its_place_again(other: Any, first: Store) -> None:
    await first.save(full_batch("T1"))
    for number in range(2, 5):
        await end_session_of_the_place(other)
        await first.save(full_batch(f"T{number}"))


async def test_an_instance_whose_place_was_taken_meanwhile_writes_nothing_more(
    migrated_postgres_url: str, other: Any, first: Store
) -> None:
    await first.save(full_batch("P1"))
    await end_session_of_the_place(other)
    second = instance(migrated_postgres_url)
    await second.open()
    await second.save(full_batch("P2"))
    for _ in range(2):
        with pytest.raises(PlaceLostError, match="has taken over"):
            await first.save(full_batch("P3"))
    with pytest.raises(PlaceLostError):
        await first.prune_captures(0)
    await second.close()
    with pytest.raises(PlaceLostError):
        await first.save(full_batch("P3"))
    assert await first.match("crex_P3") is None
    assert await first.match("crex_P2") is not None


async def test_a_crash_of_the_server_takes_nobody_s_place() -> None:
    """The server recovers from its log, where the numbers of a sequence are written down ahead."""
    server = OwnPostgres()
    try:
        upgrade(server.url)
        store = instance(server.url)
        await store.open()
        for life in range(2):
            await store.save(full_batch(f"C{life}"))
            server.crash()
            server.start()
            await until_it_answers(store)
        await store.save(full_batch("C9"))
        await store.close()
    finally:
        server.remove()


async def until_it_answers(store: Store) -> None:
    async with CLOCK.timeout(20):
        while True:
            try:
                await store.save(full_batch("C8"))
            except StoreUnavailableError:
                await CLOCK.sleep(0.1)
            else:
                return


async def test_a_place_that_came_and_went_meanwhile_is_lost_all_the_same(
    migrated_postgres_url: str, other: Any, first: Store
) -> None:
    await end_session_of_the_place(other)
    second = instance(migrated_postgres_url)
    await second.open()
    await second.close()
    with pytest.raises(PlaceLostError):
        await first.save(full_batch("G1"))
