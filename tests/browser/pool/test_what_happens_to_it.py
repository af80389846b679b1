"""The pool with the real Chromium: what is killed, stopped, hung or too large is replaced, and nothing is left."""

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from longstop.domain.errors import BrowserError, BrowserLostError, BrowserTimeoutError
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.pool import BrowserPool
from longstop.fetch.browser.recycling import MB, UnitLimits
from longstop.fetch.browser.roster import PoolOptions
from longstop.observe import signals
from tests.browser.pool.house import CLOCK, HELD, House, show, until
from tests.browser.pool.pool_site import Site, browsers_of, zombie_children

pytestmark = [
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium; `apt-get install chromium`"),
    pytest.mark.req("B4"),
]


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGSTOP], ids=lambda each: each.name)
async def test_the_loss_of_driver_browser_or_renderer_is_survived(
    house: House, signum: signal.Signals, record_property: Callable[[str, object], None]
) -> None:
    async with house.pool() as pool:
        for victim in ("driver", "browser", "renderer"):
            lease = await pool.acquire(HELD, 60)
            await show(lease)
            calling = asyncio.create_task(lease.call(asyncio.Event().wait, 60))
            before = set(browsers_of(house.root))
            began = CLOCK.monotonic()
            os.kill(pid_of(victim, pool, lease), signum)
            with pytest.raises(BrowserLostError):
                await calling
            noticed = CLOCK.monotonic() - began
            async with pool.lease(HELD, 60) as other:
                await show(other)
                replaced = CLOCK.monotonic() - began
            old = before if victim != "renderer" else lease.held.claimed
            cleared = await until(lambda old=old: not old & set(browsers_of(house.root)), 20)  # type: ignore[misc]  # bound now
            record_property(f"{signum.name} {victim}", f"{noticed:.1f} s, {replaced:.1f} s")
            assert noticed <= 10
            assert replaced <= 15
            assert replaced + cleared <= 20
        await until(lambda: not zombie_children(), 5)


def pid_of(victim: str, pool: BrowserPool, lease: Lease) -> int:
    unit = next(each for each in pool.accounting().units if each.name == lease.unit)
    return {"driver": unit.driver_pid, "browser": unit.pid, "renderer": min(lease.held.claimed)}[victim]


async def test_a_page_in_an_endless_loop_is_noticed_and_closed(house: House) -> None:
    options = PoolOptions(browsers=1, page_seconds=2.0)
    async with house.pool(options) as pool:
        healthy, ill = await pool.acquire(HELD, 60), await pool.acquire(HELD, 60)
        await show(healthy)
        page = await ill.new_page()
        with pytest.raises(BrowserLostError, match="did not answer"):
            await ill.call(lambda: page.evaluate("while (true) {}"), 30)
        await until(lambda: not ill.held.claimed & set(browsers_of(house.root)), 5)
        assert not healthy.lost.is_set()
        assert await show(healthy) == ""


async def test_an_endless_loop_does_not_keep_a_lease_from_going(house: House) -> None:
    async with house.pool() as pool:
        async with pool.lease(HELD, 60) as lease:
            page = await lease.new_page()
            with pytest.raises(BrowserTimeoutError):
                await lease.call(lambda: page.evaluate("while (true) {}"), 0.5)
            began = CLOCK.monotonic()
        assert CLOCK.monotonic() - began < 3
        assert pool.accounting().contexts == 0


@pytest.mark.req("B5")
async def test_a_browser_at_its_hard_limit_is_killed_at_once(house: House) -> None:
    limits = UnitLimits(pss_hard_bytes=600 * MB, pss_soft_bytes=0)
    async with house.pool(PoolOptions(browsers=1, unit_limits=limits)) as pool, pool.lease(HELD, 60) as lease:
        page = await lease.new_page()
        grow = "() => { window.kept = []; for (let i = 0; i < 60; i++) kept.push(new Uint8Array(8e6).fill(i)) }"
        began = CLOCK.monotonic()
        with contextlib.suppress(BrowserError):
            await lease.call(lambda: page.evaluate(grow), 30)
        with pytest.raises(BrowserLostError):
            await lease.call(asyncio.Event().wait, 30)
        assert lease.reason.startswith("memory")
        assert CLOCK.monotonic() - began < 15
        await until(lambda: any(each.state == "ready" for each in pool.accounting().units), 10)
    assert pool.accounting().recycles == {"browser: memory": 1}


