"""Scrapers that write all the time, and a database that goes away under them: who was acknowledged what, what came."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from longstop.clock import SystemClock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.contract import Store
from longstop.store.durable import DurableOptions, DurableStore
from longstop.store.durably import DurabilityLimits, durably
from longstop.supervise.service import Stop
from longstop.supervise.store_recovery import StoreRecovery
from tests.contract.store.samples import full_batch

CLOCK = SystemClock()
BACK_SECONDS = 60.0


class Outage:
    """`acknowledged`: by match, the last event. Each writer counts on only when its write held."""

    def __init__(self, store: DurableStore) -> None:
        self.store = store
        self.acknowledged: dict[str, int] = {}
        self.refusals = 0
        self.recovered: list[signals.StoreRecovered] = []
        store.bus.subscribe(signals.StoreRecovered, self.recovered.append)
        self._is_over = False

    async def write(self, key: str, pause_seconds: float) -> None:
        number = 0
        while not self._is_over:
            await self.store.save(full_batch(key, first=number + 1, balls=1))
            number += 1
            self.acknowledged[f"crex_{key}"] = number
            await CLOCK.sleep(pause_seconds)

    def end_writing(self) -> None:
        self._is_over = True

    async def caught_up(self, within_seconds: float = BACK_SECONDS) -> float:
        """Seconds until the database had everything."""
        began = CLOCK.monotonic()
        async with CLOCK.timeout(within_seconds):
            while not self.store.is_caught_up:
                await CLOCK.sleep(0.02)
        return CLOCK.monotonic() - began

    async def wrong(self) -> list[str]:
        """The matches of which the database has not exactly what was acknowledged."""
        found = {match_id: await self.store.ledger(match_id) for match_id in self.acknowledged}
        return [
            match_id
            for match_id, last in self.acknowledged.items()
            if found[match_id].last_seq != last or len(found[match_id].deliveries) != last
        ]


@asynccontextmanager
async def writing(
    inner: Store, folder: Path, matches: int, pause_seconds: float = 0.02, options: DurableOptions = DurableOptions()
) -> AsyncIterator[Outage]:
    """Recovery runs beside the writers, as in an instance."""
    store = durably(inner, folder, CLOCK, DurabilityLimits(durable=options))
    store.bus = Signals()
    await store.open()
    outage, stop = Outage(store), Stop(CLOCK)
    recovery = asyncio.create_task(StoreRecovery(store, CLOCK, store.bus, random.Random(1)).run(stop))
    writers = [asyncio.create_task(outage.write(f"M{number}", pause_seconds)) for number in range(matches)]
    try:
        yield outage
    finally:
        outage.end_writing()
        stop.ask("done")
        await asyncio.gather(recovery, *writers)
        await store.close()
