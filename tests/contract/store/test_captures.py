"""Payloads as they came: durable before anything is derived from them, once each, and within a bound."""

import asyncio
import itertools
import logging
import random
import traceback
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import pytest

from longstop.domain.errors import InputError, StoreClosedError, StoreError, StoreUnavailableError
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus
from longstop.store.capture_rows import BODY_BYTES_MAX, body_values, without_secrets
from longstop.store.contract import Capture, Store, WriteBatch
from tests.contract.store.conftest import Backend, PostgresBackend
from tests.contract.store.samples import MATCH, at, capture, match


def noise(seed: int, size_bytes: int = 1000) -> bytes:
    """What no codec makes smaller, so that sizes can be told beforehand."""
    return random.Random(seed).randbytes(size_bytes)


async def kept(store: Store, match_id: str = MATCH) -> list[Capture]:
    return list(await store.captures(match_id, limit=10_000))


# ---- what is kept ----


@pytest.mark.req("C5")
async def test_a_capture_outlives_a_restart(backend: Backend) -> None:
    rows = [capture(b"one", captured=1), capture(b"two" * 19999, captured=2)]
    store = await backend.store()
    await store.keep(rows)
    await store.close()
    assert await kept(await backend.store()) == rows


@pytest.mark.req("C5")
async def test_a_capture_kept_twice_changes_nothing(backend: Backend, store: Store) -> None:
    rows = [capture(captured=1), capture(captured=2), capture(captured=1, purpose="feed")]
    for order in itertools.permutations([*rows, rows[0]]):
        await store.keep(order)
    assert await kept(store) == [rows[2], rows[0], rows[1]]
    assert await backend.rows("SELECT count(*) FROM capture_bodies") == [(1,)]


@pytest.mark.req("C5")
async def test_a_body_seen_again_is_stored_once_and_packed(backend: Backend, store: Store) -> None:
    body = b'{"runs": 4, "over": "3.2"}' * 4000
    await store.keep([capture(body, captured=second, match_id=f"crex_{second}") for second in range(9)])
    assert await backend.rows("SELECT count(*) FROM captures") == [(9,)]
    (found,) = await backend.rows("SELECT codec, raw_bytes, kept_bytes, length(body) FROM capture_bodies")
    assert found[:2] == ("zlib", len(body))
    assert found[2] == found[3] < len(body) / 50


async def test_a_body_that_does_not_get_smaller_is_kept_as_it_is(backend: Backend, store: Store) -> None:
    await store.keep([capture(noise(1)), capture(b"", captured=1)])
    found = await backend.rows("SELECT codec, kept_bytes FROM capture_bodies ORDER BY kept_bytes")
    assert found == [("plain", 0), ("plain", 1000)]
    assert [each.body for each in await kept(store)] == [noise(1), b""]


async def test_writers_who_cross_do_not_block_each_other(store: Store) -> None:
    rows = [capture(bytes([number]), captured=number) for number in range(8)]
    await asyncio.gather(*(store.keep(order) for order in [rows, rows[::-1]] * 8))
    assert await kept(store) == rows


async def test_keeping_nothing_is_legal(store: Store) -> None:
    await store.keep([])
    assert await kept(store) == []


async def test_a_closed_store_keeps_nothing(store: Store) -> None:
    await store.close()
    for refused in (store.keep([capture()]), store.captures(MATCH), store.prune_captures(0)):
        with pytest.raises(StoreClosedError):
            await refused


# ---- reading on ----


async def test_captures_are_read_after_a_moment_and_no_moment_is_parted(store: Store) -> None:
    told = [(1, "a"), (2, "a"), (2, "b"), (2, "c"), (3, "a"), (4, "a")]
    rows = [capture(bytes([number]), captured=second, purpose=purpose) for number, (second, purpose) in enumerate(told)]
    await store.keep([*rows[::-1], capture(match_id="crex_AB2")])
    assert list(await store.captures(MATCH, limit=1)) == rows[:1]
    assert list(await store.captures(MATCH, limit=2)) == rows[:4]
    assert list(await store.captures(MATCH, after=at(2), limit=1)) == rows[4:5]
    assert list(await store.captures(MATCH, after=at(1.999999))) == rows[1:]
    assert list(await store.captures(MATCH, after=at(4))) == []
    assert list(await store.captures(MATCH, limit=0)) == []
    assert list(await store.captures(MATCH, limit=2**70)) == rows
    with pytest.raises(InputError, match="has no zone"):
        await store.captures(MATCH, after=at(2).replace(tzinfo=None))


