"""The address of a database: what is understood, and what is said of the rest."""

from pathlib import Path

import pytest

from longstop.domain.errors import InputError
from longstop.store.address import PostgresAddress, SqliteAddress, parse_address

SQLITE = {
    "sqlite://": None,
    "sqlite:///": None,
    "sqlite:///:memory:": None,
    "sqlite:///var/longstop.db": Path("var/longstop.db"),
    "sqlite:////var/longstop.db": Path("/var/longstop.db"),
    "sqlite+pysqlite:///a.db": Path("a.db"),
    "SQLite:///a.db": Path("a.db"),
    "  sqlite:///a.db\n": Path("a.db"),
    "sqlite:///a%20b.db": Path("a b.db"),
    "sqlite:///~/a.db": Path.home() / "a.db",
}


@pytest.mark.parametrize("url", SQLITE)
def test_an_sqlite_address_names_a_file_or_memory(url: str) -> None:
    assert parse_address(url) == SqliteAddress(SQLITE[url])


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg", "POSTGRESQL"])
def test_a_postgres_address_goes_by_many_names(scheme: str) -> None:
    address = parse_address(f"{scheme}://longstop:sesame@db.example:5433/scores?sslmode=require")
    assert isinstance(address, PostgresAddress)
    assert address.dsn == "postgresql://longstop:sesame@db.example:5433/scores?sslmode=require"


def test_a_password_is_not_shown() -> None:
    address = parse_address("postgresql://longstop:sesame@db.example/scores?password=sesame")
    assert str(address) == "postgresql://db.example:5432/scores"
    assert "sesame" not in repr(address)


def test_an_address_of_version_six_is_shown_as_it_is_written() -> None:
    assert str(parse_address("postgresql://me@[::1]:1/scores")) == "postgresql://[::1]:1/scores"


BAD = {
    "": "no scheme",
    "longstop.db": "no scheme",
    "/var/longstop.db": "no scheme",
    "mysql://localhost/x": "no store for mysql://",
    "redis://localhost": "no store for redis://",
    "sqlite://host/path": "names no host",
    "sqlite://relative.db": "names no host",
    "sqlite:///a.db?mode=ro": "no options",
    "sqlite:///a\0b.db": "no options and no NUL",
    "postgresql://u:p@host:port/x": "cannot be read",
    "postgresql://[::1/x": "cannot be read",
}


@pytest.mark.parametrize("url", BAD)
def test_what_is_not_understood_is_told_with_what_would_be(url: str) -> None:
    with pytest.raises(InputError, match=BAD[url]) as told:
        parse_address(url)
    assert told.value.hint


def test_an_unknown_store_is_told_which_are_known() -> None:
    with pytest.raises(InputError) as told:
        parse_address("mysql://root:sesame@localhost/x")
    assert "sqlite:///" in told.value.hint
    assert "postgresql://" in told.value.hint
    assert "sesame" not in str(told.value)
