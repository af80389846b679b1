"""A process that writes and says what was acknowledged, until it is killed. Run by test_sqlite_file.py."""

import asyncio
import sys
from itertools import count
from pathlib import Path

from longstop.store.sqlite import SqliteStore
from tests.contract.store.samples import full_batch


async def write_for_ever(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()

    async def writer(name: str) -> None:
        for number in count(1):
            await store.save(full_batch(name, first=number, balls=1))
            sys.stdout.write(f"{name} {number}\n")
            sys.stdout.flush()

    await asyncio.gather(*(writer(f"M{number}") for number in range(5)))


if __name__ == "__main__":
    asyncio.run(write_for_ever(Path(sys.argv[1])))
