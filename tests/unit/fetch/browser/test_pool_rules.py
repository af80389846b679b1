"""The pool's rules on virtual time: places, leases, replacement, loss. The browsers are made up, the rules are not."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.domain.errors import BrowserError, BrowserLostError, BrowserTimeoutError, PoolExhaustedError
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.pool import BrowserPool
from longstop.fetch.browser.recycling import MB, ContextLimits, UnitLimits
from longstop.fetch.browser.roster import PoolOptions
from longstop.observe import signals
from longstop.observe.signals import Signal, Signals
from tests.unit.fetch.browser.fake_fleet import FakeFleet, FakeUnit

NEED = ContextNeed("crex")
UNLIMITED = UnitLimits(0, 0, 0, 0, 0, 0, 0, 0)
FOREVER = ContextLimits(0, 0, 0, 0, 0)


class Stage:
    def __init__(self, options: PoolOptions) -> None:
        self.clock = LoopClock(datetime(2026, 11, 18, tzinfo=UTC))
        self.bus = Signals()
        self.told: list[Signal] = []
        self.bus.subscribe_all(self.told.append)
        self.fleet = FakeFleet(self.clock)
        self.pool = BrowserPool(self.fleet, self.clock, self.bus, options)

    @property
    def units(self) -> list[FakeUnit]:
        return self.fleet.units

    def of(self, kind: type[Signal]) -> list[Signal]:
        return [each for each in self.told if isinstance(each, kind)]

    async def until(self, is_so: Callable[[], bool], seconds: float = 60.0) -> float:
        began = self.clock.monotonic()
        while not is_so():
            assert self.clock.monotonic() - began < seconds, "it did not come to that"
            await self.clock.sleep(0.05)
        return self.clock.monotonic() - began


def options(
    browsers: int = 2, contexts: int = 2, units: UnitLimits = UNLIMITED, context: ContextLimits = FOREVER
) -> PoolOptions:
    return PoolOptions(browsers=browsers, contexts=contexts, unit_limits=units, context_limits=context)


def play(scene: Callable[[Stage], Awaitable[None]], given: PoolOptions = options()) -> None:  # noqa: B008 - frozen
    async def whole() -> None:
        stage = Stage(given)
        await stage.pool.start()
        await scene(stage)
        await stage.pool.stop()
        assert stage.fleet.is_closed
        assert not any(unit.is_up for unit in stage.units), "a browser outlived its pool"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    virtual_time.run(whole())


async def leases_of(stage: Stage, count: int, seconds: float = 600.0) -> list[Lease]:
    return list(await asyncio.gather(*(stage.pool.acquire(NEED, seconds) for _ in range(count))))


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


# Loss.


def test_a_browser_that_does_not_answer_is_lost_and_replaced() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 600)
        stage.units[0].is_hung = True
        noticed = await stage.until(lease.lost.is_set)
        assert noticed <= 10
        replaced = await stage.until(lambda: len(stage.units) == 2 and stage.units[1].is_up)
        assert noticed + replaced <= 15
        assert stage.units[0].endings == [False]

    play(scene)


def test_one_late_answer_is_no_loss() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 600)
        stage.units[0].is_hung = True
        await stage.clock.sleep(3)
        stage.units[0].is_hung = False
        await stage.clock.sleep(30)
        assert not lease.lost.is_set()

    play(scene)


def test_a_context_that_does_not_close_takes_its_browser_down() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 600)
        lease.held.close_hangs = True  # type: ignore[attr-defined]  # the fake's own switch
        await lease.release()
        await stage.until(lambda: len(stage.units) == 2 and stage.units[1].is_up)
        assert stage.units[0].endings == [False]
        assert [each.reason for each in stage.of(signals.BrowserLost)] == ["A context did not close"]  # type: ignore[attr-defined]  # by its kind

    play(scene)


def test_failing_starts_are_tried_again_with_longer_pauses() -> None:
    async def scene(stage: Stage) -> None:
        stage.fleet.start_errors = [BrowserError("It fell over.")] * 3
        with pytest.raises(BrowserLostError, match="It fell over"):
            await stage.pool.acquire(NEED, 60)
        await stage.until(lambda: stage.units[-1].is_up)
        assert len(stage.units) == 4
        assert len(stage.of(signals.ErrorRaised)) == 3
        await stage.pool.acquire(NEED, 60)

    with_less_patience = PoolOptions(acquire_seconds=4.0, unit_limits=UNLIMITED, context_limits=FOREVER)
    play(scene, with_less_patience)


# Replacement.


def test_nobody_is_asked_to_move_before_the_successor_is_ready() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        await lease.new_page()
        await stage.until(lambda: len(stage.units) == 2, 200)
        assert not lease.retiring.is_set()
        await stage.until(lease.retiring.is_set)
        assert stage.units[1].is_up
        assert stage.units[0].is_up
        successor = await stage.pool.acquire(NEED, 600)
        assert successor.unit == "u2"
        assert not lease.lost.is_set()
        await lease.release()
        await stage.until(lambda: not stage.units[0].is_up, 5)
        assert stage.units[0].endings == [True]
        assert stage.pool.accounting().recycles == {"browser: age": 1}

    play(scene, options(browsers=1, units=UnitLimits(100, 0, 0, 0, 0, 0, 0, 0)))


def test_who_does_not_move_loses_the_lease_at_the_drain_deadline() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        await stage.until(lease.retiring.is_set, 200)
        seconds = await stage.until(lease.lost.is_set)
        assert 30 <= seconds <= 33
        await stage.until(lambda: not stage.units[0].is_up, 5)

    play(scene, options(units=UnitLimits(100, 0, 0, 0, 0, 0, 0, 0)))


def test_a_successor_that_fails_to_start_leaves_the_old_one_serving() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        stage.fleet.start_errors = [BrowserError("It fell over.")] * 2
        await stage.until(lambda: len(stage.units) == 3, 200)
        assert not lease.retiring.is_set()
        await stage.until(lease.retiring.is_set)
        assert stage.units[3].is_up

    play(scene, options(units=UnitLimits(100, 0, 0, 0, 0, 0, 0, 0)))


def test_never_are_there_more_than_one_browser_too_many() -> None:
    async def scene(stage: Stage) -> None:
        await leases_of(stage, 4, 6000)
        await stage.clock.sleep(300)
        assert len(stage.units) > 4
        assert stage.fleet.highest <= 3

    play(scene, options(browsers=2, units=UnitLimits(20, 0, 0, 0, 0, 0, 0, 0)))


def test_a_browser_over_the_hard_limit_is_killed_at_once() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        stage.units[0].weigh(3000 * MB)
        assert await stage.until(lease.lost.is_set) < 4
        assert stage.units[0].endings == [False]
        assert stage.pool.accounting().recycles == {"browser: memory": 1}

    play(scene, options(units=UnitLimits(0, 0, 0, 1500 * MB, 2000 * MB, 0, 0, 0)))


def test_a_browser_over_the_soft_limit_is_replaced_in_peace() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        stage.units[0].weigh(1600 * MB)
        await stage.until(lease.retiring.is_set)
        assert not lease.lost.is_set()

    play(scene, options(units=UnitLimits(0, 0, 0, 1500 * MB, 2000 * MB, 0, 0, 0)))


def test_a_browser_that_became_slow_is_replaced() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        await stage.clock.sleep(60)
        assert not lease.retiring.is_set()
        stage.units[0].probe_seconds = 1.0
        await stage.until(lease.retiring.is_set)
        assert stage.pool.accounting().recycles == {"browser: latency": 1}

    play(scene, options(units=UnitLimits(0, 0, 0, 0, 0, 0, 3.0, 0.25)))


def test_a_context_is_followed_before_its_holder_is_asked_to_move() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        for _ in range(6):
            lease.count_task()
        await stage.until(lease.retiring.is_set)
        assert len(stage.units[0].contexts) == 2, "the successor is there"
        began = stage.clock.monotonic()
        successor = await stage.pool.acquire(NEED, 600)
        assert stage.clock.monotonic() == began, "it had not to be waited for"
        await lease.release()
        await stage.clock.sleep(60)
        assert not successor.lost.is_set()
        assert stage.pool.accounting().recycles == {"context: tasks": 1}

    play(scene, options(browsers=1, contexts=1, context=ContextLimits(0, 5, 0, 0, 0)))


def test_a_successor_that_nobody_takes_is_closed() -> None:
    async def scene(stage: Stage) -> None:
        lease = await stage.pool.acquire(NEED, 6000)
        for _ in range(6):
            lease.count_task()
        await stage.until(lease.retiring.is_set)
        await lease.release()
        await stage.clock.sleep(40)
        assert all(held.is_closed for held in stage.units[0].contexts)
        await stage.pool.acquire(ContextNeed("other"), 60)

    play(scene, options(browsers=1, contexts=1, context=ContextLimits(0, 5, 0, 0, 0)))


def test_a_browser_that_nobody_uses_is_closed_and_comes_back() -> None:
    async def scene(stage: Stage) -> None:
        await (await stage.pool.acquire(NEED, 60)).release()
        await stage.until(lambda: not stage.units[0].is_up, 120)
        await stage.clock.sleep(120)
        assert len(stage.units) == 1
        await stage.pool.acquire(NEED, 60)
        assert len(stage.units) == 2

    play(scene, options(units=UnitLimits(0, 0, 0, 0, 0, 0, 0, 0, idle_seconds=60)))


def test_orphans_are_looked_for_at_the_start_and_every_half_hour() -> None:
    async def scene(stage: Stage) -> None:
        assert stage.fleet.sweeps == 1
        await stage.clock.sleep(2 * 1800 + 10)
        assert stage.fleet.sweeps == 3

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


def test_figures_add_up() -> None:
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
