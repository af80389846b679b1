"""The pool's rules on virtual time: places, leases, the end. The browsers are made up, the rules are not."""

import asyncio

import pytest

from longstop.domain.errors import BrowserError, BrowserLostError, BrowserTimeoutError, PoolExhaustedError
from longstop.fetch.browser.recycling import MB
from longstop.observe import signals
from tests.unit.fetch.browser.stage import NEED, Stage, leases_of, options, play

# Places.


def test_many_who_ask_at_once_share_one_start() -> None:
    async def scene(stage: Stage) -> None:
        await leases_of(stage, 2)
        assert len(stage.units) == 1

    play(scene)


def test_a_second_browser_is_started_only_when_the_first_is_full() -> None:
    async def scene(stage: Stage) -> None:
        await leases_of(stage, 2)
        third = await stage.pool.acquire(NEED, 60)
        assert [unit.name for unit in stage.units] == ["u1", "u2"]
        assert third.unit == "u2"

    play(scene)


def test_who_finds_no_place_is_told_so_after_the_wait() -> None:
    async def scene(stage: Stage) -> None:
        await leases_of(stage, 2)
        began = stage.clock.monotonic()
        with pytest.raises(PoolExhaustedError, match=r"within 15 s.*pool\.browsers"):
            await stage.pool.acquire(NEED, 60)
        assert stage.clock.monotonic() - began == pytest.approx(15)
        assert stage.pool.accounting().waiting == 0

    play(scene, options(browsers=1))


def test_places_are_given_in_the_order_of_asking() -> None:
    async def scene(stage: Stage) -> None:
        first = await stage.pool.acquire(NEED, 600)
        order: list[int] = []

        async def ask(number: int) -> None:
            async with stage.pool.lease(NEED, 60):
                order.append(number)

        asking = [asyncio.create_task(ask(number)) for number in range(5)]
        await stage.clock.sleep(1)
        await first.release()
        await asyncio.gather(*asking)
        assert order == [0, 1, 2, 3, 4]

    play(scene, options(browsers=1, contexts=1))


@pytest.mark.parametrize("seconds", [0.0, 0.5, 1.0, 1.05, 1.1, 1.15])
def test_who_is_cancelled_while_asking_leaves_the_place_free(seconds: float) -> None:
    async def scene(stage: Stage) -> None:
        asking = asyncio.create_task(stage.pool.acquire(NEED, 60))
        await stage.clock.sleep(seconds)
        asking.cancel()
        await asyncio.wait({asking})
        if not asking.cancelled():
            await asking.result().release()
        lease = await stage.pool.acquire(NEED, 60)
        open_now = [held for held in stage.units[0].contexts if not held.is_closed]
        assert open_now == [lease.held], "a context that nobody holds was left open"

    play(scene, options(browsers=1, contexts=1))


def test_a_release_that_is_cancelled_still_closes_the_context() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 60)
        releasing = asyncio.create_task(lease.release())
        await asyncio.sleep(0)
        releasing.cancel()
        await asyncio.wait({releasing})
        await stage.clock.sleep(1)
        assert stage.units[0].contexts[0].is_closed
        await lease.release()

    play(scene)


def test_a_wrong_wish_is_an_error_and_costs_no_place() -> None:
    async def scene(stage: Stage) -> None:
        await (await stage.pool.acquire(NEED, 60)).release()
        stage.units[0].open_error = BrowserError("There is no locale xx-YY.")
        for _ in range(3):
            with pytest.raises(BrowserError, match="no locale"):
                await stage.pool.acquire(NEED, 60)
        stage.units[0].open_error = None
        await stage.pool.acquire(NEED, 60)

    play(scene, options(browsers=1, contexts=1))


# Leases.


def test_a_lease_that_is_not_renewed_is_taken_back() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 5)
        await stage.clock.sleep(4)
        lease.renew(5)
        await stage.clock.sleep(4)
        assert not lease.lost.is_set()
        seconds = await stage.until(lease.lost.is_set)
        assert seconds < 3
        with pytest.raises(BrowserLostError, match="not renewed in time"):
            await lease.new_page()
        await stage.clock.sleep(1)
        assert stage.units[0].contexts[0].is_closed
        assert [each.reason for each in stage.of(signals.LeaseLost)] == ["it was not renewed in time"]  # type: ignore[attr-defined]  # by its kind

    play(scene)


def test_a_call_ends_at_its_deadline() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 60)
        with pytest.raises(BrowserTimeoutError, match=r"within 2 s"):
            await lease.call(asyncio.Event().wait, 2)

    play(scene)


def test_a_call_under_way_ends_at_once_when_its_browser_is_lost() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 600)
        calling = asyncio.create_task(lease.call(asyncio.Event().wait, 500))
        await stage.clock.sleep(1)
        stage.units[0].survey = stage.units[0].survey.__class__(is_driver_alive=False)
        began = stage.clock.monotonic()
        with pytest.raises(BrowserLostError, match="its driver died"):
            await calling
        assert stage.clock.monotonic() - began < 2

    play(scene)


def test_a_page_that_hangs_costs_only_its_own_lease() -> None:
    async def scene(stage: Stage) -> None:
        healthy, ill = await leases_of(stage, 2)
        ill.held.is_hung = True  # type: ignore[attr-defined]  # the fake's own switch
        seconds = await stage.until(ill.lost.is_set)
        assert seconds <= 10
        assert not healthy.lost.is_set()
        assert len(stage.units) == 1

    play(scene)


def test_a_crashed_page_is_noticed_at_once() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 600)
        lease.held.crashed.set()
        assert await stage.until(lease.lost.is_set) < 2
        assert lease.reason == "its page crashed"

    play(scene)


# The end.


def test_a_pool_that_stops_ends_every_lease_and_every_wait() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 600)
        waiting = asyncio.create_task(stage.pool.acquire(NEED, 60))
        await stage.clock.sleep(1)
        began = stage.clock.monotonic()
        await stage.pool.stop()
        assert stage.clock.monotonic() - began < 10
        assert lease.lost.is_set()
        with pytest.raises(BrowserLostError, match="stopping"):
            await waiting
        with pytest.raises(BrowserLostError, match="not running"):
            await stage.pool.acquire(NEED, 60)

    play(scene, options(browsers=1, contexts=1))


def test_a_pool_can_be_stopped_while_a_browser_starts() -> None:
    async def scene(stage: Stage) -> None:
        waiting = asyncio.create_task(stage.pool.acquire(NEED, 60))
        await stage.clock.sleep(0.5)
        await stage.pool.stop()
        with pytest.raises(BrowserLostError):
            await waiting

    play(scene)


def test_the_figures_add_up_over_units_and_leases() -> None:
    async def scene(stage: Stage) -> None:
        first, _ = await leases_of(stage, 2)
        await first.new_page()
        stage.units[0].weigh(100 * MB)
        await stage.clock.sleep(20)
        account = stage.pool.accounting()
        assert (account.browsers, account.contexts, account.pages, account.pids) == (1, 2, 1, 1)
        assert account.pss_bytes == 100 * MB
        assert (account.requests, account.blocked) == (6, 2)
        await first.release()
        assert (stage.pool.accounting().requests, stage.pool.accounting().units[0].tasks) == (6, 1)

    play(scene)
