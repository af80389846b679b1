"""Recipes outlive a restart, and nobody gets to see what is in them."""

import asyncio
import itertools
import logging
import os
import stat
import traceback
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from longstop.domain.errors import StoreError, StoreUnavailableError
from longstop.store.contract import RecipeRow, Store, WriteBatch
from longstop.store.match_rows import RECIPE_BYTES_MAX
from longstop.store.schema import upgrade
from longstop.store.sqlite import SqliteOptions, SqliteStore
from tests.contract.store.conftest import Backend, PostgresBackend
from tests.contract.store.samples import at, full_batch

SECRET = b"Bearer-ey7J-the-token"
PAYLOAD = b'{"cookie": "' + SECRET + b'"}\x00\xff\x10'


def recipe(
    purpose: str = "state",
    *,
    payload: bytes = PAYLOAD,
    learnt: float = 0.0,
    expires: float | None = 30.0,
    source: str = "crex",
) -> RecipeRow:
    return RecipeRow(source, purpose, payload, at(learnt), None if expires is None else at(expires))


async def save(store: Store, *rows: RecipeRow) -> None:
    await store.save(WriteBatch(recipes=rows))


# ---- what is kept ----


@pytest.mark.req("A2")
async def test_a_recipe_comes_back_as_it_went_in_after_a_restart(backend: Backend) -> None:
    rows = [recipe("feed", expires=None), recipe("state")]
    store = await backend.store()
    await save(store, *rows)
    await store.close()
    assert list(await (await backend.store()).recipes("crex")) == rows


@pytest.mark.parametrize(
    "payload", [b"", b"\x00", bytes(range(256)) * 9, b"\\x00", "🏏".encode(), b"x" * RECIPE_BYTES_MAX]
)
async def test_any_bytes_come_back_as_they_went_in(store: Store, payload: bytes) -> None:
    await save(store, recipe(payload=payload))
    (told,) = await store.recipes("crex")
    assert told.payload == payload
    assert type(told.payload) is bytes


async def test_recipes_are_told_by_source_and_in_order_of_purpose(store: Store) -> None:
    await save(store, recipe("state"), recipe("Feed"), recipe("state", source="espn"), recipe("feed"))
    assert [row.purpose for row in await store.recipes("crex")] == ["Feed", "feed", "state"]
    assert [row.source for row in await store.recipes("espn")] == ["espn"]
    assert list(await store.recipes("nobody")) == []


async def test_one_that_has_run_out_is_told_all_the_same(store: Store) -> None:
    """Whether it still serves is judged by those who know the time and the site."""
    await save(store, recipe(expires=-60.0))
    assert len(await store.recipes("crex")) == 1


async def test_the_newest_stays_whatever_the_order(store: Store) -> None:
    rows = [recipe(payload=b"old"), recipe(payload=b"new", learnt=20, expires=None), recipe(payload=b"mid", learnt=9)]
    for number, order in enumerate(itertools.permutations(rows)):
        for row in order:
            await save(store, msgspec.structs.replace(row, source=f"s{number}"))
        (told,) = await store.recipes(f"s{number}")
        assert (told.payload, told.learnt_at, told.expires_at) == (b"new", at(20), None)


async def test_of_two_learnt_at_the_same_moment_the_same_stays_whatever_the_order(store: Store) -> None:
    for source, order in (("s1", (b"a", b"b")), ("s2", (b"b", b"a"))):
        for payload in order:
            await save(store, recipe(payload=payload, source=source))
        assert [row.payload for row in await store.recipes(source)] == [b"b"]


async def test_the_newest_of_one_batch_stays(store: Store) -> None:
    await save(store, recipe(payload=b"new", learnt=5), recipe(payload=b"old"), recipe(payload=b"new", learnt=5))
    assert [row.payload for row in await store.recipes("crex")] == [b"new"]


async def test_a_recipe_saved_twice_changes_nothing(backend: Backend, store: Store) -> None:
    await save(store, recipe())
    await save(store, recipe())
    assert await backend.rows("SELECT count(*) FROM recipes") == [(1,)]


async def test_writers_who_cross_do_not_block_each_other(store: Store) -> None:
    rows = [recipe(name, learnt=number) for number, name in enumerate("abcdefgh")]
    await asyncio.gather(*(save(store, *order) for order in [rows, rows[::-1]] * 8))
    assert [row.purpose for row in await store.recipes("crex")] == list("abcdefgh")


