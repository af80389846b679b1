import asyncio
import socket
import time
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop import virtual_time
from longstop.clock import LoopClock, SystemClock, age_seconds, from_millis, to_millis
from longstop.virtual_time import DeadlockError
from tests.cricket import NOON
from tests.virtual import on_virtual_time

CLOCK = SystemClock()


@pytest.mark.req("A1")
def test_an_hour_of_two_hundred_pollers_passes_in_a_moment() -> None:
    async def poller(number: int) -> int:
        polls = 0
        due = number / 100
        while due < 3600:
            await CLOCK.sleep(due - CLOCK.monotonic())
            polls += 1
            due += 2.5 if number < 10 else 60.0
        return polls

    async def scenario() -> int:
        return sum(await asyncio.gather(*(poller(number) for number in range(200))))

    started = time.perf_counter()
    polls = virtual_time.run(scenario())
    assert polls == 10 * 1440 + 190 * 60
    assert time.perf_counter() - started < 3.0


def test_an_hour_of_one_sleeper_costs_next_to_nothing() -> None:
    async def scenario() -> float:
        for _ in range(3600):
            await CLOCK.sleep(1.0)
        return CLOCK.monotonic()

    started = time.perf_counter()
    assert virtual_time.run(scenario()) == pytest.approx(3600.0)
    assert time.perf_counter() - started < 1.0


@on_virtual_time
async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    woken: list[float] = []

    async def sleeper(seconds: float) -> None:
        await CLOCK.sleep(seconds)
        woken.append(CLOCK.monotonic())

    await asyncio.gather(*(sleeper(seconds) for seconds in (5, 0.5, 3600, 0, 86_400 * 3, 2.5)))
    assert woken == pytest.approx([0, 0.5, 2.5, 5, 3600, 86_400 * 3])


def test_the_same_program_runs_in_the_same_order_each_time() -> None:
    async def scenario() -> list[tuple[float, int]]:
        seen: list[tuple[float, int]] = []
        queue: asyncio.Queue[int] = asyncio.Queue()

        async def worker(number: int) -> None:
            for turn in range(20):
                await CLOCK.sleep((number * 7 + turn * 3) % 5 / 10)
                await queue.put(number)
                seen.append((CLOCK.monotonic(), await queue.get()))

        await asyncio.gather(*(worker(number) for number in range(10)))
        return seen

    assert virtual_time.run(scenario()) == virtual_time.run(scenario())


def test_a_program_that_waits_for_nothing_is_told_so() -> None:
    async def scenario() -> None:
        await asyncio.Event().wait()

    with pytest.raises(DeadlockError, match="no timer is set"):
        virtual_time.run(scenario())


def test_tasks_that_wait_for_each_other_are_told_so() -> None:
    async def scenario() -> None:
        tasks: list[asyncio.Task[None]] = []

        async def wait_for(number: int) -> None:
            await CLOCK.sleep(10.0)
            await asyncio.wait([tasks[number]])

        tasks.extend(asyncio.create_task(wait_for(1 - number)) for number in range(2))
        await asyncio.gather(*tasks)

    with pytest.raises(DeadlockError):
        virtual_time.run(scenario())


def test_a_deadlock_leaves_nothing_running() -> None:
    cleaned: list[str] = []

    async def scenario() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append("yes")

    with pytest.raises(DeadlockError):
        virtual_time.run(scenario())
    assert cleaned == ["yes"]


@on_virtual_time
async def test_a_deadline_ends_what_takes_too_long() -> None:
    with pytest.raises(TimeoutError):
        async with CLOCK.timeout(30.0):
            await CLOCK.sleep(3600.0)
    assert CLOCK.monotonic() == pytest.approx(30.0)
    async with CLOCK.timeout(30.0):
        await CLOCK.sleep(29.0)
    assert CLOCK.monotonic() == pytest.approx(59.0)


@on_virtual_time
async def test_no_deadline_never_ends() -> None:
    async with CLOCK.timeout(None):
        await CLOCK.sleep(10**6)
    assert CLOCK.monotonic() == pytest.approx(10**6)


@on_virtual_time
async def test_the_inner_and_the_outer_deadline_are_told_apart() -> None:
    with pytest.raises(TimeoutError):
        async with CLOCK.timeout(5.0), CLOCK.timeout(50.0):
            await CLOCK.sleep(100.0)
    assert CLOCK.monotonic() == pytest.approx(5.0)


@on_virtual_time
async def test_a_negative_sleep_is_none_and_lets_others_run() -> None:
    others: list[int] = []
    asyncio.get_running_loop().call_soon(others.append, 1)
    await CLOCK.sleep(-5.0)
    assert others == [1]
    assert CLOCK.monotonic() == 0.0


@on_virtual_time
async def test_the_wall_clock_goes_with_the_loop() -> None:
    clock = LoopClock(NOON)
    assert clock.now() == NOON
    await clock.sleep(3601.5)
    assert clock.now() == NOON + timedelta(seconds=3601.5)


@on_virtual_time
async def test_time_never_goes_back() -> None:
    moments: list[float] = []
    for number in range(500):
        await CLOCK.sleep(number % 7 / 1e5)
        moments.append(CLOCK.monotonic())
    assert all(before <= after for before, after in pairwise(moments))


def test_what_a_program_returns_or_raises_comes_out() -> None:
    async def good() -> str:
        return "good"

    async def bad() -> None:
        raise KeyError("bad")

    assert virtual_time.run(good()) == "good"
    with pytest.raises(KeyError, match="bad"):
        virtual_time.run(bad())


@given(st.integers(0, 253_402_300_799_999))
def test_a_moment_in_milliseconds_comes_back_as_it_was(millis: int) -> None:
    assert to_millis(from_millis(millis)) == millis


def test_an_age_is_never_negative() -> None:
    assert age_seconds(NOON, NOON + timedelta(seconds=5)) == 0.0
    assert age_seconds(NOON + timedelta(seconds=5), NOON) == 5.0


@on_virtual_time
async def test_calls_come_in_the_order_of_their_moments_and_those_that_were_cancelled_never() -> None:
    loop, told = asyncio.get_running_loop(), list[float]()
    timers = {seconds: loop.call_later(seconds, told.append, seconds) for seconds in (3.0, 1.0, 4.0, 2.0)}
    many = [loop.call_later(0.5, told.append, 0.0) for _ in range(300)]
    for timer in (timers[2.0], *many):
        timer.cancel()
    assert timers[2.0].cancelled()
    assert timers[4.0].when() == loop.time() + 4.0
    await asyncio.sleep(5.0)
    assert told == [1.0, 3.0, 4.0]


def test_a_callback_that_fails_is_told_and_the_loop_turns_on() -> None:
    told: list[dict[str, Any]] = []

    async def fail() -> str:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context))
        loop.call_soon(int, "no number")
        await asyncio.sleep(1.0)
        return "went on"

    assert virtual_time.run(fail()) == "went on"
    (context,) = told
    assert isinstance(context["exception"], ValueError)


def test_a_line_to_the_outside_is_heard_on_virtual_time() -> None:
    async def listen() -> bytes:
        here, there = socket.socketpair()
        with here, there:
            here.setblocking(False)
            loop = asyncio.get_running_loop()
            loop.call_later(1.0, there.sendall, b"news")
            return await loop.sock_recv(here, 10)

    assert virtual_time.run(listen()) == b"news"
