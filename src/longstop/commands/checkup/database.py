"""Where a database stands: its schema beside the one this Longstop knows."""

import asyncio
import sqlite3
from contextlib import closing

import msgspec
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from longstop.domain.errors import StoreError
from longstop.domain.extras import installing
from longstop.store import schema
from longstop.store.address import PostgresAddress, SqliteAddress, parse_address
from longstop.store.postgres_options import PostgresOptions
from longstop.store.schema import SchemaState
from longstop.store.sqlite_file import connect_reader, store_error

DEADLINE_SECONDS = 10.0


class DatabaseSchema(msgspec.Struct, frozen=True):
    """Where a database stands: its address without user and password, and its schema."""

    database: str
    state: SchemaState
    revision: str | None

    @property
    def is_current(self) -> bool:
        return self.state is SchemaState.CURRENT

    @property
    def head(self) -> str:
        """The revision that this Longstop brings."""
        return schema.head_revision()

    def describe(self) -> str:
        return {
            SchemaState.CURRENT: f"schema {self.revision}, the current one",
            SchemaState.EMPTY: f"no schema yet; this Longstop's is {self.head}",
            SchemaState.OLDER: f"schema {self.revision}, older than this Longstop's {self.head}",
            SchemaState.NEWER: f"schema {self.revision}, not known to this Longstop, whose own is {self.head}",
            SchemaState.FOREIGN: "tables that Longstop did not make",
            SchemaState.DAMAGED: f"schema number {self.revision}, and not the tables that it promises",
        }[self.state]


def look(url: str, deadline_seconds: float = DEADLINE_SECONDS) -> DatabaseSchema:
    """Reads only; a database that is not there yet is not made."""
    address = parse_address(url)
    if isinstance(address, PostgresAddress):
        return _look_at_postgres(address, deadline_seconds)
    if address.path is None:
        return DatabaseSchema(str(address), SchemaState.CURRENT, schema.head_revision())
    return _look_at_sqlite(address, deadline_seconds)


def _look_at_sqlite(address: SqliteAddress, deadline_seconds: float) -> DatabaseSchema:
    assert address.path is not None
    try:
        if not address.path.exists():
            return DatabaseSchema(str(address), SchemaState.EMPTY, None)
        if address.path.is_dir():
            raise StoreError(f"{address} is a directory.", hint="Name a file, as in sqlite:///var/longstop.db.")
        with closing(connect_reader(address.path, deadline_seconds)) as connection:
            tables, revision = schema.sqlite_revision(connection)
    except sqlite3.Error as error:
        raise store_error(error, address.path) from error
    except OSError as error:
        said = f"The database {address} cannot be looked at: {error.strerror}."
        raise StoreError(said, hint="Check its path, and the rights of the folders on it.") from error
    return DatabaseSchema(str(address), schema.judge(tables, revision), revision)


def _look_at_postgres(address: PostgresAddress, deadline_seconds: float) -> DatabaseSchema:
    try:
        import asyncpg  # type: ignore[import-untyped]  # noqa: F401 - it brings no types, and is only looked for
    except ImportError as error:
        raise StoreError(
            "PostgreSQL needs a driver that is not installed.", hint=f"Run {installing('postgres')}."
        ) from error
    return asyncio.run(_ask_postgres(address, deadline_seconds))


async def _ask_postgres(address: PostgresAddress, deadline_seconds: float) -> DatabaseSchema:
    from longstop.store import postgres_engine, postgres_schema

    options = PostgresOptions(connect_seconds=deadline_seconds, statement_seconds=deadline_seconds)
    engine = postgres_engine.make_single_engine(address, options)
    try:
        async with engine.connect() as connection:
            state = await postgres_schema.state_of(connection)
            is_ours = state not in (SchemaState.EMPTY, SchemaState.FOREIGN)
            numbers = await connection.scalars(text(schema.READ_REVISION)) if is_ours else ()
            revision = schema.one_revision(numbers)
    except postgres_engine.DATABASE_ERRORS as error:
        raise postgres_engine.store_error(error, address) from error
    finally:
        await engine.dispose()
    return DatabaseSchema(str(address), state, revision)


def upgrade(url: str) -> None:
    """SQLAlchemy wraps what SQLite says, a lock held by another program among it; our words for it are the store's."""
    try:
        schema.upgrade(url)
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise store_error(error.orig, getattr(parse_address(url), "path", None)) from error
        raise
