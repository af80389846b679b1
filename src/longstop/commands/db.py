"""`longstop db`: the schema of the database, looked at and brought to this version's."""

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

import msgspec
import orjson
import typer
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.domain.errors import StoreError
from longstop.store import schema
from longstop.store.address import PostgresAddress, SqliteAddress, parse_address
from longstop.store.postgres_options import PostgresOptions
from longstop.store.schema import SchemaState
from longstop.store.sqlite_file import connect_reader, store_error

DEADLINE_SECONDS = 10.0
NOT_CURRENT = 1

app = typer.Typer(help="Looks at the database's schema and brings it forward.", no_args_is_help=True)


class Standing(msgspec.Struct, frozen=True):
    """Where a database stands: its address without user and password, and its schema."""

    database: str
    state: SchemaState
    revision: str | None

    def describe(self) -> str:
        head = schema.head_revision()
        return {
            SchemaState.CURRENT: f"schema {self.revision}, the current one",
            SchemaState.EMPTY: f"no schema yet; this Longstop's is {head}",
            SchemaState.OLDER: f"schema {self.revision}, older than this Longstop's {head}",
            SchemaState.NEWER: f"schema {self.revision}, not known to this Longstop, whose own is {head}",
            SchemaState.FOREIGN: "tables that Longstop did not make",
        }[self.state]


@app.command("upgrade")
def upgrade(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Bring the schema to this version's. What is there stays; a database of others is left alone."""
    url = _url(config, overrides)
    before = look(url)
    if before.state is not SchemaState.CURRENT:
        _upgrade(url)
    after = before if before.state is SchemaState.CURRENT else look(url)
    facts = {"database": after.database, "from": before.revision, "to": after.revision}
    _say(as_json, _told(before, after), facts | {"changed": before.revision != after.revision})


@app.command("status")
def status(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Say which schema the database has. Exits with 1 when it is not this version's; changes nothing."""
    found = look(_url(config, overrides))
    facts = {"database": found.database, "state": found.state.value, "revision": found.revision}
    _say(as_json, f"{found.database}: {found.describe()}.", facts | {"head": schema.head_revision()})
    if found.state is not SchemaState.CURRENT:
        raise typer.Exit(NOT_CURRENT)


def look(url: str, deadline_seconds: float = DEADLINE_SECONDS) -> Standing:
    """Reads only; a database that is not there yet is not made."""
    address = parse_address(url)
    if isinstance(address, PostgresAddress):
        return _look_at_postgres(address, deadline_seconds)
    if address.path is None:
        return Standing(str(address), SchemaState.CURRENT, schema.head_revision())
    return _look_at_sqlite(address, deadline_seconds)


def _look_at_sqlite(address: SqliteAddress, deadline_seconds: float) -> Standing:
    assert address.path is not None
    if not address.path.exists():
        return Standing(str(address), SchemaState.EMPTY, None)
    if address.path.is_dir():
        raise StoreError(f"{address} is a directory.", hint="Name a file, as in sqlite:///var/longstop.db.")
    try:
        with closing(connect_reader(address.path, deadline_seconds)) as connection:
            tables, revision = schema.sqlite_revision(connection)
    except sqlite3.Error as error:
        raise store_error(error, address.path) from error
    return Standing(str(address), schema.judge(tables, revision), revision)


def _look_at_postgres(address: PostgresAddress, deadline_seconds: float) -> Standing:
    try:
        import asyncpg  # type: ignore[import-untyped]  # noqa: F401 - it brings no types, and is only looked for
    except ImportError as error:
        raise StoreError(
            "PostgreSQL needs a driver that is not installed.", hint="Run: pip install 'longstop[postgres]'"
        ) from error
    return asyncio.run(_ask_postgres(address, deadline_seconds))


async def _ask_postgres(address: PostgresAddress, deadline_seconds: float) -> Standing:
    from longstop.store import postgres_engine, postgres_schema

    options = PostgresOptions(connect_seconds=deadline_seconds, statement_seconds=deadline_seconds)
    engine = postgres_engine.make_single_engine(address, options)
    try:
        async with engine.connect() as connection:
            state = await postgres_schema.state_of(connection)
            is_ours = state not in (SchemaState.EMPTY, SchemaState.FOREIGN)
            revision = await connection.scalar(text(schema.READ_REVISION)) if is_ours else None
    except postgres_engine.DATABASE_ERRORS as error:
        raise postgres_engine.store_error(error, address) from error
    finally:
        await engine.dispose()
    return Standing(str(address), state, revision)


def _upgrade(url: str) -> None:
    """SQLAlchemy wraps what SQLite says, a lock held by another program among it; our words for it are the store's."""
    try:
        schema.upgrade(url)
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise store_error(error.orig, getattr(parse_address(url), "path", None)) from error
        raise


def _url(config: Any, overrides: Any) -> str:
    return load_settings(config, overrides).settings.database.url.get_secret_value()


def _told(before: Standing, after: Standing) -> str:
    if before.revision == after.revision:
        return f"{after.database}: the schema is {after.revision} already; nothing was changed."
    source = before.revision or "nothing"
    return f"{after.database}: brought from {source} to schema {after.revision}."


def _say(as_json: bool, sentence: str, facts: dict[str, Any]) -> None:
    typer.echo(orjson.dumps(facts).decode() if as_json else sentence)
