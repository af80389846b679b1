"""Consumers who follow: from any cursor on, through breaks and outages, nothing lost and nothing told twice."""

import asyncio
import fcntl
import socket
import struct
import termios

import aiohttp
import msgspec
import pytest

from longstop.domain.events import MatchEvent
from longstop.store.contract import WriteBatch
from tests.acceptance.served import LIMITS, Place
from tests.unit.serve.following import reading
from tests.unit.serve.world import events

pytestmark = [pytest.mark.req("C7"), pytest.mark.req("G1")]


async def test_a_stream_tells_all_that_was_and_marks_where_the_present_begins(place: Place) -> None:
    async with reading(place.url("/cricket-data/matches/crex_QUY/stream")) as reader:
        frames = await reader.until("caught_up")
    assert [frame.data["event"]["seq"] for frame in frames[:-1]] == list(range(1, 13))
    assert frames[0].data["event"]["ball"]["batter"]["name"] == "Smriti Mandhana"
    assert frames[-1].data["after"] == frames[-1].cursor == "12"


async def test_what_happens_is_told_as_it_happens(place: Place) -> None:
    async with reading(place.url("/cricket-data/matches/crex_QUY/stream?after=12")) as reader:
        await reader.until("caught_up")
        await place.bring(events(14)[12:])
        assert [fact["event"]["seq"] for fact in await reader.facts(2)] == [13, 14]


async def test_a_stream_is_resumed_at_every_cursor_without_loss_or_repetition(place: Place) -> None:
    for cursor in range(13):
        async with reading(place.url("/cricket-data/matches/crex_QUY/stream"), Last_Event_ID=str(cursor)) as reader:
            frames = await reader.until("caught_up")
        assert [frame.data["event"]["seq"] for frame in frames[:-1]] == list(range(cursor + 1, 13))


async def test_the_cursor_that_a_browser_brings_back_counts_more_than_the_one_in_its_address(place: Place) -> None:
    async with reading(place.url("/cricket-data/matches/crex_QUY/stream?after=2"), Last_Event_ID="10") as reader:
        assert [fact["event"]["seq"] for fact in await reader.facts(2)] == [11, 12]


@pytest.mark.parametrize(
    ("path", "cursor"),
    [
        ("/cricket-data/matches/crex_QUY/stream", "13"),
        ("/cricket-data/matches/crex_QUY/events", "13"),
        ("/cricket-data/stream", "999.1"),
        ("/cricket-data/events", "0.999"),
    ],
)
async def test_nobody_waits_for_ever_at_a_cursor_of_another_record(place: Place, path: str, cursor: str) -> None:
    async with aiohttp.ClientSession() as session, session.get(place.url(f"{path}?after={cursor}")) as answer:
        assert (answer.status, answer.content_type) == (410, "application/problem+json")
        told = await answer.json(content_type=None)
    assert (told["type"], "after=0" in told["hint"]) == ("/problems/foreign-cursor", True)


async def test_readers_who_come_and_go_while_balls_come_miss_none(place: Place) -> None:
    told, seen, cursor = events(90), list(range(0)), "0"

    async def bowl() -> None:
        for number in range(12, 90, 3):
            await place.bring(told[number : number + 3])
            await asyncio.sleep(0.005)

    bowling = asyncio.create_task(bowl())
    while not seen or seen[-1] < 90:
        async with reading(place.url("/cricket-data/matches/crex_QUY/stream"), Last_Event_ID=cursor) as reader:
            facts = await reader.facts(min(7, 90 - len(seen)))
            seen += [fact["event"]["seq"] for fact in facts]
            cursor = str(seen[-1])
    await bowling
    assert seen == list(range(1, 91))


async def test_all_matches_are_followed_in_one_stream_and_resumed_at_every_cursor(place: Place) -> None:
    await place.store.save(WriteBatch(events=tuple(_of("crex_OTHER", events(3)))))
    async with reading(place.url("/cricket-data/stream?after=0")) as reader:
        whole = (await reader.until("caught_up"))[:-1]
    assert [(frame.data["matchId"], frame.data["event"]["seq"]) for frame in whole[-3:]] == [
        ("crex_OTHER", 1),
        ("crex_OTHER", 2),
        ("crex_OTHER", 3),
    ]
    for number, frame in enumerate(whole):
        async with reading(place.url("/cricket-data/stream"), Last_Event_ID=str(frame.cursor)) as reader:
            rest = (await reader.until("caught_up"))[:-1]
        assert [each.cursor for each in rest] == [each.cursor for each in whole[number + 1 :]]


