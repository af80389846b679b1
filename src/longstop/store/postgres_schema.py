"""The schema on PostgreSQL: looked at and brought forward, in whatever schema the search path names first."""

from sqlalchemy import Connection, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection

from longstop.store import schema
from longstop.store.address import PostgresAddress
from longstop.store.postgres_engine import DATABASE_ERRORS, first_line, make_single_engine, store_error
from longstop.store.postgres_options import PostgresOptions
from longstop.store.tables import VERSION_TABLE, metadata

# Any number will do, so long as every Longstop takes the same one.
_UPGRADE_LOCK = 0x10_46_57_0B


async def state_of(connection: AsyncConnection) -> schema.SchemaState:
    return schema.judge(*await _tables_and_revision(connection))


async def current_revision_of(address: PostgresAddress) -> str | None:
    engine = make_single_engine(address, PostgresOptions())
    try:
        async with engine.connect() as connection:
            return (await _tables_and_revision(connection))[1]
    except DATABASE_ERRORS as error:
        raise store_error(error, address) from error
    finally:
        await engine.dispose()


async def upgrade_postgres(address: PostgresAddress) -> None:
    """One transaction, behind a lock: of several who start at once, one migrates and the others find it done."""
    engine = make_single_engine(address, PostgresOptions())
    try:
        async with engine.begin() as connection:
            await connection.execute(text("SET LOCAL statement_timeout = 0"))
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _UPGRADE_LOCK})
            state = await state_of(connection)
            if state.is_upgradable:
                await connection.run_sync(_migrate, address)
            else:
                schema.require_current(state, address)
    except DATABASE_ERRORS as error:
        raise store_error(error, address) from error
    finally:
        await engine.dispose()


def _migrate(connection: Connection, address: PostgresAddress) -> None:
    try:
        schema.migrate(connection)
    except ProgrammingError as error:
        raise schema.unmigrated(address, first_line(error)) from error


async def _tables_and_revision(connection: AsyncConnection) -> tuple[list[str], str | None]:
    """A database may be shared, so only tables of our own names stand in the way."""
    wanted = [VERSION_TABLE, *metadata.tables]
    query = text("SELECT name FROM unnest(CAST(:names AS text[])) AS name WHERE to_regclass(name) IS NOT NULL")
    found = [name for (name,) in await connection.execute(query, {"names": wanted})]
    if VERSION_TABLE not in found:
        return found, None
    return found, schema.one_revision(await connection.scalars(text(schema.READ_REVISION)))
