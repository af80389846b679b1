"""Statements compiled once: what SQLAlchemy builds, as the text and the order of arguments that a driver wants.

Compiling costs more than running on a hot path, and so does looking a compiled statement up in SQLAlchemy's own cache.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy.dialects import sqlite


@dataclass(frozen=True)
class SqlText:
    """`constants` are the arguments that SQLAlchemy adds by itself, such as the OFFSET that SQLite's LIMIT gets."""

    text: str
    names: tuple[str, ...]
    constants: Mapping[str, Any]

    def arguments(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        if not self.constants:
            return tuple([values[name] for name in self.names])
        known = {**self.constants, **values}
        return tuple([known[name] for name in self.names])


@cache
def for_sqlite(statement: Any) -> SqlText:
    return _compiled(statement, sqlite.dialect(paramstyle="qmark"))


@cache
def for_postgres(statement: Any) -> SqlText:
    from sqlalchemy.dialects.postgresql import asyncpg  # only where PostgreSQL is used

    return _compiled(statement, asyncpg.dialect())  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it bare


def _compiled(statement: Any, dialect: Any) -> SqlText:
    compiled = statement.compile(dialect=dialect)
    names = tuple(compiled.positiontup or ())
    constants = {name: value for name, value in compiled.params.items() if name in names and value is not None}
    return SqlText(compiled.string, names, constants)
