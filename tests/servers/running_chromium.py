"""A Chromium that somebody else has started and goes on using: with a debugging port, and a page of its own."""

import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
from aiohttp import ClientSession

from longstop.clock import SystemClock
from tests.browser.conftest import SWITCHES, chromium_path

CLOCK = SystemClock()
START_SECONDS = 20.0
PAGE = "data:text/html,<title>mine</title>"


class RunningChromium:
    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.process = process
        self.url = url

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    async def pages(self) -> list[str]:
        """The titles of what is open in it, in whatever context."""
        async with ClientSession() as session, session.get(f"{self.url}/json/list") as answer:
            return [each["title"] for each in await answer.json() if each["type"] == "page"]

    async def contexts_were_closed(self) -> None:
        """Only its owner's page is left, in a little while."""
        began = CLOCK.monotonic()
        while (pages := await self.pages()) != ["mine"]:
            assert CLOCK.monotonic() - began < 5, pages
            await CLOCK.sleep(0.05)

    def kill(self) -> None:
        """All of it: helpers of a Chromium whose main process is killed end a moment later."""
        everybody = [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]
        for each in everybody:
            if each.is_running():
                os.kill(each.pid, signal.SIGKILL)
        self.process.wait(10)
        psutil.wait_procs(everybody[1:], timeout=5)


@asynccontextmanager
async def running_chromium(folder: Path) -> AsyncIterator[RunningChromium]:
    process = _started(folder)
    try:
        began = CLOCK.monotonic()
        while (port := _port_told(folder / "DevToolsActivePort")) is None:
            assert CLOCK.monotonic() - began < START_SECONDS, "the browser did not say where it listens"
            await CLOCK.sleep(0.05)
        yield RunningChromium(process, f"http://127.0.0.1:{port}")
    finally:
        if process.poll() is None:
            RunningChromium(process, "").kill()


def _started(folder: Path) -> "subprocess.Popen[bytes]":
    wanted = ("--headless=new", "--remote-debugging-port=0", f"--user-data-dir={folder}", PAGE)
    command = [chromium_path(""), *SWITCHES, *wanted]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _port_told(place: Path) -> int | None:
    words = place.read_text().split() if place.exists() else []
    return int(words[0]) if words else None
