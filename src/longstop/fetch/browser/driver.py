"""Starts one Playwright driver (node) for one browser: a failure domain of its own, with a mark and a temporary folder.

Playwright hands our environment to its driver and has no argument for it. So the two variables are set while the
driver starts, one driver at a time, and taken back at once.
"""

import asyncio
import contextlib
import importlib
import os
import signal
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserMissingError, BrowserTimeoutError
from longstop.domain.extras import installing
from longstop.fetch.browser import processes
from longstop.fetch.browser.command_line import MARK_VARIABLE
from longstop.fetch.browser.drivers import PLAYWRIGHT
from longstop.fetch.browser.processes import Identity

if TYPE_CHECKING:
    from playwright.async_api import Playwright

MISSING = f"Run {installing('browser')}."


async def start_driver(
    mark: str, temporary: str, clock: Clock, seconds: float, module: str = PLAYWRIGHT
) -> "Playwright":
    """Not to be called twice at the same time. Whatever goes wrong, no driver is left."""
    try:
        package = importlib.import_module(module)
    except ImportError as error:
        raise BrowserMissingError(f"The package {module.partition('.')[0]} is not installed.", hint=MISSING) from error
    with _variables({MARK_VARIABLE: mark, "TMPDIR": temporary}):
        starting = asyncio.create_task(package.async_playwright().start(), name="start a browser driver")
        try:
            async with clock.timeout(seconds):
                await asyncio.wait({starting})
        except TimeoutError as error:
            raise BrowserTimeoutError(f"The browser's driver did not start within {seconds:g} s.") from error
        finally:
            starting.add_done_callback(_look_at)
            if not _is_up(starting):
                starting.cancel()
                _kill_driver(mark)
    # A driver that dies early is told by an exception of no kind of its own, so it is looked at and not caught.
    failure = starting.exception()
    if failure is not None:
        raise BrowserError(f"The browser's driver did not start: {failure}.") from failure
    playwright: Playwright = starting.result()
    return playwright


def _is_up(starting: "asyncio.Task[Any]") -> bool:
    return starting.done() and not starting.cancelled() and starting.exception() is None


def _look_at(task: "asyncio.Task[Any]") -> None:
    """Given up, it may still fail; that is no news."""
    if not task.cancelled():
        task.exception()


def find_driver(mark: str) -> Identity | None:
    """Our own child that was started as a driver with this mark."""
    for pid in processes.children(os.getpid()):
        is_driver = processes.arguments(pid)[-1:] == ["run-driver"]
        if is_driver and processes.environment_value(pid, MARK_VARIABLE) == mark:
            found = processes.read_process(pid)
            return None if found is None else found.identity
    return None


def _kill_driver(mark: str) -> None:
    if (driver := find_driver(mark)) is not None:
        processes.send(driver, signal.SIGKILL)


@contextlib.contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


async def stop_driver(playwright: "Playwright", clock: Clock, seconds: float) -> "asyncio.Task[None]":
    """Asks it to end and waits a little; the task ends by itself once the driver is killed."""
    stopping = asyncio.create_task(playwright.stop(), name="stop a browser driver")
    with contextlib.suppress(TimeoutError):
        async with clock.timeout(seconds):
            await asyncio.wait({stopping})
    return stopping
