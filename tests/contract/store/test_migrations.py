"""The way from nothing to the current schema, and what is said to a database that is not there."""

import asyncio
import logging
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from longstop.domain.errors import StoreError
from longstop.store import schema
from longstop.store.open import StoreOptions, open_store
from longstop.store.postgres_options import PostgresOptions
from longstop.store.schema import current_revision, head_revision, upgrade
from longstop.store.sqlite import SqliteOptions
from longstop.store.tables import VERSION_TABLE, metadata
from tests.contract.store.samples import full_batch

# What the documents ask for by name (data model of the scraper's resilience): columns and index of each table.
DOCUMENTED = {
    "matches": {"last_scraper_update", "data_freshness_seconds", "scraper_status"},
    "live_match_data": {"scraper_id", "update_latency_ms", "data_source"},
    "scraper_health_log": {
        *("id", "scraper_id", "match_id", "timestamp", "health_status", "error_count", "memory_mb", "cpu_percent"),
        *("update_latency_ms", "polling_interval_seconds", "uptime_seconds", "last_update_age_seconds"),
    },
    "scraper_errors": {
        *("id", "scraper_id", "match_id", "timestamp", "error_type", "error_message", "stack_trace", "url"),
        *("operation", "retry_attempt", "resolved", "resolution_time", "resolution_method"),
    },
    "match_external_refs": {"match_id", "source_event_id"},
    "match_sofascore_lineup": {"match_id", "team_side", "snapshot_type", "captured_at", "formation"},
    "match_sofascore_player": {
        *("match_id", "team_side", "player_id_ext", "snapshot_type", "captured_at", "position", "rating"),
    },
}
DOCUMENTED_INDEXES = {
    ("matches", ("data_freshness_seconds",)),
    ("matches", ("scraper_status",)),
    ("live_match_data", ("scraper_id",)),
    ("scraper_health_log", ("scraper_id", "timestamp")),
    ("scraper_health_log", ("match_id", "timestamp")),
    ("scraper_health_log", ("health_status", "timestamp")),
    ("scraper_errors", ("scraper_id", "timestamp")),
    ("scraper_errors", ("error_type", "timestamp")),
    ("scraper_errors", ("resolved", "timestamp")),
}


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public")
    yield connection
    await connection.close()


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    request.getfixturevalue("postgres")
    return str(request.getfixturevalue("postgres_url"))


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


async def executed(url: str, statement: str) -> None:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(path_of(url))) as connection:
            connection.executescript(statement)
        return
    other = await asyncpg.connect(url)
    try:
        await other.execute(statement)
    finally:
        await other.close()


