"""The pool of connections to PostgreSQL, and what its errors mean."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg  # type: ignore[import-untyped]  # it brings no types
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from longstop.clock import Clock
from longstop.domain.errors import InputError, RecordRefusedError, StoreError, StoreUnavailableError
from longstop.store.address import PostgresAddress
from longstop.store.postgres_options import PostgresOptions

# What a call to the database may raise; anything else is a fault of ours and is left to be seen.
DATABASE_ERRORS = (SQLAlchemyError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)

_HEALING_CLASSES = ("08", "40", "53", "55", "57", "58", "XX")
_REFUSING_CLASSES = ("28", "3D", "42501")
_CONTENT_CLASSES = ("22", "23", "54")
_MESSAGE_LENGTH_MAX = 300
_REPEATABLE = ("40001", "40P01")


def make_engine(address: PostgresAddress, options: PostgresOptions, clock: Clock) -> AsyncEngine:
    """asyncpg reads the address itself, so that everything libpq allows in one is allowed here."""
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=lambda: connect(address, options),
        pool_size=options.pool_idle,
        max_overflow=options.pool_max - options.pool_idle,
        pool_timeout=options.pool_wait_seconds,
        pool_recycle=int(options.life_seconds),
        pool_pre_ping=True,
        pool_use_lifo=True,
        hide_parameters=True,  # they may be tokens, and an error's text goes into logs
    )
    _leave_idle_ones(engine, options.idle_seconds, clock)
    return engine


def make_single_engine(address: PostgresAddress, options: PostgresOptions) -> AsyncEngine:
    """One connection and no pool, for the commands that look at the schema or change it."""
    return create_async_engine(
        "postgresql+asyncpg://",
        async_creator=lambda: connect(address, options),
        poolclass=NullPool,
        hide_parameters=True,
    )


async def connect(address: PostgresAddress, options: PostgresOptions) -> Any:
    try:
        return await asyncpg.connect(
            address.dsn,
            timeout=options.connect_seconds,
            command_timeout=options.statement_seconds + 5.0,
            server_settings=_server_settings(address, options),
        )
    except (ValueError, asyncpg.ClientConfigurationError) as error:
        raise InputError(
            f"The address {address} cannot be used: {error}.", hint="Correct the database's URL."
        ) from error


def _server_settings(address: PostgresAddress, options: PostgresOptions) -> Mapping[str, str]:
    """Ours, but for those the address itself names."""
    ours = {
        "application_name": "longstop",
        "timezone": "UTC",
        "statement_timeout": str(int(options.statement_seconds * 1000)),
        "idle_in_transaction_session_timeout": str(int(options.statement_seconds * 1000)),
    }
    named = {name.lower() for name in parse_qs(urlsplit(address.dsn).query)}
    return {name: value for name, value in ours.items() if name not in named}


def _leave_idle_ones(engine: AsyncEngine, idle_seconds: float, clock: Clock) -> None:
    """The pool knows only the age of a connection. One that lay unused too long is replaced when next asked for."""

    def note(_: Any, record: Any) -> None:
        record.info["idle_since"] = _monotonic(clock)

    def check(_: Any, record: Any, __: Any) -> None:
        since = record.info.get("idle_since")
        now = _monotonic(clock)
        if since is not None and now is not None and now - since > idle_seconds:
            record.info.pop("idle_since")
            raise DisconnectionError

    event.listen(engine.sync_engine, "checkin", note)
    event.listen(engine.sync_engine, "checkout", check)


def _monotonic(clock: Clock) -> float | None:
    """None where no loop runs, as in a connection that is collected after its end."""
    try:
        return clock.monotonic()
    except RuntimeError:
        return None


def sqlstate(error: BaseException) -> str:
    origin = error.orig if isinstance(error, DBAPIError) else error
    return getattr(origin, "sqlstate", None) or getattr(origin, "pgcode", None) or ""


def is_repeatable(error: BaseException) -> bool:
    """The database chose this transaction as the victim of a deadlock: the same again may well pass."""
    return sqlstate(error) in _REPEATABLE


def store_error(error: BaseException, address: PostgresAddress) -> StoreError:
    state, text = sqlstate(error), first_line(error)
    if state in {"42P01", "42703"}:
        return StoreError(f"The schema of {address} is not the current one: {text}.", hint="Run `longstop db upgrade`.")
    if state.startswith(_REFUSING_CLASSES):
        return StoreError(f"{address} refused us: {text}.", hint="Check user, password, rights and database.")
    if state.startswith(_CONTENT_CLASSES):
        return RecordRefusedError(f"A value cannot be kept: {text}.", hint="Nothing of the batch was written.")
    if isinstance(error, PoolTimeoutError):
        return StoreUnavailableError(f"All connections to {address} are in use.", hint="Raise the size of the pool.")
    if state.startswith(_HEALING_CLASSES) or not state:
        return StoreUnavailableError(f"{address} does not answer: {text}.")
    return StoreError(f"{address} refused: {text}.", hint="See the log of the database server.")


def first_line(error: BaseException) -> str:
    """SQLAlchemy's own text repeats statement and values, which do not belong in a message."""
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    cause = origin.__cause__ or origin
    line = (str(cause).splitlines() or [""])[0].rstrip(".")
    return line[:_MESSAGE_LENGTH_MAX] or type(cause).__name__
