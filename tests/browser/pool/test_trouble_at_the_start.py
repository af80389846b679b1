"""The pool with the real Chromium, whose driver or browser is killed or stopped before it is ready."""

import asyncio
import os
import shutil
import signal

import pytest

from longstop.domain.errors import BrowserError
from longstop.fetch.browser import processes
from longstop.fetch.browser.orphans import marked
from longstop.observe import signals
from tests.browser.pool.house import CLOCK, HELD, House, show, until
from tests.browser.pool.pool_site import zombie_children

pytestmark = [
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium; `apt-get install chromium`"),
    pytest.mark.req("B4"),
]


async def marked_child(house: House, *, is_driver: bool) -> int:
    """The first process of the first browser of this house, as soon as there is one."""
    while True:
        names = {path.name for path in house.root.glob("*")}
        for pid in processes.below(os.getpid()):
            mark = marked(pid)
            is_named = processes.arguments(pid)[-1:] == ["run-driver"]
            if mark is not None and mark.partition(":")[0] in names and is_named is is_driver:
                return pid
        await CLOCK.sleep(0.005)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGSTOP], ids=lambda each: each.name)
@pytest.mark.parametrize("victim", ["driver", "browser"])
async def test_who_is_lost_while_it_starts_is_replaced_in_time(
    house: House, victim: str, signum: signal.Signals
) -> None:
    """The house itself looks that no process, no zombie and no folder is left."""
    async with house.pool() as pool:
        asking = asyncio.create_task(pool.acquire(HELD, 60))
        os.kill(await marked_child(house, is_driver=victim == "driver"), signum)
        began = CLOCK.monotonic()
        lease = await asking
        assert await show(lease) == ""
        assert CLOCK.monotonic() - began <= 10
        failures = [each for each in house.of(signals.ErrorRaised) if isinstance(each, signals.ErrorRaised)]
        assert not any("Unforeseen" in each.error_message for each in failures)
        await lease.release()
        await until(lambda: not zombie_children(), 5)


async def test_a_folder_that_cannot_be_written_is_told_and_costs_nothing_else(house: House) -> None:
    async with house.pool() as pool:
        folder = next(house.root.glob("*"))
        (folder / "u1").write_text("in the way")
        with pytest.raises(BrowserError, match="nowhere to write"):
            await pool._fleet.new_unit().start()
        (folder / "u1").unlink()
        async with pool.lease(HELD, 60) as lease:
            await show(lease)
