"""Whose browser is it? Found by mark and a dead owner, on stand-ins for a browser."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from longstop.clock import SystemClock
from longstop.fetch.browser import processes
from longstop.fetch.browser.instance import OWNER_FILE, Instance, Owner, UnitRecord, is_dead
from longstop.fetch.browser.orphans import dead_instances, find_orphans, remove_orphans
from longstop.fetch.browser.processes import Identity

CLOCK = SystemClock()
SLEEP = "import time; time.sleep(60)"
Starter = Callable[..., int]
# All processes of the machine are searched, and on it these tests may run twice at the same time.
DEAD = f"dead{os.getpid():x}"


@pytest.fixture
def start() -> Iterator[Starter]:
    """A stand-in that leads a session of its own."""
    children: list[subprocess.Popen[bytes]] = []

    def begin(*words: str, **environment: str) -> int:
        child = subprocess.Popen(
            [sys.executable, "-c", SLEEP, *words], start_new_session=True, env={**os.environ, **environment}
        )
        children.append(child)
        while processes.arguments(child.pid)[3:] != list(words):
            os.sched_yield()  # the kernel shows the words a moment after the program began
        return child.pid

    yield begin
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        child.wait()


def dead_instance(root: Path, name: str = DEAD, pid: int = 2**22 + 1) -> Path:
    ourselves = Owner.ourselves()
    folder = root / name
    (folder / "u1").mkdir(parents=True)
    owner = msgspec.structs.replace(ourselves, pid=pid, start_ticks=1)
    (folder / OWNER_FILE).write_bytes(msgspec.json.encode(owner))
    return folder


async def test_the_marked_process_of_a_dead_owner_is_killed_and_its_folder_removed(
    tmp_path: Path, start: Starter
) -> None:
    folder = dead_instance(tmp_path)
    pid = start(f"--longstop-mark={DEAD}:u1")
    report = await remove_orphans(tmp_path, CLOCK)
    assert [(each.who.pid, each.mark) for each in report.killed] == [(pid, f"{DEAD}:u1")]
    assert report.killed[0].memory_bytes > 0
    assert report.folders == (folder,)
    assert not folder.exists()


async def test_what_only_looks_like_a_browser_is_left_alone(tmp_path: Path, start: Starter) -> None:
    dead_instance(tmp_path)
    strangers = [
        start("chromium", "--type=renderer"),
        start("--longstop-mark=other9:u1"),
        start("chromium", LONGSTOP_MARK=f"{DEAD}:u1"),
    ]
    assert (await remove_orphans(tmp_path, CLOCK)).killed == ()
    assert all(processes.read_process(pid) is not None for pid in strangers)


def test_a_wedged_driver_is_found_by_its_environment(tmp_path: Path, start: Starter) -> None:
    folder = dead_instance(tmp_path)
    pid = start("run-driver", LONGSTOP_MARK=f"{DEAD}:u1")
    assert [each.who.pid for each in find_orphans([folder])] == [pid]


def test_a_member_of_the_session_is_found_when_the_marked_one_is_dead(tmp_path: Path, start: Starter) -> None:
    folder = dead_instance(tmp_path)
    pid = start("--type=renderer")
    found = processes.read_process(pid)
    assert found is not None
    record = UnitRecord(f"{DEAD}:u1", Identity(pid, found.start_ticks), Identity(1, 1), processes.executable(pid))
    record.write(folder / "u1")
    assert [each.who.pid for each in find_orphans([folder])] == [pid]


def test_a_later_session_of_the_same_number_is_somebody_elses(tmp_path: Path, start: Starter) -> None:
    folder = dead_instance(tmp_path)
    pid = start("--type=renderer")
    UnitRecord(f"{DEAD}:u1", Identity(pid, 1), Identity(1, 1), processes.executable(pid)).write(folder / "u1")
    assert find_orphans([folder]) == []


def test_a_living_instance_is_not_dead_even_where_its_numbers_say_nothing(tmp_path: Path) -> None:
    """Another container on the same disk: its process numbers are not ours, but its lock is."""
    instance = Instance(tmp_path)
    instance.claim()
    path = instance.folder / OWNER_FILE
    owner = msgspec.json.decode(path.read_bytes(), type=Owner)
    elsewhere = msgspec.structs.replace(owner, pid=2**22 + 1, pid_namespace="pid:[1]")
    with path.open("r+b") as file:
        file.write(msgspec.json.encode(elsewhere).ljust(len(path.read_bytes())))
        file.truncate()
    assert not is_dead(instance.folder, Owner.ourselves())
    instance.release()
    assert not instance.folder.exists()


def test_a_number_that_is_used_again_does_not_keep_the_dead_alive(tmp_path: Path) -> None:
    folder = dead_instance(tmp_path, pid=os.getpid())
    assert dead_instances(tmp_path) == [folder]


@pytest.mark.parametrize("text", [b"", b"{}", b"\xff\xfe", b'{"pid": "x"}'])
def test_a_folder_that_does_not_say_whose_it_is_is_left_alone(tmp_path: Path, text: bytes) -> None:
    folder = tmp_path / "unknown"
    folder.mkdir()
    assert dead_instances(tmp_path) == []
    (folder / OWNER_FILE).write_bytes(text)
    assert dead_instances(tmp_path) == []


def test_a_folder_that_is_not_there_has_no_orphans(tmp_path: Path) -> None:
    assert dead_instances(tmp_path / "nothing") == []