async def test_pages_of_captures_join_without_a_hole(store: Store) -> None:
    rows = [capture(bytes([n]), captured=n // 3, purpose=f"p{n}") for n in range(23)]
    await store.keep(rows)
    read: list[Capture] = []
    after: datetime | None = None
    for _ in rows:
        page = await store.captures(MATCH, after=after, limit=2)
        if not page:
            break
        read += page
        after = page[-1].captured_at
    assert sorted(read, key=lambda each: each.body) == rows


# ---- what is refused, and what is not shown ----

BAD: dict[str, dict[str, Any]] = {
    "another body than its hash says": {"body": b"other"},
    "a body of text": {"body": "text"},
    "a body without end": {"body": b"x" * (BODY_BYTES_MAX + 1)},
    "a time without a zone": {"captured_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - that is what is wrong with it
    "no time": {"requested_at": None},
    "a purpose without end": {"purpose": "p" * 301},
    "a match that is not Unicode": {"match_id": "\ud800"},
}


@pytest.mark.parametrize("what", BAD)
async def test_a_capture_that_cannot_be_kept_is_refused_with_all_that_came_with_it(store: Store, what: str) -> None:
    with pytest.raises(StoreError) as told:
        await store.keep([capture(captured=9), msgspec.structs.replace(capture(), **BAD[what])])
    assert not isinstance(told.value, StoreUnavailableError), "it would be tried for ever"
    assert len("".join(traceback.format_exception(told.value))) < 20_000
    assert await kept(store) == []


ADDRESSES = {
    "https://user:pass@host/a?x=1": "https://host/a?x=1",
    "https://host/a?key=AB1&api_key=s3cret&o=3#frag": "https://host/a?key=AB1&api_key=…&o=3",
    "https://host/a?access_token=s3cret": "https://host/a?access_token=…",
    "https://host/a?o=1&X-Signature=s3cret;auth=s3cret": "https://host/a?o=1&X-Signature=…;auth=…",
    "https://host/a?o=1@2": "https://host/a?o=1@2",
    "": "",
}


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_is_kept_without_its_secrets(url: str) -> None:
    assert without_secrets(url) == ADDRESSES[url]


async def test_secrets_in_an_address_are_nowhere_in_the_database(store: Store) -> None:
    await store.keep([capture(url="https://u:s3cret@127.0.0.1/x?token=s3cret&o=1")])
    assert [each.url for each in await kept(store)] == ["https://127.0.0.1/x?token=…&o=1"]


def test_a_capture_says_of_itself_everything_but_its_body() -> None:
    assert "score" not in f"{capture()!r}{capture()}"
    assert "crex_AB1 live, 13 bytes" in repr(capture())


async def test_a_body_never_reaches_the_log(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await store.keep([capture(b"s3cret" * 99)])
    await kept(store)
    assert "s3cret" not in caplog.text


# ---- bodies that were damaged ----

WHOLE = b'{"score": 24}' * 999
DAMAGE = {
    "a bomb": zlib.compress(b"\0" * 50_000_000),
    "another body": zlib.compress(b"something else"),
    "half a body": zlib.compress(WHOLE)[:-9],
    "no packed body": b"not packed at all",
}


@pytest.mark.parametrize("what", DAMAGE)
async def test_a_damaged_body_is_told_and_never_handed_out(backend: Backend, store: Store, what: str) -> None:
    await store.keep([capture(WHOLE), capture(b"whole", captured=5)])
    await damage(backend, DAMAGE[what], capture(WHOLE).sha256)
    damaged, whole = await kept(store)
    assert (damaged.body, whole.body, whole.damage) == (b"", b"whole", "")
    assert damaged.damage == f"the kept body {capture(WHOLE).sha256} is damaged"


async def test_a_body_that_a_newer_longstop_packed_is_told_and_costs_only_itself(
    backend: Backend, store: Store
) -> None:
    await store.keep([capture(WHOLE), capture(b"whole", captured=5)])
    await backend.executed(f"UPDATE capture_bodies SET codec = 'zstd' WHERE sha256 = '{capture(WHOLE).sha256}'")  # noqa: S608 - ours
    newer, whole = await kept(store)
    assert "packed as 'zstd'" in newer.damage
    assert whole.body == b"whole"


async def damage(backend: Backend, packed: bytes, sha256: str) -> None:
    literal = f"'\\x{packed.hex()}'::bytea" if isinstance(backend, PostgresBackend) else f"x'{packed.hex()}'"
    await backend.executed(f"UPDATE capture_bodies SET body = {literal} WHERE sha256 = '{sha256}'")  # noqa: S608 - ours


def test_the_largest_body_can_be_kept() -> None:
    assert body_values(capture(b"\0" * BODY_BYTES_MAX))[2] == BODY_BYTES_MAX


# ---- the bound ----


async def bodies(backend: Backend) -> list[tuple[Any, ...]]:
    return await backend.rows("SELECT count(*), coalesce(sum(kept_bytes), 0) FROM capture_bodies")


async def keep_numbered(store: Store, numbers: Sequence[int], match_id: str = MATCH) -> list[Capture]:
    rows = [capture(noise(number), captured=number, match_id=match_id) for number in numbers]
    await store.keep(rows)
    return rows


@pytest.mark.req("C5")
async def test_the_oldest_go_first_and_only_to_the_bound(backend: Backend, store: Store) -> None:
    rows = await keep_numbered(store, range(10))
    assert await store.prune_captures(10_000) == 0
    assert await store.prune_captures(6_500) == 4
    assert await kept(store) == rows[4:]
    assert await bodies(backend) == [(6, 6000)]
    assert await store.prune_captures(0) == 6
    assert await bodies(backend) == [(0, 0)]
    assert await store.prune_captures(-1) == 0


async def test_a_body_stays_while_anybody_refers_to_it(backend: Backend, store: Store) -> None:
    shared, own = capture(noise(1), captured=1), capture(noise(2), captured=2)
    again = capture(noise(1), captured=3)
    await store.keep([shared, own, again])
    assert await store.prune_captures(1_000) == 2
    assert await kept(store) == [again]
    assert await bodies(backend) == [(1, 1000)]


async def test_more_than_one_step_goes_too(store: Store) -> None:
    rows = await keep_numbered(store, range(700))
    assert await store.prune_captures(100_000) == 600
    assert await kept(store) == rows[600:]
    assert await store.prune_captures(100_000, at(690)) == 90
    assert await kept(store) == rows[690:]


@pytest.mark.req("C5")
async def test_matches_that_live_lose_theirs_last(store: Store) -> None:
    live = await keep_numbered(store, range(3), "crex_LIVE")
    done = await keep_numbered(store, range(10, 13), "crex_DONE")
    stray = await keep_numbered(store, range(20, 22), "crex_STRAY")
    over = match("DONE", status=MatchStatus.COMPLETED, state=MatchState.COMPLETED)
    await store.save(WriteBatch(matches=(over, match("LIVE", state=MatchState.PAUSED))))
    assert await store.prune_captures(7_000) == 1
    assert await kept(store, "crex_DONE") == done[1:]
    assert await store.prune_captures(4_000) == 3
    assert (await kept(store, "crex_DONE"), await kept(store, "crex_STRAY")) == ([], stray[1:])
    assert await store.prune_captures(2_000) == 2
    assert await kept(store, "crex_LIVE") == live[1:]


@pytest.mark.req("C5")
async def test_what_is_too_old_goes_unless_its_match_lives(store: Store) -> None:
    live = await keep_numbered(store, range(3), "crex_LIVE")
    done = await keep_numbered(store, range(10, 13), "crex_DONE")
    await store.save(WriteBatch(matches=(match("LIVE"),)))
    assert await store.prune_captures(10**9, at(11)) == 1
    assert await store.prune_captures(10**9, at(11)) == 0
    assert await kept(store, "crex_DONE") == done[1:]
    assert await store.prune_captures(10**9, at(9999)) == 2
    assert await kept(store, "crex_LIVE") == live
    with pytest.raises(InputError, match="has no zone"):
        await store.prune_captures(0, at(1).replace(tzinfo=None))


async def test_who_keeps_and_who_prunes_may_cross(backend: Backend, store: Store) -> None:
    """A body that somebody relies on never goes from under him."""
    same = [noise(number) for number in range(4)]
    for turn in range(6):
        rows = [capture(body, captured=10 * turn + number) for number, body in enumerate(same)]
        await asyncio.gather(*(store.keep([row]) for row in rows), store.prune_captures(0), store.prune_captures(2000))
    dangling = "SELECT count(*) FROM captures WHERE sha256 NOT IN (SELECT sha256 FROM capture_bodies)"
    assert await backend.rows(dangling) == [(0,)]
    unused = "SELECT count(*) FROM capture_bodies WHERE sha256 NOT IN (SELECT sha256 FROM captures)"
    assert await backend.rows(unused) == [(0,)]
