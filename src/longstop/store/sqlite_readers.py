"""Read-only connections, a few, each used by one thread at a time. None keeps a transaction open between questions."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from longstop.store.sqlite_file import connect_reader, store_error

T = TypeVar("T")


class ReaderPool:
    """As many threads as connections. A slot is free only when its thread is, whatever became of the one who asked."""

    def __init__(self, path: Path, readers: int, busy_seconds: float) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._readers = readers
        self._is_shut = False
        self._slots = asyncio.Semaphore(readers)
        self._idle: deque[sqlite3.Connection] = deque()
        self._threads = ThreadPoolExecutor(readers, "longstop-sqlite-reader")

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        await self._slots.acquire()
        loop = asyncio.get_running_loop()
        try:
            future = self._threads.submit(self._with_connection, work)
        except RuntimeError:  # shut down meanwhile
            self._slots.release()
            raise
        future.add_done_callback(lambda _: _call_in(loop, self._slots.release))
        return await asyncio.wrap_future(future)

    def _with_connection(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._take()
        with ExitStack() as undo:
            undo.callback(connection.close)  # opened anew next time, in case the fault was its own
            answer = work(connection)
            if not self._is_shut:
                undo.pop_all()
                self._idle.append(connection)
        return answer

    def _take(self) -> sqlite3.Connection:
        try:
            return self._idle.popleft()
        except IndexError:
            pass
        try:
            return connect_reader(self._path, self._busy_seconds)
        except sqlite3.Error as error:
            raise store_error(error, self._path) from error

    async def drain(self) -> None:
        """Waits until nobody reads."""
        for _ in range(self._readers):
            await self._slots.acquire()

    def shut(self) -> None:
        """Idle connections close now, a busy one when its question is answered."""
        self._is_shut = True
        self._threads.shutdown(wait=False)
        while self._idle:
            self._idle.popleft().close()


def _call_in(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback)
