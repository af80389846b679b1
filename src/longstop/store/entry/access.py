"""Keeps consumers, keys, revocations, the access log and the operators' audit; on both databases alike."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Row, Select, Table, delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from longstop.clock import Clock
from longstop.domain.access import AccessEntry, ApiKey, Revocation, Scope, Tier, VerbEntry
from longstop.store.address import PostgresAddress, parse_address
from longstop.store.entry import log_rows, verb_rows
from longstop.store.entry.backends import Backend, PostgresBackend, SqliteBackend, alone, newer_schema
from longstop.store.entry.log_rows import AccessDay
from longstop.store.entry.tables import (
    SCHEMA,
    api_consumers,
    api_counters,
    api_keys,
    api_revocations,
    metadata,
)
from longstop.store.entry.verb_rows import VerbsAsked

T = TypeVar("T")


class Standing(msgspec.Struct, frozen=True):
    """Every key and every revocation, as they stood at one moment."""

    version: int
    keys: Sequence[ApiKey]
    revocations: Sequence[Revocation]


class AccessStore:
    """Opens itself when it is first asked, and makes its tables where there are none."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._is_ready = False

    async def standing(self, known: int | None = None) -> Standing | None:
        """None when nothing has changed since the version that is known."""
        return await self._run(lambda connection: _standing(connection, known))

    async def keys(self) -> list[ApiKey]:
        """All there are, the oldest first."""
        return await self._run(_keys)

    async def key(self, key_id: str) -> ApiKey | None:
        return await self._run(lambda connection: _key(connection, key_id))

    async def add_key(self, key: ApiKey) -> None:
        """Its consumer is made with it, or given its tier."""
        await self._run(lambda connection: _add_key(connection, key))

    async def end_key(self, key_id: str, at: datetime, *, replaced_by: str | None = None) -> bool:
        """False when there is none that could still be ended, or it ends sooner anyway."""
        return await self._run(lambda connection: _end_key(connection, key_id, at, replaced_by))

    async def revoke(self, revocation: Revocation) -> None:
        await self._run(lambda connection: _revoke(connection, revocation))

    async def write(self, entries: Sequence[AccessEntry]) -> None:
        """The same entries may be written again."""
        await self._run(lambda connection: log_rows.write(connection, entries))

    async def entries(self, day: date, *, consumer: str | None = None, limit: int = 100) -> list[AccessEntry]:
        """Newest first. Days are those of UTC."""
        return await self._run(lambda connection: log_rows.entries(connection, day, consumer, limit))

    async def day(self, day: date, consumer: str) -> list[AccessDay]:
        return await self._run(lambda connection: log_rows.summary(connection, day, consumer))

    async def write_verbs(self, entries: Sequence[VerbEntry]) -> None:
        """The same entries may be written again."""
        await self._run(lambda connection: verb_rows.write(connection, entries))

    async def verbs(self, asked: VerbsAsked) -> list[VerbEntry]:
        """Newest first."""
        return await self._run(lambda connection: verb_rows.entries(connection, asked))

    async def prune_verbs(self, before: date, refused_max: int) -> int:
        """Removes entries of the days before, and of the refused the oldest beyond so many: only they can be made by
        somebody who may do nothing."""
        return await self._run(lambda connection: verb_rows.prune(connection, before, refused_max))

    async def prune(self, before: date, now: datetime, rows_max: int = 10**9) -> int:
        """Removes log entries of the days before, the oldest beyond so many, and revocations that have run out."""
        return await self._run(lambda connection: _prune(connection, before, now, rows_max))

    async def close(self) -> None:
        await self._backend.close()

    async def _run(self, work: Callable[[Connection], T]) -> T:
        if not self._is_ready:
            await self._backend.run(_make)
            self._is_ready = True
        return await self._backend.run(work)


def access_store(url: str, folder: Path, clock: Clock) -> AccessStore:
    """In the record's database where others can write to it too; beside SQLite's, in a file of its own."""
    address = parse_address(url)
    if isinstance(address, PostgresAddress):
        return AccessStore(PostgresBackend(address, clock))
    return AccessStore(SqliteBackend(folder / "access.db", clock))


