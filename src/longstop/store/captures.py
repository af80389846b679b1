"""The shelf of raw payloads: the same for every database, but for how rows are written and steps are walked."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

from longstop.store.capture_queries import capture_queries, pruning
from longstop.store.capture_rows import captures_from
from longstop.store.cells import zoned
from longstop.store.contract import Capture
from longstop.store.football_reads import StoreFootball
from longstop.store.reads import valid_count, valid_text
from longstop.store.scripts import Script, StoreScripts
from longstop.store.writes import Part, prepare_captures

T = TypeVar("T")

_EVER: Final = datetime.min.replace(tzinfo=UTC)
_FOREVER: Final = datetime.max.replace(tzinfo=UTC)
# Packing so much takes a fraction of a millisecond; more of it goes to a thread, past the loop.
_AT_ONCE_BYTES: Final = 1 << 15
_STEPS_MAX: Final = 100_000


class StoreCaptures(StoreFootball, StoreScripts, ABC):
    _has_threads: bool

    @abstractmethod
    def _require_open(self) -> None: ...

    @abstractmethod
    async def _write(self, parts: Sequence[Part]) -> None:
        """In one transaction."""

    @abstractmethod
    async def _walk(self, steps: Script[T]) -> T:
        """In one transaction."""

    async def keep(self, captures: Sequence[Capture]) -> None:
        self._require_open()
        size = sum(len(capture.body) for capture in captures)
        parts = await self._aside(size, lambda: prepare_captures(captures, self._write_moment))
        if parts:
            await self._write(parts)

    async def captures(self, match_id: str, *, after: datetime | None = None, limit: int = 100) -> Sequence[Capture]:
        arguments = {
            "match_id": valid_text(match_id),
            "after": self._write_moment(_EVER if after is None else zoned(after)),
            "others": valid_count(limit) - 1,
            "forever": self._write_moment(_FOREVER),
        }
        if limit < 1:
            return []
        rows = (await self._ask((capture_queries().page, arguments)))[0]
        return await self._aside(sum(row[-2] for row in rows), lambda: captures_from(rows, self._read_moment))

    async def prune_captures(self, bytes_max: int, older_than: datetime | None = None) -> int:
        """Step by step, so that whoever writes comes in between."""
        self._require_open()
        until = None if older_than is None else zoned(older_than)
        removed = 0
        for _ in range(_STEPS_MAX):
            gone = await self._walk(pruning(bytes_max, until, self._write_moment))
            if not gone:
                break
            removed += gone
        return removed

    async def _aside(self, size_bytes: int, work: Callable[[], T]) -> T:
        if size_bytes <= _AT_ONCE_BYTES or not self._has_threads:
            return work()
        return await asyncio.to_thread(work)
