"""The rows of the operators' audit."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from longstop.domain.access import VerbEntry
from longstop.store.entry.tables import api_admin_audit

REFUSED: Final = "refused"
_column: Final = api_admin_audit.c
_FIELDS: Final = VerbEntry.__struct_fields__[1:]


class VerbsAsked(msgspec.Struct, frozen=True):
    """Which entries: of one day (in UTC) or all, of one consumer or all, and only those before a number."""

    day: date | None = None
    consumer: str | None = None
    before: int | None = None
    limit: int = 100


def write(connection: Connection, entries: Sequence[VerbEntry]) -> None:
    """What is there already stays as it is."""
    if not entries:
        return
    make: Any = postgres_insert if connection.dialect.name == "postgresql" else sqlite_insert
    connection.execute(make(api_admin_audit).on_conflict_do_nothing(index_elements=["id"]), [*map(_row, entries)])


def _row(entry: VerbEntry) -> dict[str, Any]:
    fields = {name: getattr(entry, name) for name in _FIELDS}
    return {"id": entry.entry_id, "day": f"{entry.at:%Y-%m-%d}"} | fields


def entries(connection: Connection, asked: VerbsAsked) -> list[VerbEntry]:
    """Newest first."""
    wanted = select(_column.id, *(_column[name] for name in _FIELDS)).where(*_conditions(asked))
    return [VerbEntry(*row) for row in connection.execute(wanted.order_by(_column.id.desc()).limit(asked.limit))]


def _conditions(asked: VerbsAsked) -> Iterator[Any]:
    if asked.day is not None:
        yield _column.day == asked.day.isoformat()
    if asked.consumer is not None:
        yield _column.consumer == asked.consumer
    if asked.before is not None:
        yield _column.id < asked.before


def prune(connection: Connection, before: date, refused_max: int) -> int:
    gone = connection.execute(delete(api_admin_audit).where(_column.day < before.isoformat())).rowcount
    refused = _column.outcome == REFUSED
    edge = select(_column.id).where(refused).order_by(_column.id.desc()).offset(refused_max).limit(1)
    oldest = connection.scalar(edge)
    if oldest is not None:
        gone += connection.execute(delete(api_admin_audit).where(refused, _column.id <= oldest)).rowcount
    return gone
