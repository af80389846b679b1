"""The spool for many who wait: one thread writes, and whoever came while it synced is synced together next time.

Inline there is no thread and everything happens on the caller's stack, for loops that run on virtual time.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import msgspec

from longstop.clock import Clock, to_millis
from longstop.domain.errors import LongstopError, SpoolFullError, StoreClosedError, StoreUnavailableError
from longstop.store.spool import Spool, SpoolUsage
from longstop.store.spool_frames import Frame
from longstop.store.spool_recovery import Recovery

ResultT = TypeVar("ResultT")

# Packing so much takes a millisecond.
_AT_ONCE_BYTES: Final = 1 << 15


class DeskOptions(msgspec.Struct, frozen=True):
    inline: bool = False
    queue_max: int = 1000
    group_max: int = 256
    answer_seconds: float = 15.0


class _Job(msgspec.Struct, frozen=True, eq=False):
    payload: bytes
    written_millis: int
    done: "asyncio.Future[None]"


class SpoolDesk:
    def __init__(self, spool: Spool, clock: Clock, options: DeskOptions = DeskOptions()) -> None:
        self._spool = spool
        self._clock = clock
        self._options = options
        self._thread = None if options.inline else ThreadPoolExecutor(1, "longstop-spool")
        self._slots = asyncio.Semaphore(options.queue_max)
        self._jobs: deque[_Job] = deque()
        self._guard = threading.Lock()
        self._is_awake = False
        self._is_closed = False
        self._on_the_way = 0

    @property
    def usage(self) -> SpoolUsage:
        return self._spool.usage

    @property
    def waiting(self) -> int:
        """Records that are not yet durable elsewhere, those included that are being written just now."""
        return self._spool.usage.records + self._on_the_way

    async def open(self) -> Recovery:
        return await self._run(self._spool.open)

    async def append(self, payload: bytes) -> None:
        """Durable when it returns."""
        millis = to_millis(self._clock.now())
        self._on_the_way += 1
        try:
            if self._thread is None:
                self._require_open()
                self._spool.append((payload,), millis)
            else:
                await self._queue(self._thread, payload, millis)
        finally:
            self._on_the_way -= 1

    async def read(self, records_max: int, bytes_max: int) -> list[Frame]:
        return await self._run(lambda: self._spool.read(records_max, bytes_max))

    async def release(self, frame: Frame) -> None:
        await self._run(lambda: self._spool.release(frame))

    async def set_aside(self, frame: Frame) -> None:
        await self._run(lambda: self._spool.set_aside(frame))

    async def aside(self, size_bytes: int, work: Callable[[], ResultT]) -> ResultT:
        """What takes long to pack or to unpack is done past the loop, by the thread that writes it or has read it."""
        return work() if size_bytes <= _AT_ONCE_BYTES else await self._run(work)

    async def close(self) -> None:
        """Closing twice is legal."""
        if self._is_closed:
            return
        with self._guard:
            self._is_closed = True
        if self._thread is None:
            self._spool.close()
            return
        ended = self._thread.submit(self._end)
        self._thread.shutdown(wait=False)
        await asyncio.wrap_future(ended)

    # ---- the loop's side ----

    def _require_open(self) -> None:
        if self._is_closed:
            raise StoreClosedError("The spool is closed.")

    async def _run(self, work: Callable[[], ResultT]) -> ResultT:
        self._require_open()
        if self._thread is None:
            return work()
        async with self._in_time():
            return await asyncio.wrap_future(self._thread.submit(work))

    async def _queue(self, thread: ThreadPoolExecutor, payload: bytes, millis: int) -> None:
        async with self._in_time(), self._slots:
            self._require_open()
            job = _Job(payload, millis, asyncio.get_running_loop().create_future())
            with self._guard:
                self._jobs.append(job)
                if not self._is_awake:
                    self._is_awake = True
                    thread.submit(self._write_next, thread)
            await job.done

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        """A disk that does not answer must not hold up a poll for ever."""
        seconds = self._options.answer_seconds
        try:
            async with self._clock.timeout(seconds):
                yield
        except TimeoutError as error:
            raise StoreUnavailableError(f"The spool's disk did not answer within {seconds:g} s.") from error

    # ---- the thread's side ----

    def _write_next(self, thread: ThreadPoolExecutor) -> None:
        try:
            self._write(self._next_group())
        finally:
            with self._guard:
                self._is_awake = bool(self._jobs) and not self._is_closed
                if self._is_awake:
                    thread.submit(self._write_next, thread)

    def _end(self) -> None:
        try:
            while group := self._next_group():
                self._write(group)
        finally:
            self._spool.close()

    def _next_group(self) -> list[_Job]:
        with self._guard:
            return [self._jobs.popleft() for _ in range(min(len(self._jobs), self._options.group_max))]

    def _write(self, group: Sequence[_Job]) -> None:
        """One sync for all. Where there is no room for all of them, there may be for some."""
        verdict = self._try(group)
        if isinstance(verdict, SpoolFullError) and len(group) > 1:
            for job in group:
                _tell((job,), self._try((job,)))
        else:
            _tell(group, verdict)

    def _try(self, group: Sequence[_Job]) -> LongstopError | None:
        if not group:
            return None
        try:
            self._spool.append([job.payload for job in group], group[0].written_millis)
        except LongstopError as error:
            return error
        return None


def _tell(group: Sequence[_Job], verdict: LongstopError | None) -> None:
    """A loop that is gone has nobody left to tell."""
    if group and not group[0].done.get_loop().is_closed():
        group[0].done.get_loop().call_soon_threadsafe(_tell_all, group, verdict)


def _tell_all(group: Sequence[_Job], verdict: LongstopError | None) -> None:
    for job in group:
        if job.done.done():
            continue
        if verdict is None:
            job.done.set_result(None)
        else:
            job.done.set_exception(verdict)