@pytest.mark.req("B5")
async def test_a_lease_moves_to_the_successor_without_a_break(house: House, site: Site) -> None:
    limits = UnitLimits(age_seconds=3)
    async with house.pool(PoolOptions(browsers=1, unit_limits=limits, drain_seconds=5)) as pool:
        lease = await pool.acquire(HELD, 60)
        await show(lease, site.url)
        served: list[float] = []
        while len(house.of(signals.BrowserStopped)) < 1:
            page = lease.context.pages[0]
            await lease.call(lambda page=page: page.evaluate("fetch('/score.json').then(r => r.text())"), 5)  # type: ignore[misc]  # bound now
            served.append(CLOCK.monotonic())
            if lease.retiring.is_set():
                old, lease = lease, await pool.acquire(HELD, 60)
                await show(lease, site.url)
                await old.release()
            await CLOCK.sleep(0.1)
        gaps = [after - before for before, after in pairwise(served)]
        assert max(gaps) < 2.5, "one poll is the longest gap there may be"
        assert lease.unit == "u2"
        await lease.release()


async def test_a_lease_that_expires_is_taken_back(house: House) -> None:
    async with house.pool() as pool:
        lease = await pool.acquire(HELD, 1.0)
        await show(lease)
        await until(lease.lost.is_set, 4)
        await until(lambda: not lease.held.claimed & set(browsers_of(house.root)), 4)
        with pytest.raises(BrowserLostError, match="not renewed"):
            await lease.new_page()


async def test_who_is_cancelled_while_the_browser_starts_leaves_nothing(house: House) -> None:
    async with house.pool() as pool:
        for seconds in (0.0, 0.1, 0.3, 0.6):
            asking = asyncio.create_task(pool.acquire(HELD, 60))
            await CLOCK.sleep(seconds)
            asking.cancel()
            await asyncio.wait({asking})
            if not asking.cancelled():
                await asking.result().release()
        async with pool.lease(HELD, 60) as lease:
            assert len(lease.context.browser.contexts) == 1  # type: ignore[union-attr]  # it has one


async def test_a_pool_stops_in_time_with_a_stopped_driver(house: House) -> None:
    """`house.pool` holds the 10 seconds."""
    async with house.pool(PoolOptions(browsers=1, probe_every_seconds=60)) as pool:
        lease = await pool.acquire(HELD, 60)
        await show(lease)
        os.kill(pid_of("driver", pool, lease), signal.SIGSTOP)
        os.kill(pid_of("renderer", pool, lease), signal.SIGSTOP)


async def test_a_folder_with_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    house = House(tmp_path / ("long" * 30) / "browser")
    before = loose_files()
    async with house.pool() as pool, pool.lease(HELD, 60) as lease:
        await show(lease)
        assert loose_files() == before
    assert list(house.root.glob("*")) == []


def loose_files() -> set[str]:
    """Where a browser that was not told otherwise would write."""
    return {path.name for path in Path(tempfile.gettempdir()).glob("*hromium*")}


async def test_files_threads_and_tasks_stay_as_they_were(house: House) -> None:
    async with house.pool() as pool:
        async with pool.lease(HELD, 60) as lease:
            await show(lease)
        before = holdings()
        for _ in range(10):
            async with pool.lease(HELD, 60) as lease:
                await show(lease)
        await CLOCK.sleep(0.2)
        files, threads, tasks, pids = (now - then for now, then in zip(holdings(), before, strict=True))
        assert (files, threads, tasks) <= (2, 2, 3)
        assert pids <= 2
        assert len(browsers_of(house.root)) < 14


def holdings() -> tuple[int, int, int, int]:
    process = psutil.Process()
    return process.num_fds(), threading.active_count(), len(asyncio.all_tasks()), len(process.children(recursive=True))


@pytest.mark.req("B5")
async def test_each_context_has_its_own_account_of_processes_and_memory(house: House) -> None:
    options = PoolOptions(browsers=1, probe_every_seconds=0.2, measure_every_seconds=0.2)
    async with house.pool(options) as pool:
        small, large = await pool.acquire(HELD, 60), await pool.acquire(HELD, 60)
        await show(small)
        page = await large.new_page()
        grow = "() => { window.kept = []; for (let i = 0; i < 12; i++) kept.push(new Uint8Array(8e6).fill(i)) }"
        await large.call(lambda: page.evaluate(grow), 10)
        large.count_task()

        def sizes() -> list[int]:
            return sorted(each.pss_bytes for each in pool.accounting().leases)

        await until(lambda: sizes()[1] > sizes()[0] + 80 * MB > 80 * MB, 5)
        one, other = sorted(pool.accounting().leases, key=lambda each: each.pss_bytes)
        assert set(one.pids).isdisjoint(other.pids)
        assert set(one.pids) | set(other.pids) <= set(browsers_of(house.root))
        assert len(one.pids) == len(other.pids) == 1
        assert (one.tasks, other.tasks) == (0, 1)
        assert one.whole_bytes > one.pss_bytes