async def test_a_stream_of_all_without_a_cursor_begins_now_and_says_where_that_is(place: Place) -> None:
    async with reading(place.url("/cricket-data/stream")) as reader:
        frames = await reader.until("caught_up")
        assert len(frames) == 1
        await place.bring(events(13)[12:])
        assert [fact["event"]["seq"] for fact in await reader.facts(1)] == [13]
    async with reading(place.url("/cricket-data/stream"), Last_Event_ID=str(frames[0].cursor)) as reader:
        assert [fact["event"]["seq"] for fact in await reader.facts(1)] == [13]


@pytest.mark.req("C6")
async def test_a_silent_stream_beats_and_tells_the_age_of_what_it_told(place: Place) -> None:
    place.world.start()
    place.world.poll()
    place.world.clock.advance(7)
    async with reading(place.url("/cricket-data/matches/crex_QUY/stream?after=12")) as reader:
        beat = (await reader.until("heartbeat"))[-1]
    assert beat.data["data_age_seconds"] == 7
    assert beat.cursor is None


@pytest.mark.req("B7")
async def test_a_stream_goes_on_from_memory_while_the_database_is_away(place: Place) -> None:
    async with reading(place.url("/cricket-data/matches/crex_QUY/stream?after=12")) as reader:
        await reader.until("caught_up")
        await place.bring(events(13)[12:])
        await reader.facts(1)
        await place.store.close()
        await place.bring(events(15)[13:], is_stored=False)
        assert [fact["event"]["seq"] for fact in await reader.facts(2)] == [14, 15]


async def test_a_replay_waits_for_the_database_and_says_so(place: Place) -> None:
    async with reading(place.url("/cricket-data/stream")) as reader:
        await reader.until("caught_up")
        await place.store.close()
        assert (await reader.until("delayed"))[-1].data["after"]


async def nothing_more_fits(lazy: socket.socket) -> None:
    """Until what waits to be read has stood still for longer than we have patience."""
    waiting, since = -1, 0.0
    now = asyncio.get_running_loop().time
    while waiting < 1 or now() - since < 2 * LIMITS.patience_seconds:
        await asyncio.sleep(0.05)
        before, waiting = waiting, struct.unpack("i", fcntl.ioctl(lazy, termios.FIONREAD, b"\0" * 4))[0]
        since = since if before == waiting else now()


async def test_a_reader_who_does_not_read_is_cut_and_told_why_and_where_to_go_on(place: Place) -> None:
    await place.store.save(WriteBatch(events=tuple(_of("crex_QUY", events(20_000))[12:])))
    with socket.create_connection(("127.0.0.1", place.server.port)) as lazy:
        lazy.sendall(b"GET /cricket-data/matches/crex_QUY/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        lazy.setblocking(False)
        await nothing_more_fits(lazy)
        assert place.streams.count == 1
        pieces: list[bytes] = []
        async with asyncio.timeout(60):  # noqa: TID251 - sockets live in real time
            while piece := await asyncio.get_running_loop().sock_recv(lazy, 1 << 20):
                pieces.append(piece)
                if b"".join(pieces[-3:]).endswith(b"0\r\n\r\n"):
                    break
    text = b"".join(pieces)
    assert b'"reason":"too slow"' in text
    assert b'"seq":20000' not in text
    assert place.ended[-1].reason == "too slow"


async def test_streams_end_with_a_word_when_we_stop(place: Place) -> None:
    async with reading(place.url("/cricket-data/matches/crex_QUY/stream?after=12")) as reader:
        await reader.until("caught_up")
        place.streams.close()
        closing = (await reader.until("closing"))[-1]
        assert closing.data == {"reason": "stopping", "after": "12"}
        assert await reader.next() is None


async def test_no_more_streams_are_served_than_there_is_room_for(place: Place) -> None:
    async with aiohttp.ClientSession() as client:
        held = [await client.get(place.url("/cricket-data/stream")) for _ in range(LIMITS.streams_max)]
        refused = await client.get(place.url("/cricket-data/stream"))
        assert refused.status == 503
        assert (await refused.json(content_type=None))["type"] == "/problems/too-many-streams"
        for answer in held:
            answer.close()
        await place.closed(LIMITS.streams_max)
        assert (await client.head(place.url("/cricket-data/stream"))).status == 200
        assert place.streams.count == 0


def _of(match_id: str, told: list[MatchEvent]) -> list[MatchEvent]:
    return [msgspec.structs.replace(event, match_id=match_id) for event in told]
