"""The control of the experiment: a match fails; does its source answer anybody?

When it does, the fault is the match's and the match may rest. When it does not, no match is to blame: each goes on
asking at its slowed pace, and is back as soon as the source is. A match that its source denies is held against the
source's own list in the same way.
"""

import asyncio

from longstop.clock import Clock
from longstop.domain.errors import FetchError, PayloadError
from longstop.domain.match import MatchRef, MatchStatus
from longstop.fetch.snapshot import Fetcher, Snapshot
from longstop.sources.contract import Source

# A thousand matches that fail in one moment ask once.
REMEMBERED_SECONDS = 5.0


class SourceControl:
    def __init__(self, source: Source, fetcher: Fetcher, clock: Clock) -> None:
        self._source = source
        self._fetcher = fetcher
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._asked_at: float | None = None
        self._answer: Snapshot | None = None

    async def is_answering(self) -> bool:
        return await self._list() is not None

    async def lists_as_live(self, ref: MatchRef) -> bool | None:
        """None when the list cannot be had or read: then it says nothing about anybody."""
        snapshot = await self._list()
        if snapshot is None:
            return None
        try:
            listings = self._source.parse_list(snapshot)
        except PayloadError:
            return None
        return any(each.ref.key == ref.key and each.status is MatchStatus.LIVE for each in listings)

    async def _list(self) -> Snapshot | None:
        async with self._one_at_a_time:
            now = self._clock.monotonic()
            if self._asked_at is None or now - self._asked_at > REMEMBERED_SECONDS:
                self._answer = await self._ask()
                self._asked_at = self._clock.monotonic()
            return self._answer

    async def _ask(self) -> Snapshot | None:
        try:
            return await self._fetcher.fetch(self._source.list_matches())
        except FetchError:
            return None
