"""The backends that every test of the contract runs on."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest

from longstop.clock import SystemClock
from longstop.store.contract import Store
from longstop.store.durably import durably
from longstop.store.open import StoreOptions, open_store
from longstop.store.schema import upgrade
from longstop.store.sqlite import SqliteOptions
from longstop.store.tables import metadata


class Backend(ABC):
    """One database. `store` opens another store on it once the one before is closed; all are closed in the end."""

    url: str

    def __init__(self) -> None:
        self._opened: list[Store] = []

    async def store(self) -> Store:
        store = self.make()
        self._opened.append(store)
        await store.open()
        return store

    @abstractmethod
    def make(self) -> Store: ...

    @abstractmethod
    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Asked past the store, as an operator would."""

    @abstractmethod
    async def executed(self, statement: str) -> None:
        """Done past the store, as nobody should."""

    async def close(self) -> None:
        for store in self._opened:
            await store.close()


class SqliteBackend(Backend):
    def __init__(self, path: Path, *, is_inline: bool) -> None:
        super().__init__()
        self.path = path
        self.url = f"sqlite:///{path}"
        self._options = StoreOptions(sqlite=SqliteOptions(inline=is_inline))

    def make(self) -> Store:
        return open_store(self.url, options=self._options)

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(query).fetchall()

    async def executed(self, statement: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.executescript(statement)


class DurableBackend(SqliteBackend):
    """The store that a spool stands before, with the threads of both."""

    def make(self) -> Store:
        return durably(super().make(), self.path.with_suffix(".spool"), SystemClock())


class PostgresBackend(Backend):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    def make(self) -> Store:
        return open_store(self.url)

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(self.url)
        try:
            return [tuple(row) for row in await connection.fetch(query)]
        finally:
            await connection.close()

    async def executed(self, statement: str) -> None:
        connection = await asyncpg.connect(self.url)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    async def empty(self) -> None:
        await self.executed(f"TRUNCATE {', '.join(metadata.tables)}")


@pytest.fixture(scope="module")
def migrated_postgres_url(postgres_url: str) -> str:
    upgrade(postgres_url)
    return postgres_url


@pytest.fixture(params=["sqlite", "inline", "postgres", "durable"])
async def backend(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Backend]:
    made: Backend
    if request.param == "postgres":
        made = PostgresBackend(request.getfixturevalue("migrated_postgres_url"))
        await made.empty()
    elif request.param == "durable":
        made = DurableBackend(tmp_path / "store.db", is_inline=False)
    else:
        made = SqliteBackend(tmp_path / "store.db", is_inline=request.param == "inline")
    yield made
    await made.close()


@pytest.fixture
async def store(backend: Backend) -> Store:
    return await backend.store()


@pytest.fixture
async def sqlite_store(tmp_path: Path) -> AsyncIterator[Store]:
    """The threaded one, for what only threads can get wrong."""
    backend = SqliteBackend(tmp_path / "store.db", is_inline=False)
    yield await backend.store()
    await backend.close()
