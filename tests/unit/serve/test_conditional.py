"""Whoever has an answer already is told so in a few bytes, and still learns how old it is."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.serve.conditional import http_date, is_known_to
from tests.unit.serve.world import NOON, World

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
        first = await client.get(MATCH)
        assert first.headers["last-modified"] == "Wed, 12 Nov 2025 12:00:00 GMT"
        world.clock.advance(30)
        world.poll()
        later = await client.get(MATCH, headers={"if-modified-since": first.headers["last-modified"]})
    assert later.status_code == 304
    assert later.headers["cache-control"] == "private, no-cache"
    assert later.headers["age"] == "0"
