"""One line for all calls of a source: its pace, its order, its bounds, and what a 429 does to it."""

import asyncio
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop import virtual_time
from longstop.clock import SystemClock
from longstop.domain.errors import SourceCrowdedError, SourceThrottledError
from longstop.fetch.bucket import TokenBucket
from longstop.fetch.politeness import Manners, PoliteFetcher
from longstop.fetch.snapshot import FetchRequest, Snapshot

CLOCK = SystemClock()  # it reads the running loop, whose time is virtual here


def request(name: object) -> FetchRequest:
    return FetchRequest("crex", f"http://127.0.0.1/{name}", "state")


class Upstream:
    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.asked: list[tuple[str, float]] = []
        self.pauses: dict[str, float] = {}

    async def fetch(self, request: FetchRequest) -> Snapshot:
        name = request.url.rsplit("/", 1)[1]
        self.asked.append((name, CLOCK.monotonic()))
        await CLOCK.sleep(self.seconds)
        if name in self.pauses:
            raise SourceThrottledError("Slow down.", retry_after_seconds=self.pauses[name])
        return Snapshot(request, 200, b"", CLOCK.now(), CLOCK.now())

    async def close(self) -> None:
        return None

    @property
    def moments(self) -> list[float]:
        return [round(moment, 3) for _, moment in self.asked]


def polite(upstream: Upstream, *, max_concurrent: int = 100, **manners: Any) -> PoliteFetcher:
    return PoliteFetcher(
        upstream, CLOCK, max_concurrent=max_concurrent, manners=Manners(**manners), chance=random.Random(7)
    )


@pytest.mark.req("D7")
def test_after_a_burst_calls_go_out_one_interval_apart_and_in_order() -> None:
    async def scene() -> None:
        upstream = Upstream()
        fetcher = polite(upstream, min_interval_seconds=0.5, burst_allowance=3)
        await asyncio.gather(*(fetcher.fetch(request(number)) for number in range(7)))
        assert upstream.moments == [0, 0, 0, 0.5, 1.0, 1.5, 2.0]
        assert [name for name, _ in upstream.asked] == [str(number) for number in range(7)]
        await asyncio.sleep(1.0)
        await asyncio.gather(*(fetcher.fetch(request(number)) for number in range(3)))
        assert upstream.moments[7:] == [3.0, 3.0, 3.5]

    virtual_time.run(scene())


@given(st.lists(st.floats(0, 3), max_size=40), st.floats(0.01, 2), st.integers(1, 10))
def test_no_window_sees_more_calls_than_burst_and_interval_allow(
    gaps: list[float], interval: float, burst: int
) -> None:
    bucket, now, taken = TokenBucket(interval, burst), 0.0, []
    for gap in gaps:
        now += gap
        while (wait := bucket.wait_seconds(now)) > 0:
            now += wait
        bucket.take(now)
        taken.append(now)
    for first, start in enumerate(taken):
        for last in range(first, len(taken)):
            assert last - first + 1 <= burst + (taken[last] - start) / interval + 1e-6


def test_those_who_came_first_go_first_also_when_permits_are_short() -> None:
    async def scene() -> None:
        upstream = Upstream(seconds=1.0)
        fetcher = polite(upstream, max_concurrent=2, min_interval_seconds=0.3, burst_allowance=1)
        tasks = []
        for number in range(8):
            tasks.append(asyncio.create_task(fetcher.fetch(request(number))))
            await asyncio.sleep(0.01)
        tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert [name for name, _ in upstream.asked] == ["0", "1", "2", "4", "5", "6", "7"]
        assert fetcher.waiting == 0

    virtual_time.run(scene())


def test_a_call_that_waits_too_long_fails_and_heals() -> None:
    async def scene() -> None:
        upstream = Upstream()
        fetcher = polite(upstream, min_interval_seconds=1.0, burst_allowance=1, wait_seconds_max=2.5)
        found = await asyncio.gather(*(fetcher.fetch(request(number)) for number in range(6)), return_exceptions=True)
        failed = [each for each in found if isinstance(each, SourceCrowdedError)]
        assert len(failed) == 3
        assert all(each.heals and "2.5 s" in str(each) for each in failed)
        assert CLOCK.monotonic() == pytest.approx(2.5)
        await asyncio.sleep(1.0)
        await fetcher.fetch(request("later"))
        assert len(upstream.asked) == 4

    virtual_time.run(scene())


