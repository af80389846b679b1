"""The pool's rules on virtual time: loss and replacement. The browsers are made up, the rules are not."""

import msgspec
import pytest

from longstop.domain.errors import BrowserError, BrowserLostError
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.recycling import MB, ContextLimits, UnitLimits
from longstop.fetch.browser.roster import PoolOptions
from longstop.observe import signals
from tests.unit.fetch.browser.stage import FOREVER, NEED, UNLIMITED, Stage, leases_of, options, play

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


# Figures.


@pytest.mark.req("B5")
def test_what_a_browser_takes_is_shared_by_its_contexts_and_what_cannot_be_read_is_told() -> None:
    async def scene(stage: Stage) -> None:
        first, second = await leases_of(stage, 2)
        assert first.whole_bytes() == 0
        unit = stage.units[0]
        unit.weigh(300 * MB)
        await stage.until(lambda: first.whole_bytes() > 0)
        assert first.whole_bytes() == second.whole_bytes() == 150 * MB
        assert first.memory_bytes() == 0
        unit.weigh(0)
        await stage.until(lambda: first.whole_bytes() == 0)
        failed = stage.of(signals.ReadingFailed)
        assert failed
        assert failed[0].reading == "browser memory"  # type: ignore[attr-defined]  # by its kind

    play(scene)


@pytest.mark.req("B5")
def test_a_browser_whose_shared_memory_cannot_be_read_is_judged_by_all_it_holds() -> None:
    async def scene(stage: Stage) -> None:
        await stage.pool.acquire(NEED, 600)
        unit = stage.units[0]
        unit.weigh(3000 * MB)
        unit.survey = msgspec.structs.replace(unit.survey, pss={})
        await stage.until(lambda: bool(stage.of(signals.BrowserLost)))

    play(scene, options(units=UnitLimits(0, 0, 0, 0, 2048 * MB, 0, 0, 0)))


@pytest.mark.req("B3")
def test_a_recycle_replaces_every_browser_that_runs_each_successor_first() -> None:
    async def scene(stage: Stage) -> None:
        await leases_of(stage, 4)
        before = list(stage.units)
        assert len(before) == 2
        assert await stage.pool.recycle("no good poll of any match for 90 s") == 2
        await stage.until(lambda: not any(unit.is_up for unit in before))
        assert len(stage.units) == 4
        assert [unit.is_up for unit in stage.units[2:]] == [True, True]

    play(scene, options(browsers=2, contexts=2))


@pytest.mark.req("B5")
def test_what_the_pool_holds_is_told_with_each_measurement() -> None:
    async def scene(stage: Stage) -> None:
        async with stage.pool.lease(NEED, 60):
            await stage.clock.sleep(40)
        told = stage.of(signals.BrowsersMeasured)
        assert len(told) >= 2
        newest = told[-1]
        assert isinstance(newest, signals.BrowsersMeasured)
        assert (newest.browsers, newest.contexts, newest.pool) == (1, 1, "plain")
        assert [source for source, _ in newest.contexts_bytes] == ["crex"]

    play(scene)
