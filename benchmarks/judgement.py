"""Holds a database that an engine left behind against what its origin knows to be true."""

from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from benchmarks.processes import post_json
from longstop.serve.account import account_of
from longstop.store.sqlite import SqliteStore


async def compared(database: Path, origin_url: str) -> dict[str, Any]:
    """The oracle's verdict. The world should stand still, and the engine be ended."""
    accounts = await accounts_of(database)
    async with aiohttp.ClientSession() as session:
        return dict(await post_json(session, f"{origin_url}/_origin/compare", msgspec.json.encode(accounts)))


async def accounts_of(database: Path) -> dict[str, Any]:
    store = SqliteStore(database)
    await store.open()
    try:
        rows = await store.matches()
        return {row.ref.key: await account_of(store, row.ref.match_id) for row in rows}
    finally:
        await store.close()
