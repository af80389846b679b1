"""Rows as PostgreSQL takes them: columns as arrays, one statement a table, whatever the number of rows.

PostgreSQL keeps no NUL in text. Since a source may send one, NUL is written as two characters and read back as one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ARRAY, Column, Text, bindparam, cast, column, func, select
from sqlalchemy.dialects import postgresql

from longstop.store import tables
from longstop.store.cells import Row
from longstop.store.sql_text import SqlText, for_postgres
from longstop.store.writes import KINDS, Kind, Part, Rule

_ESCAPE = "\x10"
_NUL_ESCAPED = _ESCAPE + "0"
_ESCAPE_ESCAPED = _ESCAPE + "1"


def text_in(value: Any) -> Any:
    if type(value) is str and ("\x00" in value or _ESCAPE in value):
        return value.replace(_ESCAPE, _ESCAPE_ESCAPED).replace("\x00", _NUL_ESCAPED)
    return value


def text_out(value: Any) -> Any:
    if type(value) is str and _ESCAPE in value:
        return value.replace(_NUL_ESCAPED, "\x00").replace(_ESCAPE_ESCAPED, _ESCAPE)
    return value


def rows_out(rows: Iterable[Sequence[Any]]) -> list[Row]:
    return [tuple(map(text_out, row)) for row in rows]


@cache
def inserts() -> Mapping[str, SqlText]:
    return {kind.table.name: _insert(kind) for kind in KINDS}


def _insert(kind: Kind) -> SqlText:
    targets = [kind.table.c[name] for name in kind.columns]
    arrays = [bindparam(target.name, type_=ARRAY(_handed_in_as(target))) for target in targets]
    names = [column(target.name, _handed_in_as(target)) for target in targets]
    incoming = func.unnest(*arrays).table_valued(*names, name="incoming").render_derived()
    source = select(*(_cell(target, incoming.c[target.name]) for target in targets))
    return for_postgres(kind.on_conflict(postgresql.insert(kind.table).from_select(list(kind.columns), source)))


def _handed_in_as(target: Column[Any]) -> Any:
    return Text() if target.type is tables.JsonText else target.type


def _cell(target: Column[Any], incoming: Any) -> Any:
    return cast(incoming, postgresql.JSON) if target.type is tables.JsonText else incoming


def arguments(kind: Kind, rows: Sequence[Row]) -> dict[str, list[Any]]:
    columns = zip(*rows, strict=True)
    return {name: list(map(text_in, values)) for name, values in zip(kind.columns, columns, strict=True)}


def waves(part: Part) -> Iterator[list[Row]]:
    """Sorted by key, so that two writers never wait for each other in a ring. A row is updated once in a statement, so
    a key that comes twice waits for the next wave."""
    places = [part.kind.columns.index(name) for name in part.kind.key]
    left = sorted(part.rows, key=lambda row: tuple(row[place] for place in places))
    if part.kind.rule is not Rule.KEEP_BEST:
        yield left
        return
    while left:
        wave: dict[Row, Row] = {}
        left = [row for row in left if wave.setdefault(tuple(row[place] for place in places), row) is not row]
        yield list(wave.values())
