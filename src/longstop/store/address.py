"""Where a store is: the URL of a database, taken apart and checked once."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from longstop.domain.errors import InputError

_SUPPORTED_HINT = "Supported are sqlite:///path/to/file.db, sqlite:// (in memory) and postgresql://user@host/database."
_SQLITE = frozenset({"sqlite", "sqlite+pysqlite", "sqlite+aiosqlite"})
_POSTGRES = frozenset({"postgresql", "postgres", "postgresql+asyncpg", "postgres+asyncpg"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.IGNORECASE)


@dataclass(frozen=True)
class SqliteAddress:
    """`path` None is a database in memory."""

    path: Path | None

    def __str__(self) -> str:
        return str(self.path or "in memory")


@dataclass(frozen=True)
class PostgresAddress:
    """`dsn` as libpq and asyncpg know it; it may hold a password, so it is never shown."""

    dsn: str
    label: str

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"PostgresAddress({self.label!r})"


Address = SqliteAddress | PostgresAddress


def parse_address(url: str) -> Address:
    scheme, separator, rest = url.strip().partition("://")
    if not separator or not _SCHEME.fullmatch(scheme):
        raise InputError("The address of the database has no scheme.", hint=_SUPPORTED_HINT)
    if scheme.lower() in _SQLITE:
        return _sqlite(rest)
    if scheme.lower() in _POSTGRES:
        return _postgres(rest)
    raise InputError(f"There is no store for {scheme}://.", hint=_SUPPORTED_HINT)


def _sqlite(rest: str) -> SqliteAddress:
    """`sqlite:///a.db` is relative, `sqlite:////a.db` absolute, as SQLAlchemy has it."""
    if rest in ("", "/", "/:memory:", ":memory:"):
        return SqliteAddress(None)
    if not rest.startswith("/"):
        raise InputError(
            "An SQLite address names no host.", hint="Write three slashes before a relative path, four before /."
        )
    if "?" in rest or "\0" in rest:
        raise InputError("An SQLite address takes no options and no NUL.", hint=_SUPPORTED_HINT)
    return SqliteAddress(Path(unquote(rest[1:])).expanduser())


def _postgres(rest: str) -> PostgresAddress:
    dsn = f"postgresql://{rest}"
    try:
        parts = urlsplit(dsn)
        host = parts.hostname or "local"
        where = f"{f'[{host}]' if ':' in host else host}:{parts.port or 5432}"
    except ValueError as error:
        raise InputError(
            "The address of the PostgreSQL database cannot be read.",
            hint="Percent-encode what is special in user and password; " + _SUPPORTED_HINT,
        ) from error
    return PostgresAddress(dsn, f"postgresql://{where}{parts.path}")
