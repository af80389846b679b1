"""The store on PostgreSQL: SQLAlchemy Core over asyncpg, one transaction a batch, one statement a table."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from enum import Enum
from typing import Any, TypeVar

from sqlalchemy import CursorResult
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from longstop.clock import Clock, SystemClock
from longstop.domain.errors import StoreClosedError, StoreUnavailableError
from longstop.store import schema
from longstop.store.address import PostgresAddress
from longstop.store.captures import StoreCaptures
from longstop.store.cells import Row, moment_as_utc
from longstop.store.contract import WriteBatch
from longstop.store.postgres_engine import DATABASE_ERRORS, connect, is_repeatable, make_engine, store_error
from longstop.store.postgres_options import PostgresOptions
from longstop.store.postgres_place import PostgresPlace
from longstop.store.postgres_rows import arguments, inserts, rows_out, text_in, waves
from longstop.store.postgres_schema import state_of, upgrade_postgres
from longstop.store.queries import ByMatch, Selection, queries_for
from longstop.store.reads import Question
from longstop.store.scripts import Script
from longstop.store.sql_text import SqlText, for_postgres
from longstop.store.writes import BODIES, Part, Rule, collision, differs, kind_key, prepare, unkeepable

T = TypeVar("T")

_ATTEMPTS = 4

# Who keeps a capture relies on the body that is there; whoever removes bodies must be alone.
_BODIES_LOCK = 0x10_46_57_0C
_AS_ONE_OF_MANY = f"SELECT pg_advisory_xact_lock_shared({_BODIES_LOCK})"
_ALONE = f"SELECT pg_advisory_xact_lock({_BODIES_LOCK})"


class _Life(Enum):
    NEW = "was not opened"
    OPEN = "is open"
    CLOSED = "is closed"


class PostgresStore(StoreCaptures):
    """Each call runs as a task of its own: one who stops waiting neither breaks a connection nor loses a batch."""

    def __init__(
        self, address: PostgresAddress, *, clock: Clock | None = None, options: PostgresOptions | None = None
    ) -> None:
        self._address = address
        self._clock = clock or SystemClock()
        self._options = options or PostgresOptions()
        self._dialect = "postgresql"
        self._queries = queries_for(self._dialect)
        self._write_moment, self._read_moment = moment_as_utc, moment_as_utc
        self._has_threads = True
        self._life = _Life.NEW
        self._tasks: set[asyncio.Task[Any]] = set()
        self._engine: AsyncEngine = make_engine(address, self._options, self._clock)
        self._own_place = (
            PostgresPlace(lambda: connect(address, self._options), address, self._clock)
            if self._options.has_place
            else None
        )

    async def open(self) -> None:
        if self._life is not _Life.NEW:
            raise StoreClosedError(f"The store {self._life.value}.", hint="A store is opened once; make another one.")
        async with AsyncExitStack() as undo:
            undo.push_async_callback(self._engine.dispose)
            if self._own_place is not None:
                undo.push_async_callback(self._own_place.leave)
            if self._options.auto_upgrade:
                await upgrade_postgres(self._address)
            schema.require_current(await self._within(self._state(), self._options.read_seconds), self._address)
            await self._within(self._require_place(), self._options.read_seconds)
            undo.pop_all()
        self._life = _Life.OPEN

    async def _state(self) -> schema.SchemaState:
        async with self._engine.connect() as connection:
            return await state_of(connection)

    async def save(self, batch: WriteBatch) -> None:
        self._require_open()
        parts = prepare(batch, moment_as_utc, self._clock.now())
        if parts:
            await self._write(parts)

    async def _write(self, parts: Sequence[Part]) -> None:
        async def insert(connection: AsyncConnection) -> None:
            if any(part.kind is BODIES for part in parts):
                await connection.exec_driver_sql(_AS_ONE_OF_MANY)
            for part in parts:
                await _insert(connection, part, self._queries.stored)

        await self._within(self._transact(insert), self._options.save_seconds)

    async def _walk(self, steps: Script[T]) -> T:
        async def walk(connection: AsyncConnection) -> T:
            await connection.exec_driver_sql(_ALONE)
            return await _walked(connection, steps)

        return await self._within(self._transact(walk, attempts=1), self._options.save_seconds)

    async def _run(self, make: Callable[[], Script[T]]) -> T:
        self._require_open()
        work = self._transact(lambda connection: _walked(connection, make()))
        return await self._within(work, self._options.save_seconds)

    async def _run_reading(self, make: Callable[[], Script[T]]) -> T:
        self._require_open()

        async def look() -> T:
            async with self._engine.connect() as connection:
                await connection.execution_options(isolation_level="REPEATABLE READ")
                return await _walked(connection, make())

        return await self._within(look(), self._options.read_seconds)

    async def _transact(self, work: Callable[[AsyncConnection], Awaitable[T]], *, attempts: int = _ATTEMPTS) -> T:
        attempt = 0
        while True:
            attempt += 1
            try:
                await self._require_place()
                async with self._engine.begin() as connection:
                    done = await work(connection)
                    await self._require_place()
                    return done
            except DATABASE_ERRORS as error:
                if attempt >= attempts or not is_repeatable(error):
                    raise

    async def _require_place(self) -> None:
        if self._own_place is not None:
            await self._own_place.require()

    async def _ask(self, *questions: Question) -> list[list[Row]]:
        self._require_open()
        return await self._within(self._answers(questions), self._options.read_seconds)

    async def _answers(self, questions: Sequence[Question]) -> list[list[Row]]:
        """Several questions are answered from one snapshot."""
        async with self._engine.connect() as connection:
            if len(questions) > 1:
                await connection.execution_options(isolation_level="REPEATABLE READ")
            answers = []
            for query, values in questions:
                named = {name: text_in(value) for name, value in values.items()}
                answers.append(rows_out(await _execute(connection, for_postgres(query), named)))
            return answers

    async def _ask_each(self, query: ByMatch, match_ids: Sequence[str]) -> list[Row]:
        wanted = {"match_ids": [text_in(match_id) for match_id in match_ids]}
        return (await self._ask((query.many, wanted)))[0]

    async def ping(self) -> float:
        started = self._clock.monotonic()
        await self._ask((self._queries.last_seq, {"match_id": ""}))
        return self._clock.monotonic() - started

    async def _within(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        try:
            async with self._clock.timeout(seconds):
                return await asyncio.shield(task)
        except TimeoutError as error:
            raise StoreUnavailableError(f"{self._address} did not answer within {seconds:g} s.") from error
        except DATABASE_ERRORS as error:
            raise store_error(error, self._address) from error
        except (OverflowError, UnicodeError) as error:
            raise unkeepable(error) from error

    def _forget(self, task: asyncio.Task[Any]) -> None:
        """Also looks at the outcome, since the one who asked may be gone."""
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

    def _require_open(self) -> None:
        if self._life is not _Life.OPEN:
            raise StoreClosedError(f"The store {self._life.value}.")

    async def close(self) -> None:
        self._life = _Life.CLOSED
        if self._tasks:
            await self._drain(tuple(self._tasks))
        if self._own_place is not None:
            await self._own_place.leave()
        await self._engine.dispose()

    async def _drain(self, tasks: Sequence[asyncio.Task[Any]]) -> None:
        try:
            async with self._clock.timeout(self._options.close_seconds):
                await asyncio.wait(tasks)
        except TimeoutError as error:
            for task in tasks:
                task.cancel()
            raise StoreUnavailableError(f"{self._address} did not finish what was begun.") from error


async def _execute(connection: AsyncConnection, sql: SqlText, named: Mapping[str, Any]) -> CursorResult[Any]:
    return await connection.exec_driver_sql(sql.text, sql.arguments(named))


async def _walked(connection: AsyncConnection, steps: Script[T]) -> T:
    rows: list[Row] | None = None
    try:
        while True:
            statement, values = steps.send(rows) if rows is not None else next(steps)
            named = {name: text_in(value) for name, value in values.items()}
            answer = await _execute(connection, for_postgres(statement), named)
            rows = rows_out(answer) if answer.returns_rows else []
    except StopIteration as ended:
        told: T = ended.value
        return told


async def _insert(connection: AsyncConnection, part: Part, stored: Mapping[str, Selection]) -> None:
    kind, written = part.kind, 0
    for rows in waves(part):
        written += (await _execute(connection, inserts()[kind.table.name], arguments(kind, rows))).rowcount
    if kind.is_counted and written != len(part.rows):
        await _refuse_others(connection, part, stored)


async def _refuse_others(connection: AsyncConnection, part: Part, stored: Mapping[str, Selection]) -> None:
    """Some rows had no effect. That is well where the same row was there before, and a fault everywhere else."""
    if part.kind.rule is not Rule.APPEND:
        raise collision(part.kind, part.records[0])
    sql = for_postgres(stored[part.kind.table.name])
    for record in part.records:
        key = dict(zip(part.kind.key, map(text_in, kind_key(part.kind, record)), strict=True))
        rows = rows_out(await _execute(connection, sql, key))
        if differs(part.kind, record, rows[0] if rows else None, moment_as_utc):
            raise collision(part.kind, record)
