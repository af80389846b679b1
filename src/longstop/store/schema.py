"""The state of a schema, and the way to the current one.

Alembic is imported only when there is something to migrate: an engine that starts on a current schema does not pay
for it.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from enum import Enum
from importlib.resources import as_file, files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateIndex, CreateTable

from longstop.domain.errors import StoreError
from longstop.store.address import Address, PostgresAddress, parse_address
from longstop.store.postgres_options import driver_missing
from longstop.store.rounds import tables as rounds  # noqa: F401 - its tables belong to the one schema
from longstop.store.sqlite_file import FileLock, connect_reader, connect_writer, make_parent, primary_code, store_error
from longstop.store.tables import HEAD_REVISION, VERSION_TABLE, metadata

if TYPE_CHECKING:
    from alembic.config import Config

T = TypeVar("T")

_BUSY_SECONDS = 10.0
READ_REVISION = f"SELECT version_num FROM {VERSION_TABLE}"  # noqa: S608 - a constant of ours
_STAMP = f"INSERT INTO {VERSION_TABLE} VALUES (?)"  # noqa: S608 - a constant of ours
_UPGRADE_HINT = "Run `longstop db upgrade`."
RESTORE_HINT = "Restore a backup, or name another database; nothing was changed."


class SchemaState(Enum):
    EMPTY = "empty"
    CURRENT = "current"
    OLDER = "older"
    NEWER = "newer"
    FOREIGN = "foreign"
    DAMAGED = "damaged"

    @property
    def is_upgradable(self) -> bool:
        return self in (SchemaState.EMPTY, SchemaState.OLDER)


def judge(tables: Collection[str], revision: str | None) -> SchemaState:
    """`tables` are those found that would stand in our way."""
    if revision == HEAD_REVISION:
        return SchemaState.CURRENT if metadata.tables.keys() <= set(tables) else SchemaState.DAMAGED
    if revision is not None:
        return SchemaState.OLDER if revision in _known_revisions() else _beyond(revision)
    if VERSION_TABLE in tables:
        return SchemaState.DAMAGED
    return SchemaState.FOREIGN if tables else SchemaState.EMPTY


def _beyond(revision: str) -> SchemaState:
    """A later number of ours, or none that we could have written."""
    is_a_number = revision.isdecimal() and len(revision) == len(HEAD_REVISION)
    return SchemaState.NEWER if is_a_number and revision > HEAD_REVISION else SchemaState.DAMAGED


def require_current(state: SchemaState, address: object) -> None:
    complaints = {
        SchemaState.EMPTY: ("has no schema yet", _UPGRADE_HINT),
        SchemaState.OLDER: ("has the schema of an older Longstop", _UPGRADE_HINT),
        SchemaState.NEWER: (
            f"has the schema of a newer Longstop than this one, which knows revision {HEAD_REVISION}",
            "Install that version, or name another database; nothing was changed.",
        ),
        SchemaState.FOREIGN: (
            "has tables that Longstop did not make",
            "Name an empty database; nothing was changed.",
        ),
        SchemaState.DAMAGED: (
            "lacks tables that its schema number promises, or the number itself is wrong",
            RESTORE_HINT,
        ),
    }
    if state in complaints:
        complaint, hint = complaints[state]
        raise StoreError(f"The database {address} {complaint}.", hint=hint)


def head_revision() -> str:
    return HEAD_REVISION


def current_revision(url: str) -> str | None:
    """None when the database is empty or is none yet. Looks only; makes nothing."""
    address = parse_address(url)
    if isinstance(address, PostgresAddress):
        revision: str | None = _run(lambda: _postgres().current_revision_of(address))
        return revision
    if address.path is None or not address.path.exists():
        return None
    try:
        with closing(connect_reader(address.path, _BUSY_SECONDS)) as connection:
            return sqlite_revision(connection)[1]
    except sqlite3.Error as error:
        raise store_error(error, address.path) from error


def upgrade(url: str) -> str:
    """Brings the schema to the current revision and tells which that is. What is not ours is left alone."""
    upgrade_address(parse_address(url))
    return HEAD_REVISION


def upgrade_address(address: Address) -> None:
    if isinstance(address, PostgresAddress):
        _run(lambda: _postgres().upgrade_postgres(address))
        return
    if address.path is None:
        return  # a database in memory is gone with its connection
    make_parent(address.path)
    lock = FileLock(address.path)
    lock.acquire()
    try:
        upgrade_sqlite(address.path)
    finally:
        lock.release()


def upgrade_sqlite(path: Path) -> None:
    """All steps in one transaction: killed half-way, the schema is the old one. The caller holds the file's lock."""
    engine = create_engine("sqlite://", creator=lambda: connect_writer(path, _BUSY_SECONDS), poolclass=NullPool)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with engine.begin() as connection:
            state = judge(*sqlite_revision(connection.connection.dbapi_connection))
            if state.is_upgradable:
                migrate(connection)
            else:
                require_current(state, path)
    except sqlite3.Error as error:
        raise store_error(error, path) from error
    except DBAPIError as error:
        cause = error.orig if isinstance(error.orig, sqlite3.Error) else sqlite3.OperationalError(str(error.orig))
        if primary_code(cause) == sqlite3.SQLITE_ERROR:
            raise unmigrated(path, cause) from error
        raise store_error(cause, path) from error
    finally:
        engine.dispose()


def sqlite_revision(connection: Any) -> tuple[list[str], str | None]:
    """The tables there are, and the revision. In a file of its own, any table of another is in the way."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    tables = [name for (name,) in connection.execute(query)]
    if VERSION_TABLE not in tables:
        return tables, None
    return tables, one_revision(number for (number,) in connection.execute(READ_REVISION))


def one_revision(numbers: Iterable[str]) -> str | None:
    """There should be one; several are no number at all."""
    return ", ".join(sorted(numbers)) or None


def unmigrated(address: object, reason: object) -> StoreError:
    """A step that cannot be taken: the tables are not those of the schema that the number names."""
    return StoreError(
        f"The database {address} is not what its schema number says, so it cannot be brought forward: {reason}.",
        hint=RESTORE_HINT,
    )


def migrate(connection: Connection) -> None:
    from alembic import command

    with as_file(files("longstop.store") / "migrations") as folder:
        config = _config(folder)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _config(folder: Path) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _known_revisions() -> frozenset[str]:
    from alembic.script import ScriptDirectory

    with as_file(files("longstop.store") / "migrations") as folder:
        return frozenset(script.revision for script in ScriptDirectory.from_config(_config(folder)).walk_revisions())


def create_in_memory(connection: sqlite3.Connection) -> None:
    """A database in memory has no past to migrate from; a test proves that both ways lead to the same schema."""
    dialect = sqlite_dialect.dialect()
    for table in metadata.sorted_tables:
        connection.execute(str(CreateTable(table).compile(dialect=dialect)))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(str(CreateIndex(index).compile(dialect=dialect)))
    connection.execute(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    connection.execute(_STAMP, (HEAD_REVISION,))


def _postgres() -> ModuleType:
    try:
        from longstop.store import postgres_schema
    except ImportError as error:
        raise driver_missing() from error
    return postgres_schema


def _run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """These are commands: they may be called with or without a running loop, and take a moment either way."""
    with ThreadPoolExecutor(1, "longstop-schema") as pool:
        return pool.submit(lambda: asyncio.run(work())).result()
