"""A folder for browsers with pools in it, and what the tests of the pool do again and again."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from longstop.clock import SystemClock
from longstop.fetch.browser.fleet import ChromiumOptions
from longstop.fetch.browser.lease import Lease
from longstop.fetch.browser.needs import NO_RULES, ContextNeed
from longstop.fetch.browser.pool import BrowserPool, chromium_pool
from longstop.fetch.browser.roster import PoolOptions
from longstop.observe.signals import Signal, Signals

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
