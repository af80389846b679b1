"""A server that goes away, comes back, throws us out, or keeps us waiting."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import InputError, LongstopError, StoreError, StoreUnavailableError
from longstop.store.contract import Store, WriteBatch
from longstop.store.open import StoreOptions, open_store
from longstop.store.postgres_options import PostgresOptions
from longstop.store.schema import current_revision, upgrade
from tests.contract.store.cutting_proxy import CuttingProxy
from tests.contract.store.samples import MATCH, event, full_batch, live
from tests.servers.own_postgres import OwnPostgres

CLOCK = SystemClock()


def store_on(url: str, **options: Any) -> Store:
    return open_store(url, options=StoreOptions(postgres=PostgresOptions(**options)))


@pytest.fixture
async def other(migrated_postgres_url: str) -> AsyncIterator[Any]:
    """Another client of the database, past the store."""
    connection = await asyncpg.connect(migrated_postgres_url)
    await connection.execute(
        "TRUNCATE matches, match_external_refs, live_match_data, deliveries, innings, match_events"
    )
    yield connection
    await connection.close()


@pytest.fixture
async def url(migrated_postgres_url: str, other: Any) -> str:
    return migrated_postgres_url


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    store = store_on(url)
    await store.open()
    yield store
    await store.close()


async def backends(other: Any) -> list[int]:
    query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'longstop' AND datname = current_database()"
    return [row["pid"] for row in await other.fetch(query)]


@pytest.fixture
def own_server() -> Iterator[OwnPostgres]:
    server = OwnPostgres()
    yield server
    server.remove()


async def saved_at_last(store: Store, batch: WriteBatch) -> None:
    """As the pipeline does it: again, until it holds."""
    async with CLOCK.timeout(30):
        while True:
            try:
                return await store.save(batch)
            except StoreUnavailableError:
                await CLOCK.sleep(0.05)


@pytest.mark.req("B7")
async def test_a_server_that_stops_is_told_and_its_return_is_found(own_server: OwnPostgres) -> None:
    upgrade(own_server.url)
    store = store_on(own_server.url)
    await store.open()
    await store.save(full_batch())
    own_server.stop()
    for call in (lambda: store.save(full_batch()), lambda: store.ledger(MATCH), store.ping):
        with pytest.raises(StoreUnavailableError):
            await call()
    own_server.start()
    await saved_at_last(store, full_batch(first=3))
    assert (await store.ledger(MATCH)).last_seq == 4
    await store.close()


async def test_a_server_that_is_not_there_is_told_when_opening(own_server: OwnPostgres) -> None:
    upgrade(own_server.url)
    own_server.stop()
    store = store_on(own_server.url, connect_seconds=2)
    with pytest.raises(StoreUnavailableError, match="does not answer"):
        await store.open()
    own_server.start()
    async with CLOCK.timeout(30):
        while True:
            try:
                await store.open()  # the same store, once the server is there
                break
            except StoreUnavailableError:
                await CLOCK.sleep(0.05)
    await store.save(full_batch())
    await store.close()


@pytest.mark.req("B7")
async def test_sessions_that_were_ended_are_replaced_unseen(store: Store, other: Any) -> None:
    await asyncio.gather(*(store.save(full_batch(f"M{number}")) for number in range(5)))
    for pid in await backends(other):
        await other.execute(f"SELECT pg_terminate_backend({pid})")
    await asyncio.gather(*(store.save(full_batch(f"N{number}")) for number in range(5)))
    assert len(await store.matches()) == 10


async def test_a_session_ended_in_the_middle_is_told_and_the_batch_may_come_again(store: Store, other: Any) -> None:
    await store.save(WriteBatch(live=(live(1),)))
    async with other.transaction():
        await other.execute("LOCK TABLE live_match_data IN EXCLUSIVE MODE")
        saving = asyncio.create_task(store.save(WriteBatch(events=(event(1),), live=(live(2),))))
        pid = await waiting_backend(other)
        await other.execute(f"SELECT pg_terminate_backend({pid})")
        with pytest.raises(StoreUnavailableError):
            await saving
    assert await store.events(MATCH) == [], "half a batch is no batch"
    await store.save(WriteBatch(events=(event(1),), live=(live(2),)))
    assert (await store.live([MATCH]))[MATCH].sequence == 2


async def waiting_backend(other: Any) -> int:
    query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'longstop' AND wait_event_type = 'Lock'"
    async with CLOCK.timeout(20):
        while not (found := await other.fetchval(query)):
            await CLOCK.sleep(0.02)
    return int(found)


async def test_a_statement_that_takes_too_long_is_told(url: str, other: Any) -> None:
    store = store_on(url, statement_seconds=0.2)
    await store.open()
    async with other.transaction():
        await other.execute("LOCK TABLE live_match_data IN EXCLUSIVE MODE")
        with pytest.raises(StoreUnavailableError, match="timeout"):
            await store.save(WriteBatch(live=(live(1),)))
    await store.save(WriteBatch(live=(live(1),)))
    await store.close()


async def test_a_save_that_takes_too_long_is_told_and_still_holds_in_the_end(url: str, other: Any) -> None:
    store = store_on(url, save_seconds=0.2)
    await store.open()
    async with other.transaction():
        await other.execute("LOCK TABLE live_match_data IN EXCLUSIVE MODE")
        with pytest.raises(StoreUnavailableError, match="did not answer within"):
            await store.save(WriteBatch(live=(live(1),)))
    await store.close()
    assert await other.fetchval("SELECT count(*) FROM live_match_data") == 1


@pytest.mark.req("I4")
async def test_a_pool_that_is_used_up_is_told(url: str, other: Any) -> None:
    store = store_on(url, pool_idle=1, pool_max=2, pool_wait_seconds=0.2)
    await store.open()
    async with other.transaction():
        await other.execute("LOCK TABLE live_match_data IN EXCLUSIVE MODE")
        blocked = [asyncio.create_task(store.save(WriteBatch(live=(live(1, match_id=f"m{n}"),)))) for n in range(2)]
        await waiting_backend(other)
        with pytest.raises(StoreUnavailableError, match="in use"):
            await store.ping()
    await asyncio.gather(*blocked)
    assert await store.ping() >= 0
    await store.close()


@pytest.mark.req("I4")
async def test_the_pool_keeps_to_its_size_and_ends_empty(store: Store, other: Any) -> None:
    most = 0
    tasks = [asyncio.create_task(store.save(full_batch(f"M{number}", balls=20))) for number in range(80)]
    while not all(task.done() for task in tasks):
        most = max(most, len(await backends(other)))
        await CLOCK.sleep(0.005)
    await asyncio.gather(*tasks)
    assert 1 < most <= 20
    await settled(other, 5)
    await store.close()
    await settled(other, 0)


async def settled(other: Any, most: int) -> None:
    async with CLOCK.timeout(20):
        while len(await backends(other)) > most:
            await CLOCK.sleep(0.02)


async def test_those_who_stop_waiting_leave_no_connection_behind(store: Store, other: Any) -> None:
    for turns in range(25):
        tasks = [asyncio.create_task(store.save(full_batch(f"M{turns}"))), asyncio.create_task(store.ledger(MATCH))]
        for _ in range(turns):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    await settled(other, 5)
    idle = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'longstop' AND state LIKE '%in transaction%'"
    async with CLOCK.timeout(10):
        while await other.fetchval(idle):
            await CLOCK.sleep(0.02)
    await store.save(full_batch("LAST"))


async def test_an_idle_connection_is_not_used_for_ever(url: str, other: Any) -> None:
    store = store_on(url, idle_seconds=0.05)
    await store.open()
    await store.ping()
    before = await backends(other)
    await CLOCK.sleep(0.1)
    await store.ping()
    assert set(await backends(other)).isdisjoint(before)
    await store.close()


@pytest.mark.req("B9")
async def test_a_connection_cut_after_the_commit_leaves_one_row(url: str, other: Any) -> None:
    """The commit held, the answer was lost: the error says so honestly, and the same batch again changes nothing."""
    proxy = CuttingProxy(url)
    async with proxy as through:
        store = store_on(through)
        await store.open()
        for number in range(20):
            batch = WriteBatch(events=(event(number + 1),))
            proxy.is_cutting = True
            with pytest.raises(StoreUnavailableError):
                await store.save(batch)
            proxy.is_cutting = False
            await store.save(batch)
        await store.close()
    assert proxy.cuts == 20
    assert await other.fetchval("SELECT count(*) FROM match_events") == 20


WRONG: dict[str, tuple[str, type[LongstopError], str]] = {
    "user": ("postgresql://nobody@{host}/{name}", StoreError, "Check user"),
    "database": ("postgresql://longstop@{host}/none", StoreError, "Check user"),
    "port": ("postgresql://longstop@127.0.0.1:1/x", StoreUnavailableError, "Check that the database is up"),
    "option": ("postgresql://longstop@{host}/{name}?sslmode=sometimes", InputError, "Correct the database's URL"),
}


@pytest.mark.parametrize("what", WRONG)
async def test_a_wrong_address_is_told_with_what_to_do(url: str, what: str) -> None:
    template, expected, hint = WRONG[what]
    host, _, name = url.partition("@")[2].partition("/")
    wrong = template.format(host=host, name=name)
    with pytest.raises(expected) as told:
        await store_on(wrong).open()
    assert hint in told.value.hint
    with pytest.raises(expected):
        current_revision(wrong)


async def test_a_password_is_never_shown(url: str) -> None:
    host = url.partition("@")[2]
    store = store_on(f"postgresql://nobody:sesame-open@{host}")
    with pytest.raises(StoreError) as told:
        await store.open()
    assert "sesame" not in f"{told.value!r} {told.value} {told.value.__cause__!r} {store!r} {vars(store)!r}"


async def test_tables_go_where_the_search_path_says(url: str, other: Any) -> None:
    for name in ("first", "second"):
        await other.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}")
        within = f"{url}?search_path={name}"
        assert current_revision(within) is None
        upgrade(within)
        store = store_on(within)
        await store.open()
        await store.save(full_batch(name))
        assert [row.ref.key for row in await store.matches()] == [name]
        await store.close()
    assert await other.fetchval("SELECT count(*) FROM first.matches") == 1
