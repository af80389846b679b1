import asyncio

import pytest

from longstop import virtual_time
from longstop.clock import SystemClock
from longstop.domain.errors import SourceFailingError, SourceThrottledError
from longstop.fetch.pauses import PAUSES_REMEMBERED_MAX
from longstop.fetch.politeness import PoliteFetcher
from longstop.fetch.snapshot import FetchRequest, Snapshot

CLOCK = SystemClock()  # it reads the running loop, whose time is virtual here


def request(name: str) -> FetchRequest:
    return FetchRequest("crex", f"http://127.0.0.1/{name}", "state")


class Upstream:
    """Takes a while, throttles the addresses it is told to, and counts what is under way."""

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds
        self.throttled: dict[str, float] = {}
        self.under_way = 0
        self.most_under_way = 0
        self.asked: list[tuple[str, float]] = []
        self.is_closed = False

    async def fetch(self, request: FetchRequest) -> Snapshot:
        name = request.url.rsplit("/", 1)[1]
        self.asked.append((name, CLOCK.monotonic()))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await CLOCK.sleep(self.seconds)
        finally:
            self.under_way -= 1
        if name in self.throttled:
            raise SourceThrottledError("Slow down.", retry_after_seconds=self.throttled[name])
        if name == "broken":
            raise SourceFailingError("It broke.")
        return Snapshot(request, 200, b"{}", CLOCK.now(), CLOCK.now())

    async def close(self) -> None:
        self.is_closed = True


async def try_at(fetcher: PoliteFetcher, name: str) -> float | None:
    """The seconds that the source still wants us to wait; None when it answered."""
    try:
        await fetcher.fetch(request(name))
    except SourceThrottledError as error:
        return error.retry_after_seconds
    return None


@pytest.mark.req("F1")
def test_no_more_calls_are_under_way_than_the_source_bears() -> None:
    async def scenario() -> float:
        upstream = Upstream()
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=3)
        await asyncio.gather(*(fetcher.fetch(request(f"m{number}")) for number in range(12)))
        assert upstream.most_under_way == 3
        assert len(upstream.asked) == 12
        return CLOCK.monotonic()

    assert virtual_time.run(scenario()) == pytest.approx(4.0)


@pytest.mark.req("B1")
def test_an_address_is_left_alone_as_long_as_the_source_asked() -> None:
    async def scenario() -> None:
        upstream = Upstream(seconds=0.0)
        upstream.throttled["a"] = 30.0
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=3)
        assert await try_at(fetcher, "a") == 30.0
        del upstream.throttled["a"]
        await CLOCK.sleep(10.0)
        assert await try_at(fetcher, "a") == pytest.approx(20.0)
        await CLOCK.sleep(19.5)
        assert await try_at(fetcher, "a") == pytest.approx(0.5)
        await CLOCK.sleep(0.6)
        assert await try_at(fetcher, "a") is None
        assert [moment for _, moment in upstream.asked] == pytest.approx([0.0, 30.1])

    virtual_time.run(scenario())


def test_other_addresses_go_on_while_one_is_throttled() -> None:
    async def scenario() -> None:
        upstream = Upstream(seconds=0.0)
        upstream.throttled["a"] = 30.0
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=3)
        assert await try_at(fetcher, "a") == 30.0
        assert await try_at(fetcher, "b") is None

    virtual_time.run(scenario())


def test_a_pause_of_no_length_is_no_pause() -> None:
    async def scenario() -> None:
        upstream = Upstream(seconds=0.0)
        upstream.throttled["a"] = 0.0
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=3)
        assert await try_at(fetcher, "a") == 0.0
        del upstream.throttled["a"]
        assert await try_at(fetcher, "a") is None

    virtual_time.run(scenario())


def test_pauses_are_remembered_within_a_bound_and_the_shortest_is_forgotten_first() -> None:
    async def scenario() -> None:
        upstream = Upstream(seconds=0.0)
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=3)
        for number in range(PAUSES_REMEMBERED_MAX + 300):
            name = f"m{number}"
            upstream.throttled[name] = 10.0 + number
            await try_at(fetcher, name)
        assert len(fetcher._pauses) <= PAUSES_REMEMBERED_MAX
        asked = len(upstream.asked)
        assert await try_at(fetcher, f"m{PAUSES_REMEMBERED_MAX + 299}") is not None
        assert len(upstream.asked) == asked

    virtual_time.run(scenario())


def test_pauses_that_are_over_are_forgotten() -> None:
    async def scenario() -> None:
        upstream = Upstream(seconds=0.0)
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=3)
        for number in range(PAUSES_REMEMBERED_MAX):
            upstream.throttled[f"m{number}"] = 5.0
            await try_at(fetcher, f"m{number}")
        await CLOCK.sleep(6.0)
        upstream.throttled["new"] = 5.0
        await try_at(fetcher, "new")
        assert len(fetcher._pauses) == 1

    virtual_time.run(scenario())


def test_a_call_that_fails_or_is_cancelled_gives_its_permit_back() -> None:
    async def scenario() -> None:
        upstream = Upstream(seconds=5.0)
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=2)
        running = [asyncio.create_task(fetcher.fetch(request(f"m{number}"))) for number in range(2)]
        waiting = [asyncio.create_task(fetcher.fetch(request(f"w{number}"))) for number in range(2)]
        await CLOCK.sleep(1.0)
        for task in (*waiting, *running):
            task.cancel()
        found = await asyncio.gather(*running, *waiting, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in found)
        for _ in range(3):
            with pytest.raises(SourceFailingError):
                await fetcher.fetch(request("broken"))
        upstream.most_under_way = 0
        await asyncio.gather(*(fetcher.fetch(request(f"n{number}")) for number in range(4)))
        assert upstream.most_under_way == 2

    virtual_time.run(scenario())


def test_a_call_cancelled_in_the_moment_it_gets_its_permit_passes_it_on() -> None:
    async def scenario() -> None:
        upstream = Upstream(seconds=1.0)
        fetcher = PoliteFetcher(upstream, CLOCK, max_concurrent=1)
        first = asyncio.create_task(fetcher.fetch(request("a")))
        second = asyncio.create_task(fetcher.fetch(request("b")))
        third = asyncio.create_task(fetcher.fetch(request("c")))
        first.add_done_callback(lambda _: second.cancel())
        await asyncio.wait([first, second, third])
        assert second.cancelled()
        assert third.result().status == 200

    virtual_time.run(scenario())


def test_closing_closes_what_stands_behind() -> None:
    async def scenario() -> None:
        upstream = Upstream()
        await PoliteFetcher(upstream, CLOCK, max_concurrent=1).close()
        assert upstream.is_closed

    virtual_time.run(scenario())