async def differences(url: str) -> list[Any]:
    """As Alembic sees them."""

    def compared(connection: Connection) -> list[Any]:
        options = {"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))

    if url.startswith("sqlite"):
        engine = create_engine(url, poolclass=NullPool)
        with engine.connect() as connection:
            return compared(connection)
    async_engine = create_async_engine(url.replace("postgresql:", "postgresql+asyncpg:"), poolclass=NullPool)
    async with async_engine.connect() as async_connection:
        return await async_connection.run_sync(compared)


def test_there_is_one_head_and_the_program_knows_it() -> None:
    assert schema._known_revisions() >= {head_revision()}
    from alembic.script import ScriptDirectory

    folder = Path(schema.__file__).parent / "migrations"
    assert ScriptDirectory.from_config(schema._config(folder)).get_heads() == [head_revision()]


async def test_an_empty_database_is_brought_up_and_a_second_time_changes_nothing(empty_url: str) -> None:
    assert current_revision(empty_url) is None
    assert upgrade(empty_url) == head_revision()
    assert current_revision(empty_url) == head_revision()
    store = open_store(empty_url)
    await store.open()
    await store.save(full_batch())
    await store.close()
    assert upgrade(empty_url) == head_revision()
    store = open_store(empty_url)
    await store.open()
    assert len(await store.matches()) == 1
    await store.close()


async def test_the_migrations_lead_to_the_tables_as_told(empty_url: str) -> None:
    upgrade(empty_url)
    assert await differences(empty_url) == []


async def test_a_drift_would_be_seen(empty_url: str) -> None:
    upgrade(empty_url)
    await executed(empty_url, "ALTER TABLE gaps ADD COLUMN note TEXT; DROP INDEX idx_freshness")
    assert {change[0] for change in await differences(empty_url)} == {"remove_column", "add_index"}


def in_any_order(statement: str) -> tuple[str, frozenset[str], str]:
    """A column that was added later stands at the end; what is asked by name does not mind."""
    head, _, rest = statement.partition("(")
    inner, _, tail = rest.rpartition(")")
    return head.strip(), frozenset(part.strip() for part in re.split(r",(?![^(]*\))", inner)), tail.strip()


def test_on_sqlite_each_way_leads_to_the_same_statements(tmp_path: Path) -> None:
    """Alembic does not look at everything (WITHOUT ROWID, constraint names): the statements themselves must agree."""

    def statements(connection: sqlite3.Connection) -> set[tuple[str, frozenset[str], str]]:
        rows = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE ?", ["longstop%"]
        )
        return {in_any_order(re.sub(r"\s+", " ", sql).replace('"', "").replace(" ,", ",")) for (sql,) in rows}

    upgrade(f"sqlite:///{tmp_path}/migrated.db")
    engine = create_engine(f"sqlite:///{tmp_path}/created.db", poolclass=NullPool)
    metadata.create_all(engine)
    with (
        closing(sqlite3.connect(tmp_path / "migrated.db")) as migrated,
        closing(sqlite3.connect(tmp_path / "created.db")) as created,
        closing(sqlite3.connect(":memory:")) as in_memory,
    ):
        schema.create_in_memory(in_memory)
        assert statements(migrated) == statements(created) == statements(in_memory)
        assert schema.sqlite_revision(in_memory)[1] == schema.sqlite_revision(migrated)[1] == head_revision()


async def test_on_postgres_each_way_leads_to_the_same_catalogue(postgres_url: str, postgres: Any) -> None:
    async def catalogue() -> list[list[Any]]:
        columns = (
            "SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity, collation_name"
            " FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> $1 ORDER BY 1, 2"
        )
        indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> $1 ORDER BY 1"
        constraints = (
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> $1 ORDER BY 1, 2"
        )
        return [[tuple(row) for row in await postgres.fetch(q, VERSION_TABLE)] for q in (columns, indexes, constraints)]

    upgrade(postgres_url)
    migrated = await catalogue()
    await postgres.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine = create_async_engine(postgres_url.replace("postgresql:", "postgresql+asyncpg:"), poolclass=NullPool)
    async with engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    assert all(migrated)
    assert await catalogue() == migrated