def _make(connection: Connection) -> None:
    alone(connection)
    metadata.create_all(connection)
    found = connection.scalar(select(api_counters.c.value).where(api_counters.c.name == "schema"))
    if found is None:
        rows = [{"name": "schema", "value": SCHEMA}, {"name": "changes", "value": 0}]
        connection.execute(insert(api_counters), rows)
    elif found > SCHEMA:
        raise newer_schema(found, SCHEMA)


def _standing(connection: Connection, known: int | None) -> Standing | None:
    """The version first: what changes meanwhile is read once more the next time, and never missed."""
    version = int(connection.scalar(select(api_counters.c.value).where(api_counters.c.name == "changes")) or 0)
    return None if version == known else Standing(version, _keys(connection), _revocations(connection))


def _changed(connection: Connection) -> None:
    """First in its transaction: who changes the same waits here, and nobody sees the number before the change."""
    counter = api_counters.c
    connection.execute(update(api_counters).where(counter.name == "changes").values(value=counter.value + 1))


def _selected() -> Select[Any]:
    joined = api_keys.outerjoin(api_consumers, api_keys.c.consumer == api_consumers.c.consumer)
    return select(api_keys, api_consumers.c.tier).select_from(joined)


def _keys(connection: Connection) -> list[ApiKey]:
    ordered = _selected().order_by(api_keys.c.created_at, api_keys.c.key_id)
    return [_key_of(row) for row in connection.execute(ordered)]


def _key(connection: Connection, key_id: str) -> ApiKey | None:
    row = connection.execute(_selected().where(api_keys.c.key_id == key_id)).first()
    return None if row is None else _key_of(row)


def _key_of(row: Row[Any]) -> ApiKey:
    return ApiKey(
        key_id=row.key_id,
        consumer=row.consumer,
        tier=Tier(row.tier or Tier.STANDARD),
        scopes=frozenset(Scope(word) for word in row.scopes.split()),
        key_hash=row.key_hash,
        created_at=row.created_at,
        label=row.label,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        replaced_by=row.replaced_by,
    )


def _add_key(connection: Connection, key: ApiKey) -> None:
    _changed(connection)
    known = update(api_consumers).where(api_consumers.c.consumer == key.consumer).values(tier=key.tier.value)
    if connection.execute(known).rowcount == 0:
        consumer = {"consumer": key.consumer, "tier": key.tier.value, "created_at": key.created_at}
        connection.execute(insert(api_consumers), consumer)
    row = msgspec.structs.asdict(key) | {"scopes": " ".join(sorted(key.scopes))}
    del row["tier"]
    connection.execute(insert(api_keys), row)


def _end_key(connection: Connection, key_id: str, at: datetime, replaced_by: str | None) -> bool:
    _changed(connection)
    column = api_keys.c
    later = (column.revoked_at.is_(None)) | (column.revoked_at > at)
    values: dict[str, Any] = {"revoked_at": at}
    if replaced_by is not None:
        values["replaced_by"] = replaced_by
    return connection.execute(update(api_keys).where(column.key_id == key_id, later).values(values)).rowcount == 1


def _revocations(connection: Connection) -> list[Revocation]:
    return [Revocation(*row) for row in connection.execute(select(api_revocations))]


def _revoke(connection: Connection, revocation: Revocation) -> None:
    _changed(connection)
    _insert_new(connection, api_revocations, [msgspec.structs.asdict(revocation)], "jti")


def _insert_new(connection: Connection, table: Table, rows: list[dict[str, Any]], key: str) -> None:
    """What is there already stays as it is."""
    statement: Any = postgres_insert(table) if connection.dialect.name == "postgresql" else sqlite_insert(table)
    connection.execute(statement.on_conflict_do_nothing(index_elements=[key]), rows)


def _prune(connection: Connection, before: date, now: datetime, rows_max: int) -> int:
    connection.execute(delete(api_revocations).where(api_revocations.c.expires_at < now))
    return log_rows.prune(connection, before, rows_max)
