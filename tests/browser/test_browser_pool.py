"""The pool with the real Chromium: it fetches what it may, survives what happens to it, and leaves nothing behind."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import BrowserError, BrowserLostError, BrowserMissingError, BrowserTimeoutError
from longstop.fetch.browser import processes
from longstop.fetch.browser.fleet import ChromiumFleet, ChromiumOptions
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.needs import NO_RULES, Allow, ContextNeed, Profile, RouteRules
from longstop.fetch.browser.pool import BrowserPool, chromium_pool
from longstop.fetch.browser.recycling import MB, UnitLimits
from longstop.fetch.browser.roster import PoolOptions
from longstop.observe import signals
from longstop.observe.signals import Signal, Signals
from tests.browser.pool_site import (
    DeafListener,
    OpenProxy,
    Site,
    browsers_of,
    open_proxy,
    open_site,
    zombie_children,
)

pytestmark = [
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium; `apt-get install chromium`"),
    pytest.mark.req("B4"),
]

CLOCK = SystemClock()
HELD = ContextNeed("crex", route=NO_RULES)
ONE_BROWSER = PoolOptions(browsers=1)
PLAIN_PAGE = "data:text/html,<p>here</p>"


class House:
    """A folder for browsers, what was told, and pools made in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told: list[Signal] = []
        self.bus = Signals()
        self.bus.subscribe_all(self.told.append)

    def of(self, kind: type[Signal]) -> list[Signal]:
        return [each for each in self.told if isinstance(each, kind)]

    @contextlib.asynccontextmanager
    async def pool(
        self,
        options: PoolOptions = ONE_BROWSER,
        proxy: str | None = None,
    ) -> AsyncIterator[BrowserPool]:
        pool = chromium_pool(ChromiumOptions(self.root, proxy=proxy), CLOCK, self.bus, options)
        await pool.start()
        try:
            yield pool
        finally:
            began = CLOCK.monotonic()
            await pool.stop()
            assert CLOCK.monotonic() - began < 10


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """After each test there is no process, no zombie and no folder of any browser."""
    house = House(tmp_path / "browser")
    yield house
    assert browsers_of(house.root) == []
    assert zombie_children() == []
    assert list(house.root.glob("*")) == []


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with open_site() as site:
        yield site


@pytest.fixture
async def proxy() -> AsyncIterator[OpenProxy]:
    async with open_proxy() as proxy:
        yield proxy


async def until(is_so: Callable[[], bool], seconds: float) -> float:
    began = CLOCK.monotonic()
    while not is_so():
        assert CLOCK.monotonic() - began < seconds, f"it did not come to that within {seconds} s"
        await CLOCK.sleep(0.02)
    return CLOCK.monotonic() - began


async def show(lease: Lease, url: str = PLAIN_PAGE, seconds: float = 10.0) -> str:
    page = await lease.new_page()
    await lease.call(lambda: page.goto(url), seconds)
    return await lease.call(page.title, seconds)


# What is fetched.


async def test_a_lease_comes_and_goes_and_leaves_nothing(house: House) -> None:
    async with house.pool() as pool:
        async with pool.lease(HELD, 60) as lease:
            await show(lease)
            account = pool.accounting()
            assert (account.browsers, account.contexts, account.pages) == (1, 1, 1)
            assert len(browsers_of(house.root)) > 5
        assert pool.accounting().contexts == 0
    (stopped,) = house.of(signals.BrowserStopped)
    assert isinstance(stopped, signals.BrowserStopped)
    assert (stopped.pids_before > 5, stopped.pids_after) == (True, 0)


@pytest.mark.req("A2")
async def test_what_is_blocked_is_really_not_fetched(house: House, site: Site) -> None:
    async with house.pool() as pool, pool.lease(ContextNeed("crex"), 60) as lease:
        await show(lease, site.url)
        await until(lambda: site.hits["/score.json"] == 1, 5)
        await CLOCK.sleep(0.3)
        assert set(site.hits) == {"/", "/score.json", "/script.js"}
        assert {"image", "stylesheet", "frame", "tracker"} <= set(lease.traffic.blocked)
        assert lease.traffic.requests >= 7


