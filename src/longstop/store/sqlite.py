"""The store on one SQLite file: one thread writes, a few read. Or, inline, everything at once on the caller's stack.

Inline is for loops that cannot wait for threads (virtual time) and for databases in memory. The SQL is the same.
"""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from longstop.clock import Clock, SystemClock
from longstop.domain.errors import StoreClosedError, StoreError, StoreUnavailableError
from longstop.store import schema
from longstop.store.cells import Row, moment_as_text, moment_from_text
from longstop.store.contract import WriteBatch
from longstop.store.queries import queries_for
from longstop.store.reads import Question, StoreReads
from longstop.store.sqlite_file import FileLock, make_parent, store_error
from longstop.store.sqlite_readers import ReaderPool
from longstop.store.sqlite_session import WriteSession, fetch
from longstop.store.sqlite_writer import Job, Verdict, WriterThread
from longstop.store.writes import Part, prepare


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


class SqliteStore(StoreReads):
    """`path` None is a database in memory, gone when closed."""

    def __init__(
        self, path: Path | str | None, *, clock: Clock | None = None, options: SqliteOptions | None = None
    ) -> None:
        self._path = None if path is None else Path(path)
        self._clock = clock or SystemClock()
        self._options = options or SqliteOptions()
        self._queries = queries_for("sqlite")
        self._write_moment, self._read_moment = moment_as_text, moment_from_text
        self._life = _Life.NEW
        self._lock = None if self._path is None else FileLock(self._path)
        self._session = WriteSession(self._path, self._options.busy_seconds)
        self._threads: _Threads | None = None

    async def open(self) -> None:
        if self._life is not _Life.NEW:
            raise StoreClosedError(f"The store {self._life.value}.", hint="A store is opened once; make another one.")
        with ExitStack() as undo:
            undo.callback(self._release)
            if self._path is None or self._options.inline:
                self._prepare_file()
            else:
                await asyncio.to_thread(self._prepare_file)
                self._threads = _Threads(self._path, self._session, self._clock, self._options)
            undo.pop_all()
        self._life = _Life.OPEN

    def _prepare_file(self) -> None:
        if self._path is None:
            schema.create_in_memory(self._session.connection)
            return
        make_parent(self._path)
        assert self._lock is not None
        self._lock.acquire()
        state = self._judge_schema()
        if state.is_upgradable and self._options.auto_upgrade:
            self._session.drop()
            schema.upgrade_sqlite(self._path)
            state = self._judge_schema()
        schema.require_current(state, self._path)

    def _judge_schema(self) -> schema.SchemaState:
        try:
            return schema.judge(*schema.sqlite_revision(self._session.connection))
        except sqlite3.Error as error:
            raise store_error(error, self._path) from error

    async def save(self, batch: WriteBatch) -> None:
        self._require_open()
        parts = prepare(batch, moment_as_text, self._clock.now())
        if not parts:
            return
        if self._threads is None:
            self._session.write((parts,))
            self._session.checkpoint_if_due()
        else:
            await self._threads.save(parts)

    async def _ask(self, *questions: Question) -> list[list[Row]]:
        self._require_open()
        if self._threads is None:
            return [self._session.ask(query, arguments) for query, arguments in questions]
        return await self._threads.ask(questions)

    def _list_argument(self, values: Sequence[str]) -> Any:
        return msgspec.json.encode(values).decode()

    async def ping(self) -> float:
        started = self._clock.monotonic()
        await self._ask((self._queries.last_seq, {"match_id": ""}))
        return self._clock.monotonic() - started

    def _require_open(self) -> None:
        if self._life is not _Life.OPEN:
            raise StoreClosedError(f"The store {self._life.value}.")

    async def close(self) -> None:
        was, self._life = self._life, _Life.CLOSED
        if was is _Life.OPEN and self._threads is None:
            self._release()
        elif self._threads is not None:
            await self._threads.close()
            self._release()

    def _release(self) -> None:
        """The lock goes last: until then nobody else may touch the file."""
        try:
            self._session.close()
        finally:
            if self._lock is not None:
                self._lock.release()


class _Threads:
    """The bridge between the loop and the threads: bounded, with a deadline on every wait."""

    def __init__(self, path: Path, session: WriteSession, clock: Clock, options: SqliteOptions) -> None:
        self._path = path
        self._clock = clock
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._slots = asyncio.Semaphore(options.queue_max)
        self._ended = asyncio.Event()
        self._readers = ReaderPool(path, options.readers, options.busy_seconds)
        self._writer = WriterThread(session, self._tell, self._on_end, options.group_max)
        self._writer.start()

    async def save(self, parts: Sequence[Part]) -> None:
        """Given up at the deadline or cancelled, a batch that was taken is still written; only nobody is told."""
        try:
            async with self._clock.timeout(self._options.save_seconds):
                await self._slots.acquire()
                verdict = self._submit(parts)
                await verdict
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

        try:
            self._writer.submit(Job(parts, done))
        except StoreError:
            self._slots.release()
            raise
        return future

    def _tell(self, verdicts: Sequence[tuple[Job, Verdict]]) -> None:
        """Called by the writer. A loop that is gone has nobody left to tell."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_tell_all, verdicts)

    def _on_end(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ended.set)

    async def ask(self, questions: Sequence[Question]) -> list[list[Row]]:
        try:
            async with self._clock.timeout(self._options.read_seconds):
                return await self._readers.run(lambda connection: _answers(connection, questions, self._path))
        except TimeoutError as error:
            raise self._no_answer(self._options.read_seconds) from error

    def _no_answer(self, seconds: float) -> StoreUnavailableError:
        return StoreUnavailableError(f"The database {self._path} did not answer within {seconds:g} s.")

    async def close(self) -> None:
        """Readers first: whoever closes the file last, and may write, tidies the WAL away."""
        try:
            async with self._clock.timeout(self._options.close_seconds):
                await self._readers.drain()
                self._readers.shut()
                self._writer.stop()
                await self._ended.wait()
        except TimeoutError as error:
            raise self._no_answer(self._options.close_seconds) from error


def _tell_all(verdicts: Sequence[tuple[Job, Verdict]]) -> None:
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
