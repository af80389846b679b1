"""A process that writes to a SQLite store of a current schema and says what it was acknowledged, until it is killed.

python -m tests.contract.store.journal_child DATABASE
"""

import asyncio
import os
import sys
from pathlib import Path

from longstop.store.sqlite import SqliteOptions, SqliteStore
from tests.contract.store.samples import full_batch

BATCHES = 6


async def main(database: Path) -> None:
    store = SqliteStore(database, options=SqliteOptions(inline=True))
    await store.open()
    for number in range(1, BATCHES + 1):
        await store.save(full_batch("AB1", first=number, balls=1))
        os.write(1, f"acknowledged {number}\n".encode())
    os.write(1, b"whole 0\n")
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