@pytest.mark.req("A2")
async def test_without_rules_the_same_page_fetches_all_of_it(house: House, site: Site) -> None:
    async with house.pool() as pool, pool.lease(HELD, 60) as lease:
        await show(lease, site.url)
        await until(lambda: {"/picture.png", "/style.css", "/frame.html", "/own.woff2"} <= set(site.hits), 5)
        assert "/worker.js" not in site.hits, "service workers are blocked always"


@pytest.mark.req("A2")
async def test_only_what_is_allowed_is_fetched_and_the_document_once(house: House, site: Site) -> None:
    rules = RouteRules(allow=(Allow("127.0.0.1", "/", ("document",)), Allow("127.0.0.1", "/score")), blocked_kinds=())
    async with house.pool() as pool, pool.lease(ContextNeed("crex", route=rules), 60) as lease:
        page = await lease.new_page()
        await lease.call(lambda: page.goto(site.url), 10)
        await until(lambda: site.hits["/score.json"] == 1, 5)
        with pytest.raises(BrowserError):
            await lease.call(lambda: page.reload(), 10)
        assert set(site.hits) == {"/", "/score.json"}
        assert site.hits["/"] == 1
        assert lease.traffic.blocked["document"] == 1


@pytest.mark.req("D7")
async def test_a_context_shows_the_profile_it_was_given(house: House, site: Site) -> None:
    profile = Profile("Longstop/1", "de-DE", "Asia/Kolkata", (800, 600), (("X-Asked-By", "longstop"),))
    async with house.pool() as pool, pool.lease(ContextNeed("crex", profile), 60) as lease:
        page = await lease.new_page()
        await lease.call(lambda: page.goto(site.url), 10)
        seen = await lease.call(
            lambda: page.evaluate(
                "[navigator.userAgent, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,"
                " innerWidth, innerHeight]"
            ),
            5,
        )
    assert seen[:2] == ["Longstop/1", "de-DE"]
    assert seen[2] in {"Asia/Kolkata", "Asia/Calcutta"}
    assert seen[3:] == [800, 600]


