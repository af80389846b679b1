"""The subreaper buries its own orphans and nobody else's dead."""

import asyncio
import os
import sys
from collections.abc import Iterator

import pytest

from longstop.clock import SystemClock
from longstop.fetch.browser import processes
from longstop.fetch.browser.reaping import Reaper, become_subreaper, resign_as_subreaper

# A parent that leaves a child behind, in a session of its own, and tells its number.
LEAVES_AN_ORPHAN = """
import subprocess, sys
words = [sys.executable, "-c", "import sys; sys.stdin.read()"]
child = subprocess.Popen(words, stdin=0, stdout=-3, start_new_session=True)
print(child.pid, flush=True)
"""


@pytest.fixture(autouse=True)
def subreaper() -> Iterator[None]:
    assert become_subreaper()
    yield
    assert resign_as_subreaper()


async def zombie(pid: int) -> None:
    for _ in range(300):
        found = processes.read_process(pid)
        if found is not None and found.is_zombie:
            return
        await SystemClock().sleep(0.01)
    pytest.fail(f"{pid} is no zombie")


async def an_orphan() -> tuple[int, int]:
    """Its number, and the end of the pipe that lets it live."""
    reading, writing = os.pipe()
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LEAVES_AN_ORPHAN, stdin=reading, stdout=asyncio.subprocess.PIPE
    )
    os.close(reading)
    out, _ = await parent.communicate()
    return int(out), writing


async def test_an_orphan_of_a_known_session_is_buried() -> None:
    pid, living = await an_orphan()
    reaper = Reaper()
    reaper.adopt_session(pid)
    assert reaper.reap(processes.all_processes()) == [], "it lives"
    os.close(living)
    await zombie(pid)
    reaper.adopt_session(pid)
    assert reaper.reap(processes.all_processes()) == [pid]
    assert processes.read_process(pid) is None


async def test_an_orphan_nobody_knows_is_left_to_whom_it_belongs() -> None:
    pid, living = await an_orphan()
    os.close(living)
    await zombie(pid)
    reaper = Reaper()
    assert reaper.reap(processes.all_processes()) == []
    reaper.adopt_session(pid)
    assert reaper.reap(processes.all_processes()) == [pid]


async def test_the_exit_status_of_a_child_of_asyncio_is_not_stolen() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(7)")
    reaper = Reaper()
    for _ in range(50):
        table = processes.all_processes()
        reaper.adopt_grandchildren(table)
        reaper.reap(table)
        await SystemClock().sleep(0.01)
    assert await child.wait() == 7


async def test_who_was_once_seen_below_a_child_is_buried_as_an_orphan() -> None:
    reading, writing = os.pipe()
    script = LEAVES_AN_ORPHAN + "import time; time.sleep(60)"
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdin=reading, stdout=asyncio.subprocess.PIPE
    )
    os.close(reading)
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())
    reaper = Reaper()
    reaper.adopt_grandchildren(processes.all_processes())
    parent.kill()
    await parent.wait()
    os.close(writing)
    await zombie(pid)
    assert reaper.reap(processes.all_processes()) == [pid]
