"""The rows of the access log. They come by the thousand, so they are written the short way."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Select, case, delete, func, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert

from longstop.domain.access import AccessEntry
from longstop.store.cells import aware
from longstop.store.entry.tables import api_access_log

_BATCH_ROWS_MAX: Final = 500
_FIELDS: Final = AccessEntry.__struct_fields__[1:]
_COLUMNS: Final = ("id", "day", *_FIELDS)
_INSERT: Final = (
    f"INSERT OR IGNORE INTO api_access_log ({', '.join(_COLUMNS)}) "  # noqa: S608 - names of ours
    f"VALUES ({', '.join('?' * len(_COLUMNS))})"
)
_column: Final = api_access_log.c


class AccessDay(msgspec.Struct, frozen=True):
    """What one consumer did in one day, by endpoint."""

    endpoint: str
    requests: int
    refused: int
    failed: int
    duration_ms_mean: float
    duration_ms_max: float
    data_age_seconds_max: float | None


def write(connection: Connection, entries: Sequence[AccessEntry]) -> None:
    """What is there already stays as it is."""
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.dbapi_connection
        driver.executemany(_INSERT, _tuples(entries))
        return
    rows = [dict(zip(_COLUMNS, (each.entry_id, f"{each.at:%Y-%m-%d}", *_rest(each)), strict=True)) for each in entries]
    statement = postgres_insert(api_access_log).on_conflict_do_nothing(index_elements=["id"])
    for start in range(0, len(rows), _BATCH_ROWS_MAX):
        connection.execute(statement, rows[start : start + _BATCH_ROWS_MAX])


def _rest(entry: AccessEntry) -> tuple[Any, ...]:
    return msgspec.structs.astuple(entry)[1:]


def _tuples(entries: Sequence[AccessEntry]) -> Iterator[tuple[Any, ...]]:
    """Most entries of a batch are of the same second, so its text is made once."""
    second, text = None, ""
    for entry in entries:
        at = entry.at
        whole = at.replace(microsecond=0)
        if whole != second:
            second, text = whole, aware(at).strftime("%Y-%m-%dT%H:%M:%S")
        number, _, *rest = msgspec.structs.astuple(entry)
        yield number, text[:10], f"{text}.{at.microsecond:06d}Z", *rest


def _of(day: date, consumer: str | None) -> Iterator[Any]:
    yield _column.day == day.isoformat()
    if consumer is not None:
        yield _column.consumer == consumer


def entries(connection: Connection, day: date, consumer: str | None, limit: int) -> list[AccessEntry]:
    asked: Select[Any] = select(_column.id, *(_column[name] for name in _FIELDS)).where(*_of(day, consumer))
    ordered = asked.order_by(_column.at.desc(), _column.id.desc()).limit(limit)
    return [AccessEntry(*row) for row in connection.execute(ordered)]


def summary(connection: Connection, day: date, consumer: str) -> list[AccessDay]:
    asked = (
        select(
            _column.endpoint,
            func.count(),
            func.sum(case((_column.status.between(400, 499), 1), else_=0)),
            func.sum(case((_column.status >= 500, 1), else_=0)),
            func.avg(_column.duration_ms),
            func.max(_column.duration_ms),
            func.max(_column.data_age_seconds),
        )
        .where(*_of(day, consumer))
        .group_by(_column.endpoint)
        .order_by(func.count().desc(), _column.endpoint)
    )
    return [AccessDay(row[0], row[1], int(row[2]), int(row[3]), *row[4:]) for row in connection.execute(asked)]


def prune(connection: Connection, before: date, rows_max: int) -> int:
    """Whole days, and of the day in which the bound lies its oldest entries."""
    gone = connection.execute(delete(api_access_log).where(_column.day < before.isoformat())).rowcount
    counted = select(_column.day, func.count()).group_by(_column.day).order_by(_column.day.desc())
    left = rows_max
    for day, count in connection.execute(counted).all():
        gone += _cut(connection, day, count - max(0, left)) if count > left else 0
        left -= count
    return gone


def _cut(connection: Connection, day: str, excess: int) -> int:
    oldest = select(_column.id).where(_column.day == day).order_by(_column.at, _column.id).limit(excess)
    return connection.execute(delete(api_access_log).where(_column.id.in_(oldest))).rowcount
