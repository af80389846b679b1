"""A database in another process: it outlives the one that writes to it, and what was sent to it may happen without it.

The rows are kept by the real store, inline and in memory. In between lies a way that takes time and may break: before
the database has done what it was asked, or after.
"""

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from random import Random
from typing import Any, Protocol, TypeVar, cast

from longstop.clock import Clock
from longstop.domain.errors import StoreClosedError, StoreError, StoreUnavailableError
from longstop.domain.scraper_state import ScraperState
from longstop.store.contract import Capture, LedgerPage, WriteBatch
from longstop.store.passed_reads import PassedReads
from longstop.store.sqlite import SqliteStore
from longstop_origin.storm.plan import DATABASE, Plan, Spell
from longstop_origin.storm.timeline import Timeline, TrueClock

ResultT = TypeVar("ResultT")
Work = Callable[[], Coroutine[Any, Any, ResultT]]

USUAL_SECONDS = (0.001, 0.02)
SLOW_SECONDS = (0.5, 6.0)
BUSY_SECONDS = (0.2, 5.0)
# The real ones give up on an answer by themselves too.
ANSWER_SECONDS = 10.0
AWAY = ("down", "restart", "failover")


class Call:
    """A write on its way to the database, or done."""

    def __init__(self, work: Work[None], due: float, survives: bool) -> None:
        self.work = work
        self.due = due
        self.survives = survives
        self.is_done = False
        self.error: StoreError | None = None


class Watcher(Protocol):
    """Is told of everything that has become durable."""

    def commit(self, batch: WriteBatch) -> None: ...

    def keep(self, captures: Sequence[Capture]) -> None: ...


class Server:
    def __init__(self, timeline: Timeline, plan: Plan, watcher: Watcher) -> None:
        self.chance = Random(f"{plan.seed}:{DATABASE}:calls")
        self.rows = SqliteStore(None, clock=TrueClock(timeline))
        self._timeline = timeline
        self._plan = plan
        self._watcher = watcher
        self._calls: list[Call] = []
        self.saves = 0
        inline(self.rows.open())

    @property
    def trouble(self) -> Spell | None:
        found = self._plan.spell(DATABASE, self._timeline.seconds)
        return found if found is not None and self.chance.random() < found.share else None

    def saving(self, batch: WriteBatch) -> Work[None]:
        async def save() -> None:
            self.saves += _is_of_a_match(batch)
            await self.rows.save(batch)
            self._watcher.commit(batch)

        return save

    def keeping(self, captures: Sequence[Capture]) -> Work[None]:
        async def keep() -> None:
            await self.rows.keep(captures)
            self._watcher.keep(captures)

        return keep

    def begin(self, work: Work[None], seconds: float) -> Call:
        call = Call(work, self._timeline.seconds + seconds, self.chance.random() < 0.5)
        self._calls.append(call)
        return call

    def settle(self, until: float = 0.0) -> None:
        """Does what has come in by now, in its order. Timers may ring a tick early: whose answer is there has come."""
        now = max(until, self._timeline.seconds)
        due = [call for call in self._calls if call.due <= now]
        self._calls = [call for call in self._calls if call.due > now]
        for call in sorted(due, key=lambda each: each.due):
            self._do(call)

    def forget(self, call: Call) -> None:
        """Whoever asked is gone: some of what was on its way is still done."""
        if not call.survives and call in self._calls:
            self._calls.remove(call)

    def hang_up(self) -> None:
        """The process has ended."""
        self.settle()
        self._calls = [call for call in self._calls if call.survives]

    def drop_all(self) -> None:
        self._calls.clear()

    def close(self) -> None:
        inline(self.rows.close())

    def _do(self, call: Call) -> None:
        call.is_done = True
        try:
            inline(call.work())
        except StoreError as error:
            call.error = error


class Client(PassedReads):
    """The store as one life of the process has it; its reads are made by the same way as its writes."""

    def __init__(self, server: Server, clock: Clock) -> None:
        self._server = server
        self._clock = clock
        self._inner = _Reads(server.rows, self._read)
        self._is_open = False

    async def open(self) -> None:
        await self._travel()
        self._is_open = True

    async def close(self) -> None:
        self._is_open = False

    async def save(self, batch: WriteBatch) -> None:
        await self._write(self._server.saving(batch))

    async def keep(self, captures: Sequence[Capture]) -> None:
        await self._write(self._server.keeping(captures))

    async def prune_captures(self, bytes_max: int, older_than: datetime | None = None) -> int:
        return await self._read(lambda: self._server.rows.prune_captures(bytes_max, older_than))

    async def ledger(self, match_id: str) -> LedgerPage:
        return await self._read(lambda: self._server.rows.ledger(match_id))

    async def states(self, match_ids: Sequence[str]) -> dict[str, ScraperState]:
        return await self._read(lambda: self._server.rows.states(match_ids))

    async def ping(self) -> float:
        return await self._read(self._server.rows.ping)

    async def _read(self, work: Work[ResultT]) -> ResultT:
        self._require_open()
        await self._travel()
        self._server.settle()
        return inline(work())

    async def _write(self, work: Work[None]) -> None:
        self._require_open()
        trouble = self._server.trouble
        seconds = await self._approach(trouble)
        call = self._server.begin(work, seconds)
        if trouble is not None and trouble.kind == "unknown" and self._server.chance.random() < 0.5:
            self._server.forget(call)
        is_awaited = False
        try:
            await self._clock.sleep(seconds)
            is_awaited = True
        finally:
            if not is_awaited:
                self._server.forget(call)
        self._server.settle(call.due)
        if trouble is not None and trouble.kind == "unknown":
            raise StoreUnavailableError("The connection broke while the database answered.")
        if not call.is_done:
            raise StoreUnavailableError("The database went away.")
        if call.error is not None:
            raise call.error

    async def _travel(self) -> None:
        """There and back again."""
        await self._clock.sleep(await self._approach(self._server.trouble))

    async def _approach(self, trouble: Spell | None) -> float:
        """How long the call takes; raises when it does not come through at all."""
        chance = self._server.chance
        kind = trouble.kind if trouble is not None else ""
        if kind in AWAY:
            self._server.drop_all()
            await self._clock.sleep(chance.uniform(*USUAL_SECONDS))
            raise StoreUnavailableError(f"The database is away ({kind}).")
        if kind == "hanging":
            await self._clock.sleep(ANSWER_SECONDS)
            raise StoreUnavailableError("The database did not answer.")
        if kind == "busy":
            await self._clock.sleep(chance.uniform(*BUSY_SECONDS))
            if chance.random() < 0.5:
                raise StoreUnavailableError("The database is locked.")
        return chance.uniform(*(SLOW_SECONDS if kind == "slow" else USUAL_SECONDS))

    def _require_open(self) -> None:
        if not self._is_open:
            raise StoreClosedError("The store is closed.")


def _is_of_a_match(batch: WriteBatch) -> bool:
    """Whether it may change what is kept of the play."""
    return bool(batch.live or batch.deliveries or batch.innings or batch.events or batch.gaps)


class _Reads:
    """Every read of the store behind it, made by the way that is handed in."""

    def __init__(self, rows: SqliteStore, read: Callable[[Work[Any]], Coroutine[Any, Any, Any]]) -> None:
        self._rows = rows
        self._read = read

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._rows, name)
        return lambda *args, **words: self._read(lambda: method(*args, **words))


def inline(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Runs to its end what never waits."""
    try:
        work.send(None)
    except StopIteration as ended:
        return cast(ResultT, ended.value)
    raise RuntimeError("an inline store waited for something")