def test_the_line_has_a_bound() -> None:
    async def scene() -> None:
        upstream = Upstream(seconds=1.0)
        fetcher = polite(upstream, max_concurrent=1, waiting_max=5)
        found = await asyncio.gather(*(fetcher.fetch(request(number)) for number in range(50)), return_exceptions=True)
        assert sum(isinstance(each, SourceCrowdedError) for each in found) == 44  # one is served, five wait
        assert CLOCK.monotonic() == pytest.approx(6.0)

    virtual_time.run(scene())


def test_cancelling_at_any_moment_loses_no_permit() -> None:
    async def scene() -> None:
        chance = random.Random(3)
        upstream = Upstream(seconds=0.5)
        fetcher = polite(upstream, max_concurrent=3, min_interval_seconds=0.1, burst_allowance=2)
        for _ in range(100):
            tasks = [asyncio.create_task(fetcher.fetch(request(number))) for number in range(6)]
            await asyncio.sleep(chance.uniform(0, 1.0))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert fetcher.waiting == 0
        assert fetcher._permits._value == 3
        assert not fetcher._line.locked()

    virtual_time.run(scene())


@pytest.mark.req("B1")
def test_three_throttled_addresses_pause_the_whole_source_for_the_longest_of_them() -> None:
    async def scene() -> None:
        upstream = Upstream()
        upstream.pauses = {"a": 20.0, "b": 60.0, "c": 30.0}
        fetcher = polite(upstream, jitter_seconds=0.9)
        for name in "ab":
            await expect_pause(fetcher, name)
        await fetcher.fetch(request("d"))
        await expect_pause(fetcher, "c")
        asked = len(upstream.asked)
        waits = [await expect_pause(fetcher, f"m{number}") for number in range(30)]
        assert len(upstream.asked) == asked
        assert all(60.0 <= wait <= 60.9 for wait in waits)
        assert len({round(wait, 2) for wait in waits}) > 15
        await asyncio.sleep(60.01)
        assert fetcher.paused_seconds == 0.0
        await fetcher.fetch(request("m1"))

    virtual_time.run(scene())


async def expect_pause(fetcher: PoliteFetcher, name: str) -> float:
    with pytest.raises(SourceThrottledError) as thrown:
        await fetcher.fetch(request(name))
    return thrown.value.retry_after_seconds


def test_the_same_address_or_a_slow_series_pauses_nobody_else() -> None:
    async def scene() -> None:
        upstream = Upstream()
        upstream.pauses = dict.fromkeys("abc", 3.0)
        fetcher = polite(upstream)
        for name in "aaa":
            await expect_pause(fetcher, name)
            await asyncio.sleep(3.1)
        for name in "abc":
            await expect_pause(fetcher, name)
            await asyncio.sleep(6.0)
        await fetcher.fetch(request("d"))
        assert fetcher.paused_seconds == 0.0

    virtual_time.run(scene())


def test_whoever_stood_in_line_when_the_pause_began_is_sent_away() -> None:
    async def scene() -> None:
        upstream = Upstream(seconds=1.0)
        upstream.pauses = dict.fromkeys("abc", 30.0)
        fetcher = polite(upstream, max_concurrent=3)
        names = ["a", "b", "c", *map(str, range(10))]
        found = await asyncio.gather(*(fetcher.fetch(request(name)) for name in names), return_exceptions=True)
        assert all(isinstance(each, SourceThrottledError) for each in found)
        assert len(upstream.asked) == 3

    virtual_time.run(scene())


@pytest.mark.req("B1")
def test_after_a_storm_of_429_nobody_comes_early_and_not_all_come_at_once() -> None:
    """Forty pollers obey what they are told; the site counts who comes when."""

    async def poller(fetcher: PoliteFetcher, name: str) -> None:
        while True:
            try:
                await fetcher.fetch(request(name))
                return
            except SourceThrottledError as error:
                await CLOCK.sleep(error.retry_after_seconds)

    async def scene() -> None:
        upstream = Upstream(seconds=0.05)
        names = [f"m{number}" for number in range(40)]
        upstream.pauses = dict.fromkeys(names, 30.0)
        fetcher = polite(upstream, max_concurrent=5, min_interval_seconds=0.02, burst_allowance=20)
        tasks = [asyncio.create_task(poller(fetcher, name)) for name in names]
        await asyncio.sleep(1.0)
        first = len(upstream.asked)
        upstream.pauses = {}
        await asyncio.gather(*tasks)
        later = upstream.moments[first:]
        assert first <= 7
        assert min(later) >= 30.0
        assert max(later) <= 31.5
        assert all(later.count(moment) <= 2 for moment in later)

    virtual_time.run(scene())
