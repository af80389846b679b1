"""The board as a stream: taken up where it broke, bounded, and over when serving is."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import pytest

from longstop.serve.console.board import OpsBoard
from longstop.serve.console.bookmarks import Bookmark, bookmark_of
from longstop.serve.console.stream import Streams
from longstop.serve.problems import ApiError
from tests.unit.serve.world import World

pytestmark = pytest.mark.req("H5")


@pytest.fixture
def world() -> World:
    made = World()
    made.add()
    return made


@pytest.fixture
def streams(world: World) -> Streams:
    return Streams(OpsBoard(world.model, "life1", look_seconds=0.0), world.model, streams_max=2)


async def next_frame(stream: AsyncGenerator[bytes, None]) -> dict[str, Any]:
    while True:
        event = await anext(stream)
        if b"event: board" in event:
            head, _, data = event.partition(b"data: ")
            assert head.startswith(b"id: life1.")
            assert data.endswith(b"\n\n")
            assert b"\n" not in data[:-2]
            told: dict[str, Any] = msgspec.json.decode(data)
            return told


async def test_a_stream_is_taken_up_where_it_broke(world: World, streams: Streams) -> None:
    stream = streams.stream(Bookmark())
    whole = await next_frame(stream)
    assert whole["is_whole"] is True
    await stream.aclose()
    world.score()
    again = await next_frame(streams.stream(bookmark_of(str(whole["bookmark"]))))
    assert "is_whole" not in again
    assert [row["id"] for row in again["rows"]] == ["crex_QUY"]


async def test_there_are_only_so_many_streams(streams: Streams) -> None:
    open_ones = [streams.stream(Bookmark()) for _ in range(2)]
    for stream in open_ones:
        await next_frame(stream)
    with pytest.raises(ApiError) as refused:
        streams.stream(Bookmark())
    assert refused.value.kind.status == 503
    await open_ones[0].aclose()
    await next_frame(streams.stream(Bookmark()))


async def test_whoever_is_shut_out_hears_no_more(world: World, streams: Streams) -> None:
    may = [True]
    stream = streams.stream(Bookmark(), lambda: may[0])
    await next_frame(stream)
    may[0] = False
    assert await anext(stream, None) is None


async def test_streams_end_when_serving_does(world: World, streams: Streams) -> None:
    stream = streams.stream(Bookmark())
    await next_frame(stream)
    waiting = asyncio.create_task(anext(stream, None))
    await asyncio.sleep(0)
    world.model.closing.begin()
    assert await waiting is None
    assert streams.open == 0