async def test_a_recipe_is_written_with_its_batch_or_not_at_all(store: Store) -> None:
    await store.save(full_batch())
    changed = full_batch(balls=2)
    bad = msgspec.structs.replace(changed.events[0], detail="another")
    with pytest.raises(StoreError, match="Another row"):
        await store.save(WriteBatch(recipes=(recipe(),), events=(bad,)))
    assert list(await store.recipes("crex")) == []


# ---- what is refused ----

BAD: dict[str, Any] = {
    "a payload of text": {"payload": SECRET.decode()},
    "a payload that may change": {"payload": bytearray(PAYLOAD)},
    "no payload": {"payload": None},
    "a payload without end": {"payload": PAYLOAD + b"x" * RECIPE_BYTES_MAX},
    "a time without a zone": {"learnt_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - that is what is wrong with it
    "no time": {"learnt_at": None},
    "a purpose without end": {"purpose": "p" * 301},
    "a purpose that is not Unicode": {"purpose": "\ud800"},
}


@pytest.mark.parametrize("what", BAD)
async def test_a_recipe_that_cannot_be_kept_is_refused_without_a_word_of_its_content(store: Store, what: str) -> None:
    with pytest.raises(StoreError) as told:
        await save(store, msgspec.structs.replace(recipe(), **BAD[what]))
    assert not isinstance(told.value, StoreUnavailableError), "it would be tried for ever"
    assert_secret_is_hidden("".join(traceback.format_exception(told.value)))
    assert list(await store.recipes("crex")) == []
    await save(store, recipe())


# ---- what is not shown ----


def assert_secret_is_hidden(text: str) -> None:
    assert SECRET.decode() not in text
    assert SECRET.hex() not in text


def test_a_recipe_says_of_itself_everything_but_its_payload() -> None:
    batch = WriteBatch(recipes=(recipe(),))
    for shown in (repr(recipe()), str(recipe()), f"{batch!r}", repr(batch.recipes), f"{recipe()}"):
        assert_secret_is_hidden(shown)
        assert "crex state" in shown


@pytest.mark.parametrize("backend", ["sqlite", "inline", "postgres"], indirect=True)  # a durable store makes up for it
async def test_a_write_that_fails_tells_nothing_of_it(backend: Backend, caplog: pytest.LogCaptureFixture) -> None:
    """As a traceback at DEBUG would show it, causes and all."""
    caplog.set_level(logging.DEBUG)
    store = await backend.store()
    await broken_table(backend)
    with pytest.raises(StoreError) as told:
        await save(store, recipe())
    assert_secret_is_hidden("".join(traceback.format_exception(told.value)))
    assert_secret_is_hidden(caplog.text)
    await mended_table(backend)


async def broken_table(backend: Backend) -> None:
    if isinstance(backend, PostgresBackend):
        await backend.executed("ALTER TABLE recipes RENAME TO recipes_away")
    else:
        await backend.executed("DROP TABLE recipes")


async def mended_table(backend: Backend) -> None:
    if isinstance(backend, PostgresBackend):
        await backend.executed("ALTER TABLE recipes_away RENAME TO recipes")


# ---- who may read the file ----


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def rights(folder: Path) -> dict[str, str]:
    return {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}


@pytest.mark.parametrize("is_inline", [True, False])
async def test_only_its_owner_may_read_a_database(tmp_path: Path, umask: int, is_inline: bool) -> None:
    store = SqliteStore(tmp_path / "store.db", options=SqliteOptions(inline=is_inline))
    await store.open()
    await save(store, recipe())
    assert len(await store.recipes("crex")) == 1
    found = rights(tmp_path)
    assert found == dict.fromkeys(("store.db", "store.db-wal", "store.db-shm", "store.db.lock"), "0o600")
    await store.close()
    assert set(rights(tmp_path).values()) == {"0o600"}


def test_only_its_owner_may_read_a_database_that_was_made_by_the_upgrade(tmp_path: Path, umask: int) -> None:
    upgrade(f"sqlite:///{tmp_path}/store.db")
    assert set(rights(tmp_path).values()) == {"0o600"}


async def test_the_rights_that_somebody_gave_a_database_stay(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    upgrade(f"sqlite:///{path}")
    path.chmod(0o640)
    store = SqliteStore(path)
    await store.open()
    await save(store, recipe())
    assert rights(tmp_path)["store.db"] == rights(tmp_path)["store.db-wal"] == "0o640"
    await store.close()


async def test_a_link_to_a_database_is_followed(tmp_path: Path) -> None:
    (tmp_path / "store.db").symlink_to(tmp_path / "elsewhere.db")
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    await save(store, recipe())
    await store.close()
    assert stat.S_IMODE((tmp_path / "elsewhere.db").stat().st_mode) == 0o600
