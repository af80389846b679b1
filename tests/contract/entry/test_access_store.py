"""Keys, revocations and the access log, on both databases alike."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from longstop.clock import SystemClock
from longstop.domain.access import AccessEntry, ApiKey, Revocation, Scope, Tier, VerbEntry
from longstop.domain.errors import StoreError, StoreUnavailableError
from longstop.store.entry.access import AccessStore, access_store
from longstop.store.entry.verb_rows import VerbsAsked
from tests.servers.postgres import PostgresServer

pytestmark = pytest.mark.req("G2")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgres"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/record.db"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    name = server.create_database()
    yield server.url(name)
    server.drop_database(name)


@pytest.fixture
async def store(url: str, tmp_path: Path) -> AsyncIterator[AccessStore]:
    made = access_store(url, tmp_path, SystemClock())
    yield made
    await made.close()


@pytest.fixture
async def other(url: str, tmp_path: Path) -> AsyncIterator[AccessStore]:
    """Another process, as far as the database can tell."""
    made = access_store(url, tmp_path, SystemClock())
    yield made
    await made.close()


def key(key_id: str = "abcdefgh", **more: object) -> ApiKey:
    fields = {
        "consumer": "acme",
        "tier": Tier.STANDARD,
        "scopes": frozenset({Scope.READ, Scope.PUSH}),
        "key_hash": "ab" * 32,
        "created_at": NOON,
        "label": "for the website",
    } | more
    return msgspec.convert({"key_id": key_id} | fields, ApiKey)


def entry(number: int, **more: object) -> AccessEntry:
    fields = {
        "at": NOON + timedelta(seconds=number),
        "consumer": "acme",
        "key_id": "abcdefgh",
        "method": "GET",
        "endpoint": "/cricket-data/matches",
        "status": 200,
        "duration_ms": 2.0,
        "request_id": f"r{number}",
    } | more
    return msgspec.convert({"entry_id": number} | fields, AccessEntry)


async def test_a_key_comes_back_as_it_was_made(store: AccessStore, other: AccessStore) -> None:
    made = key(expires_at=NOON + timedelta(days=1))
    await store.add_key(made)
    assert await other.keys() == [made]
    assert await other.key("abcdefgh") == made
    assert await other.key("nobodys") is None


async def test_the_tier_is_the_consumers_and_the_last_word_counts(store: AccessStore) -> None:
    await store.add_key(key("first"))
    await store.add_key(key("second", tier=Tier.PREMIUM, created_at=NOON + timedelta(seconds=1)))
    assert [each.tier for each in await store.keys()] == [Tier.PREMIUM, Tier.PREMIUM]


async def test_a_key_is_ended_once_and_never_later_than_before(store: AccessStore) -> None:
    await store.add_key(key())
    assert await store.end_key("abcdefgh", NOON + timedelta(hours=1), replaced_by="newone")
    assert await store.end_key("abcdefgh", NOON)
    assert not await store.end_key("abcdefgh", NOON + timedelta(hours=2))
    assert not await store.end_key("nobodys", NOON)
    (ended,) = await store.keys()
    assert (ended.revoked_at, ended.replaced_by) == (NOON, "newone")
    assert (ended.state(NOON), ended.state(NOON - timedelta(seconds=1))) == ("revoked", "active")


async def test_each_change_is_seen_by_others_and_nothing_else_is_read_again(
    store: AccessStore, other: AccessStore
) -> None:
    first = await other.standing()
    assert first is not None
    assert (list(first.keys), list(first.revocations)) == ([], [])
    assert await other.standing(first.version) is None
    await store.add_key(key())
    second = await other.standing(first.version)
    assert second is not None
    assert [each.key_id for each in second.keys] == ["abcdefgh"]
    revoked = Revocation("jti-1", NOON, NOON + timedelta(hours=24))
    await store.revoke(revoked)
    await store.revoke(revoked)
    third = await other.standing(second.version)
    assert third is not None
    assert list(third.revocations) == [revoked]
    assert third.version > second.version
    await store.write([entry(1)])
    assert await other.standing(third.version) is None


async def test_two_who_make_the_tables_at_once_find_them_made(url: str, tmp_path: Path) -> None:
    stores = [access_store(url, tmp_path, SystemClock()) for _ in range(4)]
    try:
        await asyncio.gather(*(each.add_key(key(f"key{number}")) for number, each in enumerate(stores)))
        assert len(await stores[0].keys()) == 4
    finally:
        for each in stores:
            await each.close()


async def test_the_log_is_asked_by_consumer_and_day(store: AccessStore) -> None:
    await store.write([entry(number, duration_ms=float(number)) for number in range(4)])
    await store.write(
        [
            entry(10, status=429, duration_ms=1.0),
            entry(11, status=503, duration_ms=1.0, data_age_seconds=7.5),
            entry(12, consumer="other"),
            entry(13, endpoint="/health"),
            entry(90_000),
        ]
    )
    today = NOON.date()
    listed = await store.entries(today, consumer="acme")
    assert [each.entry_id for each in listed] == [13, 11, 10, 3, 2, 1, 0]
    assert listed[0] == entry(13, endpoint="/health")
    assert listed[1].data_age_seconds == 7.5
    assert len(await store.entries(today, limit=3)) == 3
    first, second = await store.day(today, "acme")
    assert (first.endpoint, first.requests, first.refused, first.failed) == ("/cricket-data/matches", 6, 1, 1)
    assert first.duration_ms_mean == pytest.approx(8 / 6)
    assert (first.duration_ms_max, first.data_age_seconds_max) == (3.0, 7.5)
    assert (second.endpoint, second.requests) == ("/health", 1)


async def test_a_batch_of_unknown_fate_is_written_again_without_harm(store: AccessStore) -> None:
    batch = [entry(number) for number in range(1_200)]
    await store.write(batch[:700])
    await store.write(batch)
    listed = await store.entries(NOON.date(), limit=5_000)
    assert len(listed) == 1_200


async def test_what_is_old_is_removed(store: AccessStore) -> None:
    await store.write([entry(number, at=NOON + timedelta(hours=6 * number)) for number in range(10)])
    await store.revoke(Revocation("old", NOON, NOON + timedelta(hours=1)))
    await store.revoke(Revocation("new", NOON, NOON + timedelta(hours=9)))
    assert await store.prune(NOON.date() + timedelta(days=1), NOON + timedelta(hours=2)) == 2
    standing = await store.standing()
    assert standing is not None
    assert [each.jti for each in standing.revocations] == ["new"]
    assert await store.prune(NOON.date(), NOON, 3) == 5
    left = [each.entry_id for day in range(4) for each in await store.entries(NOON.date() + timedelta(days=day))]
    assert sorted(left) == [7, 8, 9]


async def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    store = access_store("sqlite:///x.db", tmp_path / "access", SystemClock())
    await store.add_key(key())
    assert (tmp_path / "access" / "access.db").stat().st_mode & 0o777 == 0o600
    await store.close()


async def test_a_database_that_is_away_is_told_as_such(tmp_path: Path) -> None:
    away = access_store("postgresql://nobody:hunter2@127.0.0.1:1/none", tmp_path, SystemClock())
    with pytest.raises(StoreUnavailableError) as caught:
        await away.keys()
    assert "hunter2" not in str(caught.value)
    await away.close()
    (tmp_path / "access.db").write_bytes(b"this is no database" * 100)
    broken = access_store("sqlite:///x.db", tmp_path, SystemClock())
    with pytest.raises(StoreError):
        await broken.keys()
    await broken.close()


def verb(number: int, outcome: str = "done", consumer: str = "ops", days: int = 0) -> VerbEntry:
    at = NOON + timedelta(days=days, seconds=number)
    return VerbEntry(number, at, consumer, "abcdefgh", "pause", "crex_QUY", "", outcome, "it\u2019s fine", f"r{number}")


@pytest.mark.req("G3")
async def test_verbs_are_found_by_who_day_and_page_and_written_twice_are_one(
    store: AccessStore, other: AccessStore
) -> None:
    made = [verb(1), verb(2, consumer="chief"), verb(3, "failed"), verb(4, days=1)]
    await store.write_verbs(made)
    await other.write_verbs(made[1:])
    await other.write_verbs([])
    assert await other.verbs(VerbsAsked()) == made[::-1]
    assert await other.verbs(VerbsAsked(day=NOON.date())) == [made[2], made[1], made[0]]
    assert await other.verbs(VerbsAsked(consumer="chief")) == [made[1]]
    assert await other.verbs(VerbsAsked(before=3, limit=1)) == [made[1]]


@pytest.mark.req("G3")
async def test_strangers_who_are_refused_again_and_again_push_out_nobody_else(store: AccessStore) -> None:
    refused = [verb(number, "refused", "anonymous", days=3) for number in range(10, 20)]
    await store.write_verbs([verb(1), verb(5, days=3), *refused])
    assert await store.prune_verbs((NOON + timedelta(days=1)).date(), refused_max=4) == 7
    assert [each.entry_id for each in await store.verbs(VerbsAsked())] == [19, 18, 17, 16, 5]
