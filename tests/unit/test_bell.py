"""A bell wakes all who wait for it, and each waits for a time at most."""

import asyncio

import pytest

from longstop.clock import SystemClock
from tests.virtual import on_virtual_time

CLOCK = SystemClock()


@on_virtual_time
async def test_a_bell_that_nobody_rings_is_waited_for_as_long_as_was_said() -> None:
    bell, began = CLOCK.bell(), CLOCK.monotonic()
    assert not await bell.wait(2.5)
    assert CLOCK.monotonic() - began == pytest.approx(2.5)


@on_virtual_time
async def test_a_bell_wakes_all_who_wait_at_once_and_whoever_comes_later_does_not_wait() -> None:
    bell, began = CLOCK.bell(), CLOCK.monotonic()
    waiting = [asyncio.create_task(bell.wait(seconds)) for seconds in (10.0, 20.0, None)]
    await CLOCK.sleep(1.0)
    bell.ring()
    assert await asyncio.gather(*waiting) == [True, True, True]
    assert await bell.wait(30.0)
    assert CLOCK.monotonic() - began == pytest.approx(1.0)


@on_virtual_time
async def test_a_bell_that_was_muted_is_waited_for_again() -> None:
    bell = CLOCK.bell()
    bell.ring()
    bell.mute()
    assert not bell.is_rung
    assert not await bell.wait(1.0)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
@on_virtual_time
async def test_a_wait_for_no_time_gives_way_once(seconds: float) -> None:
    bell, began, others = CLOCK.bell(), CLOCK.monotonic(), asyncio.Event()
    asyncio.get_running_loop().call_soon(others.set)
    assert not await bell.wait(seconds)
    assert others.is_set()
    assert CLOCK.monotonic() == began


@on_virtual_time
async def test_who_is_cancelled_while_he_waits_ends_and_leaves_nothing_behind() -> None:
    bell = CLOCK.bell()
    waiting = asyncio.create_task(bell.wait(10.0))
    await CLOCK.sleep(1.0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    bell.ring()
    assert await bell.wait(5.0)
