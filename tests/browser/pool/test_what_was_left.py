"""The pool with the real Chromium: what an earlier run left is removed, what is somebody else's is not."""

import asyncio
import contextlib
import shutil
import sys

import pytest

from longstop.fetch.browser import processes
from longstop.fetch.browser.fleet import ChromiumFleet, ChromiumOptions
from longstop.observe import signals
from tests.browser.pool.house import CLOCK, HELD, House, show
from tests.browser.pool.pool_site import browsers_of

pytestmark = [
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium; `apt-get install chromium`"),
    pytest.mark.req("B4"),
]


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
