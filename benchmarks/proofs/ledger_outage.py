"""R5: PostgreSQL is away for minutes, restarted, its sessions ended, while scrapers write on. R6: answers are cut."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import msgspec

from benchmarks.figures import Figure, ProofError, Wishes, at_least, below, exactly, noted, tell
from benchmarks.processes import empty_folder
from longstop.store.durably import durably
from longstop.store.open import open_store
from longstop.store.schema import upgrade
from tests.contract.store.cutting_proxy import CuttingProxy
from tests.contract.store.outage import CLOCK, Outage, writing
from tests.contract.store.samples import full_batch
from tests.servers.own_postgres import OwnPostgres
from tests.servers.process import ServerMissingError

MATCHES, PAUSE_SECONDS = 40, 0.5
SETTLE_SECONDS = 2.0
DRAIN_SECONDS = 60.0
CUTS = 1000
END_ALL = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'longstop'"
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'longstop'"


class Seen(msgspec.Struct):
    acknowledged: int = 0
    acknowledged_meanwhile: int = 0
    drained_seconds: float = 0.0
    wrong: int = 0
    connections_before: int = 0
    connections_after: int = 0
    waiting_max: int = 0


def prove_outage(wishes: Wishes) -> Iterator[Figure]:
    seconds = wishes.minutes * 60
    seen = asyncio.run(_outage(seconds))
    yield noted("the database was away", round(seconds), "s")
    yield noted("records that waited at most", seen.waiting_max)
    yield at_least("writes acknowledged meanwhile", seen.acknowledged_meanwhile, int(MATCHES * seconds / 10))
    yield noted("writes acknowledged in all", seen.acknowledged)
    yield below("drained after its return", seen.drained_seconds, DRAIN_SECONDS, "s")
    yield exactly("matches with anything lost, doubled or unexpected", seen.wrong, 0)
    yield below("connections afterwards", seen.connections_after, max(seen.connections_before, 20) + 1)


def prove_cuts(_: Wishes) -> Iterator[Figure]:
    cuts, rows, revisions = asyncio.run(_cuts())
    yield exactly("connections cut after COMMIT", cuts, CUTS)
    yield exactly("rows of events", rows, CUTS)
    yield exactly("rows of balls", revisions, CUTS)


def _own_server() -> OwnPostgres:
    try:
        server = OwnPostgres()
    except ServerMissingError as error:
        raise ProofError(str(error)) from error
    upgrade(server.url)
    return server


async def _ask(server: OwnPostgres, query: str) -> int:
    connection = await asyncpg.connect(server.url)
    try:
        return int(await connection.fetchval(query))
    finally:
        await connection.close()


async def _outage(seconds: float) -> Seen:
    server, seen = await asyncio.to_thread(_own_server), Seen()
    try:
        with empty_folder("outage") as folder:
            inner = open_store(server.url)
            async with writing(inner, folder / "spool", MATCHES, PAUSE_SECONDS) as outage:
                await CLOCK.sleep(SETTLE_SECONDS)
                seen.connections_before = await _ask(server, CONNECTIONS)
                await _away(server, outage, seen, seconds)
                seen.drained_seconds = await outage.caught_up(DRAIN_SECONDS * 2)
                await _ask(server, END_ALL)
                await CLOCK.sleep(SETTLE_SECONDS)
                outage.end_writing()
                await CLOCK.sleep(SETTLE_SECONDS)
                await outage.caught_up(DRAIN_SECONDS)
                seen.acknowledged = sum(outage.acknowledged.values())
                seen.wrong = len(await outage.wrong())
                seen.connections_after = await _ask(server, CONNECTIONS)
    finally:
        await asyncio.to_thread(server.remove)
    return seen


async def _away(server: OwnPostgres, outage: Outage, seen: Seen, seconds: float) -> None:
    await asyncio.to_thread(server.stop)
    before, began = sum(outage.acknowledged.values()), CLOCK.monotonic()
    while (left := seconds - (CLOCK.monotonic() - began)) > 0:
        await CLOCK.sleep(min(30.0, left))
        tell(f"{outage.store.backlog().spool_records} records wait, {left:.0f} s left")
    seen.acknowledged_meanwhile = sum(outage.acknowledged.values()) - before
    seen.waiting_max = outage.store.backlog().spool_records
    await asyncio.to_thread(server.start)


async def _cuts() -> tuple[int, int, int]:
    server = await asyncio.to_thread(_own_server)
    try:
        with empty_folder("cuts") as folder:
            return await _cut(server, folder)
    finally:
        await asyncio.to_thread(server.remove)


async def _cut(server: OwnPostgres, folder: Path) -> tuple[int, int, int]:
    proxy = CuttingProxy(server.url)
    async with proxy as through:
        store = durably(open_store(through), folder / "spool", CLOCK)
        await store.open()
        for number in range(1, CUTS + 1):
            proxy.is_cutting = True
            await store.save(full_batch("AB1", first=number, balls=1))
            proxy.is_cutting = False
            async with CLOCK.timeout(DRAIN_SECONDS):
                while not await store.recover():
                    await CLOCK.sleep(0.05)
            if number % 200 == 0:
                tell(f"{number} cuts")
        await store.close()
    rows = await _ask(server, "SELECT count(*) FROM match_events")
    return proxy.cuts, rows, await _ask(server, "SELECT count(*) FROM deliveries")
