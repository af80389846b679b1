"""Stand-ins for what lies outside: a site that answers as told, and a store whose writes fail as told."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import FetchError, StoreUnavailableError
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.store.contract import Capture, LedgerPage, WriteBatch
from longstop.store.sqlite import SqliteStore

Answer = Any
DOWN = StoreUnavailableError("The database is down.")


class ScriptedFetcher:
    """Answers by purpose: with content as JSON, with bytes as they are, or with the error that it is given."""

    def __init__(self, clock: Clock, answers: dict[str, Answer] | None = None) -> None:
        self.answers: dict[str, Answer] = answers or {}
        self.asked: list[FetchRequest] = []
        self._clock = clock

    def asked_for(self, purpose: str) -> list[FetchRequest]:
        return [request for request in self.asked if request.purpose == purpose]

    async def fetch(self, request: FetchRequest) -> Snapshot:
        self.asked.append(request)
        await self._clock.sleep(0.05)
        answer = self.answers[request.purpose]
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, FetchError):
            raise answer
        body = answer if isinstance(answer, bytes) else msgspec.json.encode(answer)
        now = self._clock.now()
        return Snapshot(request, 200, body, now, now)

    async def close(self) -> None:
        """There is nothing to close."""


class ShakyStore(SqliteStore):
    """The real store in memory. `before` and `after` a write may raise: then nothing of it held, or all did."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(None, clock=clock)
        self.saved: list[WriteBatch] = []
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[], None] = lambda: None
        self.reading: Callable[[], None] = lambda: None
        self.keeping: Callable[[], None] = lambda: None
        self.ledgers_read = 0

    async def save(self, batch: WriteBatch) -> None:
        self.before()
        await super().save(batch)
        self.saved.append(batch)
        self.after()

    async def keep(self, captures: Sequence[Capture]) -> None:
        self.keeping()
        await super().keep(captures)

    async def ledger(self, match_id: str) -> LedgerPage:
        self.reading()
        self.ledgers_read += 1
        return await super().ledger(match_id)

    async def names(self, source: str) -> Any:
        self.reading()
        return await super().names(source)


def failing_times(count: int) -> Callable[[], None]:
    """Raises so many times, then never again."""
    left = [count]

    def fail() -> None:
        if left[0] > 0:
            left[0] -= 1
            raise DOWN

    return fail
