"""`longstop rebuild`: a record held against its captures, from the command line."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import typer
from typer.testing import Result

from longstop import virtual_time
from longstop.commands import rebuild
from longstop.domain.errors import StoreError
from longstop.store.contract import WriteBatch
from longstop.store.sqlite import SqliteOptions, SqliteStore
from longstop.store.sqlite_file import FileLock
from tests.crex import REF
from tests.polling import CLOCK, Table, table

FILE = "database.url=sqlite:///here.db"
Words = Callable[..., Result]


@pytest.fixture
def words(run: Callable[..., Words]) -> Words:
    app = typer.Typer(result_callback=lambda status, **_: exit_as(status))
    app.command("rebuild")(rebuild.rebuild)
    app.command("other")(lambda: None)
    return run(app)


def exit_as(status: int) -> None:
    raise typer.Exit(status)


async def watched(missed: int) -> None:
    """A match on file, whose last balls are in the captures and not in the record."""
    it: Table = await table(9)
    await it.poll()
    store = SqliteStore(Path("here.db"), clock=CLOCK, options=SqliteOptions(inline=True))
    await store.open()
    page = await it.store.ledger(REF.match_id)
    row = await it.store.match(REF.match_id)
    assert row is not None
    assert page.live is not None
    kept = page.deliveries[: len(page.deliveries) - missed]
    await store.save(WriteBatch(matches=(row,), live=(page.live,), deliveries=kept, innings=page.innings))
    await store.keep(await it.store.captures(REF.match_id))
    await store.close()


@pytest.mark.req("C5")
def test_a_record_that_says_what_its_captures_say_ends_well(words: Words) -> None:
    virtual_time.run(watched(missed=0))
    said = words("rebuild", REF.match_id, "--set", FILE)
    assert (said.exit_code, said.stdout.splitlines()[-1]) == (0, "The record says the same.")


@pytest.mark.req("C5")
def test_what_no_capture_proves_is_not_told_to_be_the_same(words: Words) -> None:
    virtual_time.run(watched(missed=0))
    with closing(sqlite3.connect("here.db")) as kept, kept:
        kept.execute("UPDATE capture_bodies SET body = x''")
    said = words("rebuild", REF.match_id, "--set", FILE)
    assert (said.exit_code, "unproven" in said.stdout.splitlines()[-1]) == (3, True)


@pytest.mark.req("C5")
def test_what_differs_is_shown_then_written_and_then_the_same(words: Words) -> None:
    virtual_time.run(watched(missed=2))
    asked = ("rebuild", REF.match_id, "--json", "--set", FILE)
    said = words(*asked)
    found = json.loads(said.stdout)
    assert (said.exit_code, found["is_same"], found["is_written"]) == (1, False, False)
    assert [each["where"] for each in found["differences"]] == ["1.1.2", "1.1.3"]
    written = words(*asked, "--write")
    assert (written.exit_code, json.loads(written.stdout)["left"]) == (0, [])
    assert words(*asked).exit_code == 0


def test_a_database_that_a_longstop_uses_is_told_in_one_sentence(words: Words) -> None:
    virtual_time.run(watched(missed=0))
    lock = FileLock(Path("here.db"))
    lock.acquire()
    said = words("rebuild", REF.match_id, "--set", FILE)
    lock.release()
    assert isinstance(said.exception, StoreError)
    assert "in use by another Longstop" in said.exception.message
