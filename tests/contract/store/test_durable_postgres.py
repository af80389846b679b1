"""A real PostgreSQL that stops under many writers, or loses its answers: nothing acknowledged is lost."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest

from longstop.store.durably import durably
from longstop.store.open import open_store
from longstop.store.schema import upgrade
from tests.contract.store.cutting_proxy import CuttingProxy
from tests.contract.store.outage import CLOCK, writing
from tests.contract.store.samples import full_batch
from tests.servers.own_postgres import OwnPostgres
from tests.servers.process import ServerMissingError

MATCHES, CUTS = 12, 20


@pytest.fixture
def own_server() -> Iterator[OwnPostgres]:
    try:
        server = OwnPostgres()
    except ServerMissingError as error:
        pytest.skip(str(error))
    upgrade(server.url)
    yield server
    server.remove()


async def connections(server: OwnPostgres) -> int:
    other = await asyncpg.connect(server.url)
    try:
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'longstop'"
        return int(await other.fetchval(query))
    finally:
        await other.close()


@pytest.mark.req("B7", "B9")
async def test_a_server_that_stops_and_comes_back_has_all_that_was_acknowledged(
    own_server: OwnPostgres, tmp_path: Path
) -> None:
    async with writing(open_store(own_server.url), tmp_path / "spool", MATCHES) as outage:
        await CLOCK.sleep(0.5)
        baseline = await connections(own_server)
        for _ in range(2):
            await asyncio.to_thread(own_server.stop)
            before = dict(outage.acknowledged)
            await CLOCK.sleep(1.5)
            assert all(outage.acknowledged[match_id] > last for match_id, last in before.items()), "polling goes on"
            own_server.start()
            await outage.caught_up()
        outage.end_writing()
        await CLOCK.sleep(0.5)
        await outage.caught_up()
        assert await outage.wrong() == []
        assert outage.recovered
        assert await connections(own_server) <= max(baseline, MATCHES)


@pytest.mark.req("B7", "B9")
async def test_sessions_that_are_ended_again_and_again_lose_nothing(own_server: OwnPostgres, tmp_path: Path) -> None:
    end_all = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'longstop'"
    other = await asyncpg.connect(own_server.url)
    async with writing(open_store(own_server.url), tmp_path / "spool", MATCHES) as outage:
        for _ in range(10):
            await CLOCK.sleep(0.1)
            await other.execute(end_all)
        outage.end_writing()
        await CLOCK.sleep(0.5)
        await outage.caught_up()
        assert await outage.wrong() == []
    await other.close()


@pytest.mark.req("B9")
async def test_an_answer_to_a_commit_that_is_lost_leaves_one_row(own_server: OwnPostgres, tmp_path: Path) -> None:
    """The writer is acknowledged from the spool, and what had held is brought once more."""
    proxy = CuttingProxy(own_server.url)
    async with proxy as through:
        store = durably(open_store(through), tmp_path / "spool", CLOCK)
        await store.open()
        for number in range(CUTS):
            proxy.is_cutting = True
            await store.save(full_batch("AB1", first=number + 1, balls=1))
            assert store.backlog().spool_records == 1
            proxy.is_cutting = False
            assert await store.recover()
        page = await store.ledger("crex_AB1")
        assert (page.last_seq, len(page.deliveries)) == (CUTS, CUTS)
        assert len(await store.delivery_history("crex_AB1")) == CUTS
        await store.close()
    assert proxy.cuts == CUTS
