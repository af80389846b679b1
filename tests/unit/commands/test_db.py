"""`longstop db` tells where a schema stands, and brings it forward without harm."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import Result

from longstop.commands import db
from longstop.commands.checkup import database
from longstop.domain.errors import InputError, StoreError, StoreUnavailableError
from longstop.store import schema
from longstop.store.schema import SchemaState
from longstop.store.sqlite_file import FileLock
from longstop.store.tables import HEAD_REVISION

Words = Callable[..., Result]
FILE = "database.url=sqlite:///here.db"


@pytest.fixture
def words(run: Callable[..., Words]) -> Words:
    return run(db.app)


def sql(statement: str, file: str = "here.db") -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_new_database_is_brought_to_the_current_schema(words: Words) -> None:
    said = words("upgrade", "--set", FILE)
    assert said.exit_code == 0
    assert said.stdout == f"here.db: brought from nothing to schema {HEAD_REVISION}.\n"
    assert schema.current_revision("sqlite:///here.db") == HEAD_REVISION


def test_a_second_upgrade_changes_nothing_and_says_so(words: Words) -> None:
    words("upgrade", "--set", FILE)
    said = words("upgrade", "--set", FILE)
    assert said.stdout == f"here.db: the schema is {HEAD_REVISION} already; nothing was changed.\n"


def test_an_upgrade_tells_programs_from_what_to_what(words: Words) -> None:
    first = json.loads(words("upgrade", "--json", "--set", FILE).stdout)
    second = json.loads(words("upgrade", "--json", "--set", FILE).stdout)
    assert first == {"database": "here.db", "from": None, "to": HEAD_REVISION, "changed": True}
    assert second == {"database": "here.db", "from": HEAD_REVISION, "to": HEAD_REVISION, "changed": False}


def test_the_status_of_no_database_makes_none(words: Words, empty_folder: Path) -> None:
    said = words("status", "--set", FILE)
    assert said.exit_code == 1
    assert "no schema yet" in said.stdout
    assert not list(empty_folder.iterdir())


def test_the_status_of_a_current_schema_is_a_success(words: Words) -> None:
    words("upgrade", "--set", FILE)
    said = words("status", "--json", "--set", FILE)
    assert said.exit_code == 0
    facts = {"database": "here.db", "state": "current", "revision": HEAD_REVISION, "head": HEAD_REVISION}
    assert json.loads(said.stdout) == facts


def test_the_schema_of_a_newer_longstop_is_left_alone(words: Words) -> None:
    words("upgrade", "--set", FILE)
    sql("UPDATE longstop_version SET version_num = '9999'")
    assert words("status", "--set", FILE).exit_code == 1
    said = words("upgrade", "--set", FILE)
    assert isinstance(said.exception, StoreError)
    assert "newer Longstop" in str(said.exception)
    assert schema.current_revision("sqlite:///here.db") == "9999"


def test_the_tables_of_others_are_left_alone(words: Words) -> None:
    sql("CREATE TABLE theirs (a)")
    assert "did not make" in words("status", "--set", FILE).stdout
    said = words("upgrade", "--set", FILE)
    assert isinstance(said.exception, StoreError)
    assert said.exception.hint
    assert database.look("sqlite:///here.db").state is SchemaState.FOREIGN


def test_a_file_that_is_no_database_is_one_sentence_with_a_hint(words: Words) -> None:
    Path("here.db").write_bytes(b"not a database, not at all" * 100)
    for command in ("status", "upgrade"):
        said = words(command, "--set", FILE)
        assert isinstance(said.exception, StoreError)
        assert said.exception.hint
        assert "damaged or is none" in said.exception.message


def test_a_folder_in_the_place_of_the_database_is_told(words: Words) -> None:
    Path("here.db").mkdir()
    said = words("upgrade", "--set", FILE)
    assert isinstance(said.exception, StoreError)
    assert "is a directory" in said.exception.message


def test_a_database_that_a_longstop_writes_to_is_not_upgraded(words: Words) -> None:
    sql("PRAGMA user_version = 1")
    lock = FileLock(Path("here.db"))
    lock.acquire()
    try:
        said = words("upgrade", "--set", FILE)
    finally:
        lock.release()
    assert isinstance(said.exception, StoreError)
    assert "in use by another Longstop" in said.exception.message


def test_a_database_that_another_program_holds_is_one_sentence(words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "_BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect("here.db", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("BEGIN IMMEDIATE")
        said = words("upgrade", "--set", FILE)
    assert isinstance(said.exception, StoreUnavailableError)
    assert "locked" in said.exception.message
    assert said.exception.hint


def test_a_current_schema_is_told_even_while_a_longstop_runs(words: Words) -> None:
    words("upgrade", "--set", FILE)
    lock = FileLock(Path("here.db"))
    lock.acquire()
    try:
        assert words("upgrade", "--set", FILE).exit_code == 0
    finally:
        lock.release()


def test_a_path_that_cannot_be_looked_at_is_one_sentence() -> None:
    with pytest.raises(StoreError, match="cannot be looked at"):
        database.look(f"sqlite:///{'x' * 300}.db")


def test_a_database_in_memory_needs_no_upgrade(words: Words) -> None:
    said = words("upgrade", "--set", "database.url=sqlite:///:memory:")
    assert said.stdout == f"in memory: the schema is {HEAD_REVISION} already; nothing was changed.\n"


def test_an_address_that_no_store_takes_says_which_do() -> None:
    with pytest.raises(InputError, match="Supported are"):
        database.look("mysql://127.0.0.1/x")


def test_a_postgres_that_is_down_is_told_without_its_password(words: Words, free_port: int) -> None:
    said = words("status", "--set", f"database.url=postgresql://me:hunter22@127.0.0.1:{free_port}/x")
    assert isinstance(said.exception, StoreUnavailableError)
    assert f"127.0.0.1:{free_port}" in str(said.exception)
    assert "hunter22" not in str(said.exception)


def test_postgres_is_upgraded_and_told_like_sqlite(words: Words, postgres_url: str) -> None:
    setting = f"database.url={postgres_url}"
    assert json.loads(words("status", "--json", "--set", setting).stdout)["state"] == "empty"
    first = json.loads(words("upgrade", "--json", "--set", setting).stdout)
    assert (first["from"], first["to"], first["changed"]) == (None, HEAD_REVISION, True)
    assert words("status", "--set", setting).exit_code == 0