def test_everything_the_documents_name_is_there(tmp_path: Path) -> None:
    upgrade(f"sqlite:///{tmp_path}/store.db")
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        for table, columns in DOCUMENTED.items():
            assert columns <= {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        indexes = {
            (table, tuple(row[2] for row in connection.execute(f"PRAGMA index_info({name})")))
            for name, table in connection.execute("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'")
        }
    assert indexes >= DOCUMENTED_INDEXES


def without_upgrade() -> StoreOptions:
    return StoreOptions(sqlite=SqliteOptions(auto_upgrade=False), postgres=PostgresOptions(auto_upgrade=False))


def with_upgrade() -> StoreOptions:
    return StoreOptions(sqlite=SqliteOptions(auto_upgrade=True), postgres=PostgresOptions(auto_upgrade=True))


async def complaint(url: str, options: StoreOptions) -> str:
    store = open_store(url, options=options)
    with pytest.raises(StoreError) as told:
        await store.open()
    await store.close()
    return str(told.value)


async def test_an_empty_database_asks_for_the_upgrade(empty_url: str) -> None:
    assert "no schema yet. Run `longstop db upgrade`" in await complaint(empty_url, without_upgrade())
    store = open_store(empty_url, options=with_upgrade())
    await store.open()
    await store.save(full_batch())
    await store.close()


async def test_an_older_schema_asks_for_the_upgrade(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(empty_url)
    await executed(empty_url, "UPDATE longstop_version SET version_num = '0000'")
    monkeypatch.setattr(schema, "_known_revisions", lambda: frozenset({"0000", head_revision()}))
    text = await complaint(empty_url, without_upgrade())
    assert "older Longstop" in text
    assert "longstop db upgrade" in text


async def test_a_newer_schema_is_left_alone(empty_url: str) -> None:
    upgrade(empty_url)
    await executed(empty_url, "UPDATE longstop_version SET version_num = '9999'")
    assert "newer Longstop" in await complaint(empty_url, with_upgrade())
    with pytest.raises(StoreError, match="newer Longstop"):
        upgrade(empty_url)
    assert current_revision(empty_url) == "9999"


async def test_tables_of_another_program_are_left_alone(empty_url: str) -> None:
    await executed(empty_url, "CREATE TABLE matches (id INTEGER); INSERT INTO matches VALUES (7)")
    assert "did not make" in await complaint(empty_url, with_upgrade())
    with pytest.raises(StoreError, match="did not make"):
        upgrade(empty_url)


DAMAGES = {
    "a table is gone": "DROP TABLE live_history",
    "a table has another name": "ALTER TABLE matches RENAME TO games",
    "two numbers": "INSERT INTO longstop_version VALUES ('0001')",
    "no number": "DELETE FROM longstop_version",
    "a number of nobody": "UPDATE longstop_version SET version_num = 'deadbeef'",
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_schema_that_is_not_what_its_number_says_is_told_and_left_alone(empty_url: str, damage: str) -> None:
    upgrade(empty_url)
    await executed(empty_url, DAMAGES[damage])
    for options in (with_upgrade(), without_upgrade()):
        text = await complaint(empty_url, options)
        assert "its schema number" in text
        assert "Restore a backup" in text
    with pytest.raises(StoreError, match="its schema number"):
        upgrade(empty_url)


async def test_steps_that_were_taken_already_are_told_and_nothing_is_changed(empty_url: str) -> None:
    upgrade(empty_url)
    await executed(empty_url, "UPDATE longstop_version SET version_num = '0003'")
    with pytest.raises(StoreError, match="is not what its schema number says") as caught:
        upgrade(empty_url)
    assert "Restore a backup" in caught.value.hint
    assert current_revision(empty_url) == "0003"


async def test_a_file_of_another_program_is_not_written_into(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/notes.db"
    await executed(url, "CREATE TABLE bookmarks (id INTEGER)")
    assert "did not make" in await complaint(url, with_upgrade())


async def test_a_database_may_be_shared_with_others(postgres_url: str, postgres: Any) -> None:
    await postgres.execute("CREATE TABLE bookmarks (id INTEGER)")
    upgrade(postgres_url)
    assert current_revision(postgres_url) == head_revision()


async def test_a_migration_that_breaks_off_leaves_nothing_half_done(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = command.upgrade

    def break_off(*arguments: Any) -> None:
        real(*arguments)
        raise InterruptedError("the power failed")

    monkeypatch.setattr(command, "upgrade", break_off)
    with pytest.raises((InterruptedError, StoreError)):
        upgrade(empty_url)
    monkeypatch.undo()
    assert current_revision(empty_url) is None
    upgrade(empty_url)
    assert await differences(empty_url) == []


async def test_several_who_upgrade_at_once_do_it_once(postgres_url: str, postgres: Any) -> None:
    await asyncio.gather(*(asyncio.to_thread(upgrade, postgres_url) for _ in range(4)))
    assert current_revision(postgres_url) == head_revision()
    assert await postgres.fetchval("SELECT count(*) FROM longstop_version") == 1


@pytest.fixture
def quiet_logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("longstop.test_of_migrations")
    logger.setLevel(logging.WARNING)
    yield logger
    logger.setLevel(logging.NOTSET)


def test_a_migration_leaves_the_logs_alone(tmp_path: Path, quiet_logger: logging.Logger) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    upgrade(f"sqlite:///{tmp_path}/store.db")
    assert (root.level, list(root.handlers)) == before
    assert not quiet_logger.disabled
    assert quiet_logger.level == logging.WARNING


def test_to_look_makes_nothing(tmp_path: Path) -> None:
    assert current_revision(f"sqlite:///{tmp_path}/deep/store.db") is None
    assert current_revision("sqlite://") is None
    assert list(tmp_path.iterdir()) == []
