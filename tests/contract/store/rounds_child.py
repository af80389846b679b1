"""A process that stores a round of three matches, to be killed on the way by `make proof-rounds`."""

import asyncio
import sys
from datetime import datetime
from pathlib import Path

from longstop.store.rounds.journal import RoundJournal
from longstop.store.sqlite import SqliteOptions, SqliteStore
from tests.contract.store.round_samples import NOW, job, listing, match, taker

MATCHES = 3


async def prepared(path: Path) -> None:
    """A database in which the round was asked for."""
    store = SqliteStore(path, options=SqliteOptions(inline=True))
    await store.open()
    await RoundJournal(store).ask(job())
    await store.close()


async def lived(path: Path, now: datetime) -> None:
    """Lists and stores whatever is left of it. A lease that another life left behind is over by `now`."""
    store = SqliteStore(path, options=SqliteOptions(inline=True))
    await store.open()
    journal = RoundJournal(store)
    for lease in await journal.take_jobs("brasileirao", taker(at=now)):
        await journal.list_round(lease, [listing(f"m{number}") for number in range(MATCHES)], now)
    for lease in await journal.take("brasileirao", taker(at=now)):
        assert lease.task is not None
        await journal.finish(lease, match(lease.task.key), now)
    await store.close()


if __name__ == "__main__":
    asyncio.run(lived(Path(sys.argv[1]), NOW))
    sys.stdout.write("closed\n")