async def test_everything_goes_through_the_proxy_even_to_this_machine(
    house: House, site: Site, proxy: OpenProxy
) -> None:
    listener = DeafListener()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: listener, local_addr=("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    try:
        async with house.pool(proxy=proxy.url) as pool, pool.lease(HELD, 60) as lease:
            await show(lease, site.url)
            await until(lambda: "/score.json" in site.hits, 5)
            page = lease.context.pages[0]
            script = """async port => {
              const peer = new RTCPeerConnection({iceServers: [{urls: `stun:127.0.0.1:${port}`}]})
              peer.createDataChannel("x")
              await peer.setLocalDescription(await peer.createOffer())
              await new Promise(done => setTimeout(done, 700)) }"""
            await lease.call(lambda: page.evaluate(script, port), 5)
    finally:
        transport.close()
    assert sum(site.hits.values()) <= len(proxy.seen)
    assert any("google-analytics" in each for each in proxy.seen)
    of_its_own = [each for each in proxy.seen if site.url not in each and "google-analytics" not in each]
    assert of_its_own == [], "the browser calls nobody of its own accord"
    assert listener.heard == []


async def test_a_context_may_have_a_proxy_of_its_own(house: House, site: Site, proxy: OpenProxy) -> None:
    async with house.pool() as pool:
        async with pool.lease(ContextNeed("other", proxy=proxy.url, route=NO_RULES), 60) as lease:
            await show(lease, site.url)
            assert proxy.seen
        seen = len(proxy.seen)
        async with pool.lease(HELD, 60) as lease:
            await show(lease, site.url)
    assert len(proxy.seen) == seen


async def test_errors_come_in_the_words_of_the_house(house: House, free_port: int) -> None:
    async with house.pool() as pool, pool.lease(HELD, 60) as lease:
        page = await lease.new_page()
        with pytest.raises(BrowserTimeoutError, match=r"within 0\.5 s"):
            await lease.call(lambda: page.evaluate("new Promise(() => {})"), 0.5)
        with pytest.raises(BrowserError, match="nonsense"):
            await lease.call(lambda: page.evaluate("nonsense"), 5)
        assert not lease.lost.is_set()


async def test_a_missing_browser_is_told_with_what_to_do(tmp_path: Path) -> None:
    options = ChromiumOptions(tmp_path / "browser", executable=str(tmp_path / "nothing"))
    with pytest.raises(BrowserMissingError, match="executable_path"):
        await chromium_pool(options, CLOCK, Signals()).start()
    assert not (tmp_path / "browser").exists()


async def test_a_program_that_is_no_browser_is_told_with_its_words(tmp_path: Path, house: House) -> None:
    impostor = tmp_path / "impostor"
    impostor.write_text("#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n")
    impostor.chmod(0o755)
    options = PoolOptions(acquire_seconds=1.5)
    pool = chromium_pool(ChromiumOptions(house.root, str(impostor)), CLOCK, house.bus, options)
    await pool.start()
    with pytest.raises(BrowserLostError, match=r"libnss3\.so"):
        await pool.acquire(HELD, 60)
    await pool.stop()


# What happens to it.


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


# What an earlier run left.

EARLIER_RUN = """
import asyncio, os, signal, sys
from pathlib import Path
from longstop.clock import SystemClock
from longstop.fetch.browser.fleet import ChromiumOptions
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.pool import chromium_pool
from longstop.observe.signals import Signals

async def main():
    pool = chromium_pool(ChromiumOptions(Path(sys.argv[1])), SystemClock(), Signals())
    await pool.start()
    lease = await pool.acquire(ContextNeed("crex"), 600)
    await lease.new_page()
    os.kill(pool.accounting().units[0].driver_pid, signal.SIGSTOP)
    print("wedged", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_what_a_killed_run_left_is_found_by_its_mark_and_removed(house: House) -> None:
    """With a healthy driver nothing would be left, so the driver is wedged first."""
    foreign = await asyncio.create_subprocess_exec("sleep", "60", "--", "--type=renderer", stderr=-3)
    impostor = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import time; time.sleep(60)", "chromium", "--longstop-mark=fedcba:u1"
    )
    earlier = await asyncio.create_subprocess_exec(
        sys.executable, "-c", EARLIER_RUN, str(house.root), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert earlier.stdout is not None
        assert await earlier.stdout.readline() == b"wedged\n"
        await earlier.wait()
        left = browsers_of(house.root)
        assert len(left) > 5, "a killed run with a wedged driver leaves its browser"
        fleet = ChromiumFleet(ChromiumOptions(house.root), CLOCK, house.bus)
        await fleet.open()
        await fleet.close()
        assert not set(left) & {pid for pid in left if processes.is_alive(identity_of(pid))}
        assert {each.pid for each in house.of(signals.OrphanKilled)} == set(left)  # type: ignore[attr-defined]  # by its kind
        assert impostor.returncode is None, "the mark of an instance we know nothing of is not ours"
    finally:
        for other in (foreign, impostor):
            with contextlib.suppress(ProcessLookupError):
                other.kill()
            await other.wait()


def identity_of(pid: int) -> processes.Identity:
    found = processes.read_process(pid)
    return processes.Identity(pid, 0 if found is None else found.start_ticks)


async def test_the_browser_of_a_living_neighbour_is_left_alone(house: House) -> None:
    async with house.pool() as neighbour, neighbour.lease(HELD, 60) as lease:
        await show(lease)
        async with house.pool():
            pass
        assert not house.of(signals.OrphanKilled)
        await show(lease)
