"""A store that acknowledges although the database is away, and means it.

While the database answers, every call goes straight to it. Once it does not, or while anything older still waits, what
is critical goes to the spool and is acknowledged when it is synced; the rest waits in memory. What waits is brought in
its order when the database answers again. Rows have natural keys, so what may have been written already is brought
once more without harm.

    save ─┬─ the database answers, nothing waits ────────────────▶ database
          └─ else ─┬─ critical ─▶ spool ─┐                            ▲
                   └─ the rest ─▶ buffer ┴─ catch-up, oldest first ───┘
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from enum import Enum

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import (
    RecordRefusedError,
    SpoolFullError,
    StoreClosedError,
    StoreError,
    StoreUnavailableError,
    WritingOverError,
)
from longstop.domain.scraper_state import ScraperState
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.backlog import divided, is_empty, packed, packed_captures
from longstop.store.buffer import Buffer
from longstop.store.catch_up import CatchUp
from longstop.store.contract import Capture, LedgerPage, Store, WriteBatch
from longstop.store.deadline import within
from longstop.store.passed_reads import PassedReads
from longstop.store.spool_desk import SpoolDesk
from longstop.store.wal_watch import WalWatch

LEVELS_PERCENT = (50.0, 80.0, 95.0, 100.0)


class _Life(Enum):
    NEW = "was not opened"
    OPEN = "is open"
    CLOSED = "is closed"


class DurableOptions(msgspec.Struct, frozen=True):
    """`save_seconds`: longer than this nobody waits for the database before the spool is asked. `catch_up_seconds`: nor
    for what is to be brought before he may read."""

    save_seconds: float = 2.0
    catch_up_seconds: float = 10.0
    ping_seconds: float = 2.0
    close_seconds: float = 5.0
    retry_seconds_min: float = 1.0
    levels_percent: tuple[float, ...] = LEVELS_PERCENT
    wal_bytes_max: int = 64 * 2**20


class DurableStore(PassedReads):
    """`bus` may be set later by whoever joins the parts, before `open`."""

    def __init__(
        self,
        inner: Store,
        desk: SpoolDesk,
        buffer: Buffer,
        clock: Clock,
        bus: Signals | None = None,
        options: DurableOptions = DurableOptions(),
    ) -> None:
        self.bus = bus or Signals()
        self._inner = inner
        self._desk = desk
        self._buffer = buffer
        self._clock = clock
        self._options = options
        self._bringing = CatchUp(inner, desk, buffer, clock, self._tell_set_aside, self._tell_dropped)
        self._wal = WalWatch(inner, options.wal_bytes_max, clock)
        self._life = _Life.NEW
        self._lost_at: float | None = None
        self._level = 0.0
        self._attempt: asyncio.Task[bool] | None = None
        self._attempted_at = float("-inf")
        self._damaged = 0
        self._broken = asyncio.Event()
        self._breakage: WritingOverError | None = None

    @property
    def is_away(self) -> bool:
        return self._lost_at is not None

    @property
    def is_caught_up(self) -> bool:
        """The database has all there is."""
        return self._lost_at is None and not self._desk.waiting and not self._buffer

    async def broken(self) -> WritingOverError:
        """Waits for the day on which a sync fails, of the spool or of the database, or another process has taken over;
        then this one has to end."""
        await self._broken.wait()
        return self._breakage or WritingOverError("Nothing may be written any more.")

    # ---- life ----

    async def open(self) -> None:
        """What the process before has left is brought before anything is read."""
        if self._life is not _Life.NEW:
            raise StoreClosedError(f"The store {self._life.value}.", hint="A store is opened once; make another one.")
        async with AsyncExitStack() as undo:
            undo.push_async_callback(self._desk.close)
            recovery = await self._desk.open()
            if recovery.records or recovery.damaged or recovery.torn_bytes:
                self._emit_recovery(recovery.records, recovery.damaged, recovery.torn_bytes)
            self._damaged = self._desk.usage.damaged
            await self._inner.open()
            undo.push_async_callback(self._inner.close)
            self._life = _Life.OPEN
            self._watch_level()
            if self._desk.waiting:
                await self.recover()
            undo.pop_all()

    async def close(self) -> None:
        """What waits in the spool then, waits for the next start; what waits in memory is told and gone."""
        was, self._life = self._life, _Life.CLOSED
        if was is _Life.OPEN and (self._desk.waiting or self._buffer) and self._breakage is None:
            await self._bring_last()
        if self._buffer:
            self._tell_dropped(len(self._buffer.take(len(self._buffer))), "stopped")
        try:
            await self._inner.close()
        finally:
            await self._desk.close()

    async def _bring_last(self) -> None:
        """One attempt, which ends before the store does: two at a time would take the records from each other."""
        with suppress(TimeoutError, WritingOverError):
            async with self._clock.timeout(self._options.close_seconds):
                await self.recover()
        if self._attempt is not None:
            self._attempt.cancel()
            await asyncio.wait([self._attempt])

    # ---- writing ----

    async def save(self, batch: WriteBatch) -> None:
        self._require_open()
        if not is_empty(batch) and not await self._is_taken(lambda: self._inner.save(batch)):
            await self._put_by(batch)

    async def keep(self, captures: Sequence[Capture]) -> None:
        self._require_open()
        if captures and not await self._is_taken(lambda: self._inner.keep(captures)):
            size = sum(len(capture.body) for capture in captures)
            await self._spool(await self._desk.aside(size, lambda: packed_captures(captures)))

    async def _is_taken(self, write: Callable[[], Awaitable[None]]) -> bool:
        """By the database, unless it is away or something older waits for it."""
        if self._lost_at is not None or self._desk.waiting:
            return False
        try:
            await within(self._clock, self._options.save_seconds, write())
        except (RecordRefusedError, StoreClosedError):
            raise
        except WritingOverError as error:
            self._note_broken(error)
            raise
        except StoreError as error:
            self._note_lost(error)
            return False
        return True

    async def _put_by(self, batch: WriteBatch) -> None:
        critical, rest = divided(batch)
        if not is_empty(critical):
            await self._spool(packed(critical, self._clock.now()))
        if not is_empty(rest):
            self._tell_dropped(self._buffer.add(rest), "no room")

    async def _spool(self, payload: bytes) -> None:
        try:
            await self._desk.append(payload)
        except WritingOverError as error:
            self._note_broken(error)
            raise
        except SpoolFullError:
            self._reach(100.0)
            raise
        self._watch_level()

    def _note_broken(self, error: WritingOverError) -> None:
        if self._breakage is None:
            self._breakage = error
            self._broken.set()
            self._emit_trouble("CRITICAL", error, "write")

    def _note_lost(self, error: StoreError) -> None:
        if self._lost_at is None:
            self._lost_at = self._clock.monotonic()
            self.bus.emit(signals.StoreLost(at=self._clock.now(), reason=error.message, hint=error.hint))

    # ---- recovering ----

    async def recover(self) -> bool:
        """Asks whether the database is back, and brings it what waits. Many may ask at once; one attempt is made."""
        if self._attempt is None:
            self._attempt = asyncio.create_task(self._attempted(), name="store recovery")
            self._attempt.add_done_callback(self._forget_attempt)
        attempt = self._attempt
        await asyncio.wait((attempt,))
        # One that was lost came to nothing; that is no reason for whoever waited for it to end as well.
        return not attempt.cancelled() and attempt.result()

    def _forget_attempt(self, task: "asyncio.Task[bool]") -> None:
        """Also looks at the outcome, since the one who asked may be gone."""
        self._attempt = None
        if not task.cancelled():
            task.exception()

    async def _attempted(self) -> bool:
        self._attempted_at = self._clock.monotonic()
        try:
            await within(self._clock, self._options.ping_seconds, self._inner.ping())
            brought = await self._bringing.bring()
        except WritingOverError as error:
            self._note_broken(error)
            raise
        except StoreClosedError:
            raise
        except StoreError as error:
            self._note_lost(error)
            return False
        finally:
            self._note_damage()
        self._watch_level()
        self._note_found(brought)
        return True

    def _note_damage(self) -> None:
        """What was whole when the spool was opened and is not any more: it was acknowledged, and is gone."""
        found, self._damaged = self._desk.usage.damaged - self._damaged, self._desk.usage.damaged
        if found:
            self._emit_recovery(0, found, 0)

    def _note_found(self, brought: int) -> None:
        down_seconds, was_lost, self._lost_at = self._down_seconds, self.is_away, None
        if was_lost or brought:
            found = signals.StoreRecovered(at=self._clock.now(), down_seconds=down_seconds, records=brought)
            self.bus.emit(found)

    @property
    def _down_seconds(self) -> float:
        return 0.0 if self._lost_at is None else self._clock.monotonic() - self._lost_at

    async def _catch_up(self) -> None:
        """Whoever asks what was acknowledged must not be told less."""
        if not self._desk.waiting:
            return
        is_due = self._clock.monotonic() - self._attempted_at >= self._options.retry_seconds_min
        if not (self._attempt is not None or is_due) or not await self._is_brought_in_time():
            raise StoreUnavailableError(f"{self._desk.waiting} records wait in the spool for the database.")

    async def _is_brought_in_time(self) -> bool:
        """A slow database takes long for much, and more comes meanwhile. The attempt goes on without whoever asked."""
        with suppress(TimeoutError):
            async with self._clock.timeout(self._options.catch_up_seconds):
                return await self.recover()
        return False

    # ---- telling ----

    def backlog(self) -> signals.BacklogMeasured:
        usage, now = self._desk.usage, self._clock.now()
        oldest = 0.0 if usage.oldest_millis is None else now.timestamp() - usage.oldest_millis / 1000
        return signals.BacklogMeasured(
            at=now,
            spool_records=self._desk.waiting,
            spool_bytes=usage.bytes,
            spool_bytes_max=usage.max_bytes,
            oldest_seconds=max(0.0, oldest),
            quarantined=usage.quarantined,
            buffered=len(self._buffer),
            buffered_bytes=self._buffer.bytes,
            down_seconds=self._down_seconds,
        )

    def watch_wal(self) -> None:
        self._wal.look(self.bus)

    def _watch_level(self) -> None:
        percent = self._desk.usage.percent
        level = max((each for each in self._options.levels_percent if percent >= each), default=0.0)
        if level > self._level:
            self._reach(level)
        self._level = level

    def _reach(self, level: float) -> None:
        if level > self._level:
            usage = self._desk.usage
            self._level = level
            self.bus.emit(
                signals.SpoolFilled(
                    at=self._clock.now(), level_percent=level, bytes=usage.bytes, bytes_max=usage.max_bytes
                )
            )

    def _tell_dropped(self, items: int, reason: str) -> None:
        if items:
            self.bus.emit(
                signals.WritesDropped(at=self._clock.now(), items=items, total=self._buffer.dropped, reason=reason)
            )

    def _tell_set_aside(self, sequence: int, error: StoreError) -> None:
        self._emit_trouble("CRITICAL", error, f"spool record {sequence} was refused and set aside")

    def _emit_trouble(self, severity: str, error: StoreError, operation: str) -> None:
        self.bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity=severity,
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation=operation,
            )
        )

    def _emit_recovery(self, records: int, damaged: int, torn_bytes: int) -> None:
        self.bus.emit(signals.SpoolFound(at=self._clock.now(), records=records, damaged=damaged, torn_bytes=torn_bytes))

    def _require_open(self) -> None:
        if self._life is not _Life.OPEN:
            raise StoreClosedError(f"The store {self._life.value}.")

    # ---- reading: the database is asked, and only it ----

    async def ledger(self, match_id: str) -> LedgerPage:
        await self._catch_up()
        return await self._inner.ledger(match_id)

    async def states(self, match_ids: Sequence[str]) -> dict[str, ScraperState]:
        await self._catch_up()
        return await self._inner.states(match_ids)
