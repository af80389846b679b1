"""Two ways to keep the same matches: Longstop's own pipeline, and the barest loop that could be called a scraper.

Both run in one process on one loop, with the same number of connections, against the same origin in another process.
"""

import asyncio
import sqlite3
from collections import Counter
from pathlib import Path

import aiohttp
import msgspec

from benchmarks.figures import ProofError
from longstop.clock import SystemClock
from longstop.domain.match import MatchStatus
from longstop.fetch.http import HttpFetcher
from longstop.fetch.politeness import PoliteFetcher
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe.health import Board
from longstop.observe.metrics import Metrics
from longstop.observe.report import RunReport
from longstop.observe.signals import Signals
from longstop.pipeline import Pipeline
from longstop.sources.registry import create
from longstop.store.sqlite import SqliteStore
from longstop.watch import Watch

WARM_UP_POLLS_MAX = 60
# What the writer's thread still does after it has answered (a checkpoint) belongs to the poll before.
DRAIN_SECONDS = 0.02


class OwnLoop:
    """Fetch, parse, check, ledger, store, and everything in the engine that listens; no scheduler, no API."""

    def __init__(self, url: str, database: Path) -> None:
        self._clock = SystemClock()
        self._source = create("crex", url)
        self._fetcher = PoliteFetcher(
            HttpFetcher(self._clock), self._clock, max_concurrent=self._source.manifest.max_concurrent
        )
        self._store = SqliteStore(database, clock=self._clock)
        self._pipeline = Pipeline(self._source, self._fetcher, self._store, self._clock, self._bus())
        self._watches: list[Watch] = []

    @property
    def connections(self) -> int:
        return self._source.manifest.max_concurrent

    @property
    def keys(self) -> list[str]:
        return [watch.ref.key for watch in self._watches]

    async def open(self) -> None:
        await self._store.open()
        listings = self._source.parse_list(await self._fetcher.fetch(self._source.list_matches()))
        live = [listing for listing in listings if listing.status is MatchStatus.LIVE]
        now = self._clock.now()
        self._watches = [Watch(each, f"bench-{each.ref.key}", now, LedgerLimits()) for each in live]
        await self._warm_up()

    async def poll(self) -> Counter[str]:
        """Each match once; says how many of the polls ended how."""
        outcomes = await asyncio.gather(*(self._pipeline.poll(watch) for watch in self._watches))
        await asyncio.sleep(DRAIN_SECONDS)
        return Counter(outcome.kind.value for outcome in outcomes)

    async def close(self) -> None:
        await self._fetcher.close()
        await self._store.close()

    async def _warm_up(self) -> None:
        """What was bowled before we came is read first; it is no part of a poll."""
        for _ in range(WARM_UP_POLLS_MAX):
            await self.poll()
            if all(watch.has_ledger and watch.ledger.is_whole for watch in self._watches):
                return
        raise ProofError("the matches did not become whole during the warm-up")

    def _bus(self) -> Signals:
        bus = Signals()
        for listener in (Board(self._clock.now()), RunReport(), Metrics()):
            listener.subscribe(bus)
        return bus


class BareLoop:
    """GET, decode, one batched insert. It knows nothing, checks nothing and keeps the latest body of each match."""

    def __init__(self, url: str, database: Path, connections: int) -> None:
        self._url = url
        self._connections = connections
        self._database = sqlite3.connect(database, isolation_level=None)
        self._session: aiohttp.ClientSession | None = None
        self._keys: list[str] = []

    async def open(self, keys: list[str]) -> None:
        self._keys = keys
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=self._connections))
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=FULL")
        self._database.execute("CREATE TABLE states (key TEXT PRIMARY KEY, at INTEGER, score TEXT, body BLOB)")

    async def poll(self) -> Counter[str]:
        bodies = await asyncio.gather(*(self._get(key) for key in self._keys))
        rows = [self._row(key, body) for key, body in zip(self._keys, bodies, strict=True)]
        self._database.execute("BEGIN")
        self._database.executemany("INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)", rows)
        self._database.execute("COMMIT")
        await asyncio.sleep(DRAIN_SECONDS)
        return Counter(kept=len(rows))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        self._database.close()

    async def _get(self, key: str) -> bytes:
        assert self._session is not None
        async with self._session.get(f"{self._url}/api/v3/getSV3?key={key}") as response:
            return await response.read()

    @staticmethod
    def _row(key: str, body: bytes) -> tuple[str, int, str, bytes]:
        state = msgspec.json.decode(body)
        return key, state["ts"], f"{state['j']} {state['k']}", body
