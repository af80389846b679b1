"""The store on one SQLite file: one thread writes, a few read. Or, inline, everything at once on the caller's stack.

Inline is for loops that cannot wait for threads (virtual time) and for databases in memory. The SQL is the same.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TypeVar

from longstop.clock import Clock, SystemClock
from longstop.domain.errors import StoreClosedError, StoreUnavailableError
from longstop.store import schema
from longstop.store.captures import StoreCaptures
from longstop.store.cells import Row, moment_as_text, moment_from_text
from longstop.store.contract import WriteBatch
from longstop.store.queries import ByMatch, queries_for
from longstop.store.reads import Question
from longstop.store.scripts import Script
from longstop.store.sqlite_file import FileLock, make_parent, store_error
from longstop.store.sqlite_readers import ReaderPool
from longstop.store.sqlite_session import WriteSession, fetch, looked
from longstop.store.sqlite_writer import Job, Verdict, Verdicts, Writer
from longstop.store.writes import Part, prepare

T = TypeVar("T")


@dataclass(frozen=True)
class SqliteOptions:
    """`inline`: no threads. A database in memory is always inline."""

    inline: bool = False
    auto_upgrade: bool = True
    readers: int = 4
    queue_max: int = 1000
    group_max: int = 64
    busy_seconds: float = 5.0
    save_seconds: float = 30.0
    read_seconds: float = 10.0
    close_seconds: float = 30.0


class _Life(Enum):
    NEW = "was not opened"
    OPEN = "is open"
    CLOSED = "is closed"


class SqliteStore(StoreCaptures):
    """`path` None is a database in memory, gone when closed."""

    def __init__(
        self, path: Path | str | None, *, clock: Clock | None = None, options: SqliteOptions | None = None
    ) -> None:
        self._path = None if path is None else Path(path)
        self._clock = clock or SystemClock()
        self._options = options or SqliteOptions()
        self._dialect = "sqlite"
        self._queries = queries_for(self._dialect)
        self._write_moment, self._read_moment = moment_as_text, moment_from_text
        self._has_threads = self._path is not None and not self._options.inline
        self._life = _Life.NEW
        self._file = _File(self._path, self._options)
        self._threads: _Threads | None = None

    async def open(self) -> None:
        if self._life is not _Life.NEW:
            raise StoreClosedError(f"The store {self._life.value}.", hint="A store is opened once; make another one.")
        if self._path is None or not self._has_threads:
            self._file.open()
        else:
            threads = _Threads(self._path, self._file, self._clock, self._options)
            await threads.open()
            self._threads = threads
        self._life = _Life.OPEN

    async def save(self, batch: WriteBatch) -> None:
        self._require_open()
        parts = prepare(batch, moment_as_text, self._clock.now())
        if parts:
            await self._write(parts)

    async def _write(self, parts: Sequence[Part]) -> None:
        if self._threads is None:
            self._file.session.write((parts,))
            self._file.session.checkpoint_if_due()
        else:
            await self._threads.save(parts)

    async def _walk(self, steps: Script[T]) -> T:
        if self._threads is not None:
            return await self._threads.walk(steps)
        answer = self._file.session.walk(steps)
        self._file.session.checkpoint_if_due()
        return answer

    async def _run(self, make: Callable[[], Script[T]]) -> T:
        self._require_open()
        return await self._walk(make())

    async def _run_reading(self, make: Callable[[], Script[T]]) -> T:
        self._require_open()
        if self._threads is None:
            return self._file.session.look(make())
        return await self._threads.look(make())

    async def _ask(self, *questions: Question) -> list[list[Row]]:
        self._require_open()
        if self._threads is None:
            return [self._file.session.ask(query, arguments) for query, arguments in questions]
        return await self._threads.ask(questions)

    async def _ask_each(self, query: ByMatch, match_ids: Sequence[str]) -> list[Row]:
        """One by one: SQLite has no lists, and the ways around that stumble over a NUL."""
        answers = await self._ask(*((query.one, {"match_id": match_id}) for match_id in match_ids))
        return [row for rows in answers for row in rows]

    @property
    def wal_bytes(self) -> int:
        return self._file.session.wal_bytes

    async def ping(self) -> float:
        started = self._clock.monotonic()
        await self._ask((self._queries.last_seq, {"match_id": ""}))
        return self._clock.monotonic() - started

    def _require_open(self) -> None:
        if self._life is not _Life.OPEN:
            raise StoreClosedError(f"The store {self._life.value}.")

    async def close(self) -> None:
        was, self._life = self._life, _Life.CLOSED
        if self._threads is not None:
            await self._threads.close()
        elif was is _Life.OPEN:
            self._file.close()


class _File:
    """The file with its lock and its one writing connection. It belongs to whichever single thread calls it."""

    def __init__(self, path: Path | None, options: SqliteOptions) -> None:
        self._path = path
        self._is_upgraded = options.auto_upgrade
        self._lock = None if path is None else FileLock(path)
        self.session = WriteSession(path, options.busy_seconds)

    def open(self) -> None:
        with ExitStack() as undo:
            undo.callback(self.close)
            if self._path is None or self._lock is None:
                schema.create_in_memory(self.session.connection)
            else:
                make_parent(self._path)
                self._lock.acquire()
                self._bring_forward(self._path)
            undo.pop_all()

    def _bring_forward(self, path: Path) -> None:
        state = self._judge()
        if state.is_upgradable and self._is_upgraded:
            self.session.drop()
            schema.upgrade_sqlite(path)
            state = self._judge()
        schema.require_current(state, path)
        self.session.take_place()

    def _judge(self) -> schema.SchemaState:
        try:
            return schema.judge(*schema.sqlite_revision(self.session.connection))
        except sqlite3.Error as error:
            raise store_error(error, self._path) from error

    def close(self) -> None:
        """The lock goes last: until then nobody else may touch the file."""
        try:
            self.session.close()
        finally:
            if self._lock is not None:
                self._lock.release()


class _Threads:
    """The bridge between the loop and the threads: bounded, with a deadline on every wait."""

    def __init__(self, path: Path, file: _File, clock: Clock, options: SqliteOptions) -> None:
        self._path = path
        self._file = file
        self._clock = clock
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._slots = asyncio.Semaphore(options.queue_max)
        self._readers = ReaderPool(path, options.readers, options.busy_seconds)
        self._writer = Writer(file.session, self._tell, options.group_max)
        self._ended: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Cancelled half-way, the thread still finishes, and then lets the file go."""
        with ExitStack() as undo:
            undo.callback(self._readers.shut)
            undo.callback(self._writer.end, self._file.close)
            await asyncio.wrap_future(self._writer.run(self._file.open))
            undo.pop_all()

    async def save(self, parts: Sequence[Part]) -> None:
        """Given up at the deadline or cancelled, a batch that was taken is still written; only nobody is told."""
        try:
            async with self._clock.timeout(self._options.save_seconds):
                await self._slots.acquire()
                await self._submit(parts)
        except TimeoutError as error:
            raise self._no_answer(self._options.save_seconds) from error

    def _submit(self, parts: Sequence[Part]) -> "asyncio.Future[None]":
        future: asyncio.Future[None] = self._loop.create_future()

        def done(verdict: Verdict) -> None:
            self._slots.release()
            if future.done():
                return
            if verdict is None:
                future.set_result(None)
            else:
                future.set_exception(verdict)

        with ExitStack() as undo:
            undo.callback(self._slots.release)
            self._writer.submit(Job(parts, done))
            undo.pop_all()
        return future

    async def walk(self, steps: Script[T]) -> T:
        """Given up at the deadline or cancelled, steps that were taken are still walked; only nobody is told."""
        try:
            async with self._clock.timeout(self._options.save_seconds):
                return await asyncio.wrap_future(self._writer.run(partial(self._writer.walk, steps)))
        except TimeoutError as error:
            raise self._no_answer(self._options.save_seconds) from error

    def _tell(self, verdicts: Verdicts) -> None:
        """Called by the writer. A loop that is gone has nobody left to tell."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_tell_all, verdicts)

    async def ask(self, questions: Sequence[Question]) -> list[list[Row]]:
        try:
            async with self._clock.timeout(self._options.read_seconds):
                return await self._readers.run(lambda connection: _answers(connection, questions, self._path))
        except TimeoutError as error:
            raise self._no_answer(self._options.read_seconds) from error

    async def look(self, steps: Script[T]) -> T:
        try:
            async with self._clock.timeout(self._options.read_seconds):
                return await self._readers.run(lambda connection: looked(connection, steps, self._path))
        except TimeoutError as error:
            raise self._no_answer(self._options.read_seconds) from error

    def _no_answer(self, seconds: float) -> StoreUnavailableError:
        return StoreUnavailableError(f"The database {self._path} did not answer within {seconds:g} s.")

    async def close(self) -> None:
        """Readers first, if they can: who closes the file last, and may write, tidies the WAL away."""
        if self._ended is None:
            self._ended = asyncio.create_task(self._end())
        try:
            async with self._clock.timeout(self._options.close_seconds):
                await asyncio.shield(self._ended)
        except TimeoutError as error:
            raise self._no_answer(self._options.close_seconds) from error

    async def _end(self) -> None:
        self._readers.shut()
        with suppress(TimeoutError):
            async with self._clock.timeout(self._options.close_seconds / 2):
                await self._readers.drain()
        await asyncio.wrap_future(self._writer.end(self._file.close))


def _tell_all(verdicts: Verdicts) -> None:
    for job, verdict in verdicts:
        job.done(verdict)


def _answers(connection: sqlite3.Connection, questions: Sequence[Question], path: Path) -> list[list[Row]]:
    """All answers from one snapshot, which ends before the connection goes back."""
    if len(questions) == 1:
        return [fetch(connection, *questions[0], path)]
    try:
        connection.execute("BEGIN")
        answers = [fetch(connection, *question, path) for question in questions]
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise store_error(error, path) from error
    return answers
