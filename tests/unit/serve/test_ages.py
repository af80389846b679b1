"""An answer about all matches is as old as the list of them says, whoever captured them."""

from datetime import timedelta

import pytest

from longstop.domain.match import MatchStatus
from longstop.serve.desk import ReadingDesk
from longstop.serve.streaming.following import Streams
from longstop.serve.streaming.lines import FeedLine
from longstop.store.contract import FeedCursor
from tests.unit.serve.world import NOON, World, events, live_row

pytestmark = [pytest.mark.req("C6"), pytest.mark.req("G1")]
FEED = "/cricket-data/events?after=0"
LIST = "/cricket-data/matches"


@pytest.fixture
def world() -> World:
    return World()


async def told(world: World, path: str) -> tuple[str, bool, str]:
    async with world.client() as client:
        answer = await client.get(path)
    found = answer.json()["_metadata"]
    assert answer.headers["x-data-age-seconds"] == str(found["data_age_seconds"])
    return answer.headers["x-data-freshness"], found["is_stale"], answer.headers.get("warning", "")


def old(world: World, key: str = "OLD", **more: object) -> None:
    """Of three hours ago, and nobody polls it: it was pushed."""
    world.add(key, is_watched=False, **more)  # type: ignore[arg-type]  # as `add` has them
    world.store.live_rows[f"crex_{key}"] = live_row(key, at=NOON - timedelta(hours=3))
    world.store.event_rows[f"crex_{key}"] = events(3)


async def test_the_feed_of_what_was_only_pushed_is_as_old_as_the_list_says(world: World) -> None:
    old(world)
    freshness, is_stale, warning = await told(world, FEED)
    assert (freshness, is_stale, warning) == await told(world, LIST)
    assert (freshness, is_stale) == ("2025-11-12T09:00:00.000Z", True)
    assert warning.startswith("110 ")


async def test_beside_a_match_that_is_polled_one_that_was_pushed_long_ago_counts_for_the_feed(world: World) -> None:
    world.add()
    old(world)
    assert await told(world, FEED) == await told(world, LIST)
    assert (await told(world, FEED))[1]


async def test_what_is_over_or_not_begun_makes_the_feed_not_look_old(world: World) -> None:
    world.add()
    old(world, "END", status=MatchStatus.COMPLETED)
    old(world, "SOON", status=MatchStatus.UPCOMING)
    assert await told(world, FEED) == ("2025-11-12T12:00:00.000Z", False, "")


async def test_a_heartbeat_of_the_feed_tells_the_same_age(world: World) -> None:
    old(world)
    desk = ReadingDesk(world.model, Streams(world.clock, world.signals))
    line = FeedLine(FeedCursor(), desk.pages, desk.age_of_all, world.model)
    assert (await line.pulse())["data_age_seconds"] == 3 * 3600
    world.store.is_down = True
    assert (await line.pulse())["data_age_seconds"] == 3 * 3600
