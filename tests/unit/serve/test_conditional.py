"""Whoever has an answer already is told so in a few bytes, and still learns how old it is."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.cricket import Result, Toss
from longstop.domain.events import EventKind, Gap, GapState
from longstop.domain.match import Names
from longstop.observe import signals
from longstop.serve.conditional import http_date, is_known_to
from tests.unit.serve.world import NOON, World, events, records

pytestmark = [pytest.mark.req("C6"), pytest.mark.req("G1")]

MATCH = "/cricket-data/match-info/crex_QUY"
TAG = 'W/"abc"'


@pytest.mark.parametrize(
    ("told", "is_known"),
    [
        ('W/"abc"', True),
        ('"abc"', True),
        ('"x", W/"abc" , "y"', True),
        ("*", True),
        (" * ", True),
        ('"x", "y"', False),
        ("abc", False),
        ('"abcd"', False),
        ("", False),
        ('"a,b", "abc"', True),
        ('W/"' + "x" * 10_000, False),
    ],
)
def test_tags_are_compared_weakly_in_every_shape_of_a_list(told: str, is_known: bool) -> None:
    assert is_known_to(TAG, NOON, told, None) is is_known


def test_a_date_counts_only_where_no_tag_is_told() -> None:
    same = http_date(NOON)
    assert is_known_to(TAG, NOON, None, same)
    assert not is_known_to(TAG, NOON, '"other"', same)
    assert not is_known_to(TAG, NOON, None, http_date(datetime(2020, 1, 1, tzinfo=UTC)))
    assert not is_known_to(TAG, None, None, same)


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_header_does_harm(tags: str, since: str) -> None:
    assert is_known_to(TAG, NOON, tags, since) in {True, False}
    assert is_known_to(TAG, NOON, None, since) in {True, False}


@pytest.mark.parametrize(
    "path",
    [
        MATCH,
        "/cricket-data/matches",
        "/cricket-data/matches/crex_QUY/events",
        "/cricket-data/matches/crex_QUY/deliveries",
        "/cricket-data/matches/crex_QUY/snapshots",
        "/cricket-data/matches/crex_QUY/delta",
        "/cricket-data/events",
    ],
)
async def test_what_is_asked_for_again_and_has_not_changed_is_not_sent_again(path: str) -> None:
    world = World()
    world.add()
    async with world.client() as client:
        first = await client.get(path)
        world.clock.advance(3)
        again = await client.get(path, headers={"if-none-match": first.headers["etag"]})
        head = await client.head(path)
    assert first.status_code == 200
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert head.status_code == 200
    assert head.content == b""
    if "crex" in path:
        assert again.headers["x-data-age-seconds"] == again.headers["age"] == "3"


async def test_a_change_makes_a_new_tag_and_the_same_bytes_asked_twice_do_not() -> None:
    world = World()
    world.add()
    async with world.client() as client:
        tags = [(await client.get(MATCH)).headers["etag"] for _ in range(2)]
        world.score(last_event="W")
        tags.append((await client.get(MATCH)).headers["etag"])
        world.reject("innings 2 has 11 wickets")
        tags.append((await client.get(MATCH)).headers["etag"])
        world.poll()
        tags.append((await client.get(MATCH)).headers["etag"])
    assert tags[0] == tags[1]
    assert len(set(tags[1:4])) == 3
    assert tags[4] == tags[2]


async def test_when_data_becomes_stale_whoever_has_it_is_told() -> None:
    world = World()
    world.add()
    async with world.client() as client:
        first = await client.get(MATCH)
        world.clock.advance(400)
        again = await client.get(MATCH, headers={"if-none-match": first.headers["etag"]})
    assert "warning" not in first.headers
    assert again.status_code == 200
    assert again.json()["_metadata"]["is_stale"] is True
    assert again.headers["warning"].startswith("110 ")


async def test_each_answer_says_when_its_content_last_changed() -> None:
    world = World()
    world.add()
    async with world.client() as client:
        assert "last-modified" not in (await client.get(MATCH)).headers
        world.clock.advance(30)
        world.poll()
        first = await client.get(MATCH)
        assert first.headers["last-modified"] == "Wed, 12 Nov 2025 12:00:01 GMT"
        later = await client.get(MATCH, headers={"if-modified-since": first.headers["last-modified"]})
    assert later.status_code == 304
    assert later.headers["cache-control"] == "private, no-cache"
    assert later.headers["age"] == "0"


EVENTS = "/cricket-data/matches/crex_QUY/events"
ADDRESSES = [MATCH, f"{EVENTS}?after=3", "/cricket-data/matches/crex_QUY/export?format=cricsheet"]


def tell_gap(world: World, at: datetime) -> None:
    """As the ledger does, long after the newest capture."""
    gap = Gap("crex_QUY", "g", 1, 3, 3, GapState.OPEN, "ball missing", at, missing_balls=1)
    told = msgspec.structs.replace(events(4)[3], key="gap:g", kind=EventKind.GAP_OPENED, captured_at=at)
    world.store.gap_rows["crex_QUY"] = [gap]
    world.store.event_rows["crex_QUY"].append(told)
    world.signals.emit(signals.FactsStored(at=at, match_id="crex_QUY", source="crex", events=(told,), gaps=(gap,)))


@pytest.mark.parametrize("path", ADDRESSES)
async def test_no_condition_hides_a_gap_that_was_found_after_the_newest_capture(path: str) -> None:
    world = World()
    world.add()
    world.store.event_rows["crex_QUY"] = events(3)
    world.store.ball_rows["crex_QUY"] = records(3)
    async with world.client() as client:
        await client.get(path)
        world.clock.advance(10)
        before = await client.get(path)
        world.clock.advance(20)
        tell_gap(world, world.clock.now())
        world.clock.advance(20)
        since = {"if-modified-since": before.headers["last-modified"]}
        assert (await client.get(path, headers=since)).status_code == 200
        after = await client.get(path, headers={"if-none-match": before.headers["etag"]})
    assert (after.status_code, after.headers["etag"] == before.headers["etag"]) == (200, False)
    assert after.content != before.content


@pytest.mark.parametrize("path", ADDRESSES)
async def test_of_two_changes_in_one_second_no_date_hides_the_second(path: str) -> None:
    world = World()
    world.add()
    world.store.event_rows["crex_QUY"] = events(3)
    world.clock.advance(0.2)
    async with world.client() as client:
        first = await client.get(path)
        world.clock.advance(0.4)
        tell_gap(world, world.clock.now())
        for date in (first.headers.get("last-modified"), http_date(world.clock.now())):
            again = await client.get(path, headers={"if-modified-since": date} if date else {})
            assert again.status_code == 200
        world.clock.advance(3)
        await client.get(path)
        told = (await client.get(path)).headers["last-modified"]
        assert (await client.get(path, headers={"if-modified-since": told})).status_code == 304


@pytest.mark.parametrize("kind", ["cricsheet", "csv", "parquet"])
async def test_a_file_made_again_has_its_tag_and_one_with_another_name_has_not(kind: str) -> None:
    path = f"/cricket-data/matches/crex_QUY/export?format={kind}"
    world = World()
    world.add()
    world.store.ball_rows["crex_QUY"] = records(3)
    async with world.client() as client:
        first = await client.get(path)
        world.clock.advance(100_000)
        known = {"if-none-match": first.headers["etag"]}
        assert (await client.get(path, headers=known)).status_code == 304
        world.names = Names(players={"P1": "S. Mandhana"})
        assert (await client.get(path, headers=known)).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"result": Result("won", "IN", by_runs=3)},
        {"toss": Toss("AU", "field")},
        {"complete_through": "1.0.2"},
    ],
)
async def test_the_tag_of_a_file_covers_what_is_no_ball(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "/cricket-data/matches/crex_QUY/export?format=cricsheet"
    world = World()
    world.add(is_watched=False)
    world.store.ball_rows["crex_QUY"] = records(3)
    async with world.client() as client:
        known = {"if-none-match": (await client.get(path)).headers["etag"]}
        found = world.store.live_rows["crex_QUY"]
        later = found.captured_at + timedelta(seconds=1)
        world.store.live_rows["crex_QUY"] = msgspec.structs.replace(found, captured_at=later, **change)
        monkeypatch.setattr(world.clock, "monotonic", lambda: 1e9)  # it is looked up again
        assert (await client.get(path, headers=known)).status_code == 200
