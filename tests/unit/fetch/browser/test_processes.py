"""The process table as the kernel has it, on processes of our own."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from longstop.fetch.browser import processes
from longstop.fetch.browser.processes import Identity

SLEEP = "import time; time.sleep(60)"
READY = f"print(flush=True); {SLEEP}"
SLEEPER = [sys.executable, "-c", READY]
PARENT = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{SLEEP}']); {SLEEP}"


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    """Leads a session of its own, as a browser does. It is up: while it starts it holds no memory of its own."""
    with subprocess.Popen(SLEEPER, start_new_session=True, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        yield child
        child.kill()


def identity(pid: int) -> Identity:
    found = processes.read_process(pid)
    assert found is not None
    return found.identity


def until_state(pid: int, letters: str) -> None:
    def is_so() -> bool:
        found = processes.read_process(pid)
        return found is not None and found.state in letters

    until(is_so)


def until(is_so: Callable[[], bool]) -> None:
    nobody = threading.Event()
    for _ in range(500):
        if is_so():
            return
        nobody.wait(0.01)
    pytest.fail("it did not come to that")


def test_a_process_is_read_with_its_parent_and_its_session(sleeper: "subprocess.Popen[bytes]") -> None:
    found = processes.read_process(sleeper.pid)
    assert found is not None
    assert (found.pid, found.parent, found.session, found.group) == (sleeper.pid, os.getpid(), sleeper.pid, sleeper.pid)
    assert found.rss_bytes > 0
    assert not found.is_zombie


def test_a_process_that_is_not_there_is_none() -> None:
    assert processes.read_process(2**22 + 1) is None


def test_a_name_with_brackets_does_not_confuse_the_reading() -> None:
    script = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'a) R (b', 0, 0, 0); print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        found = processes.read_process(child.pid)
        child.kill()
    assert found is not None
    assert (found.name, found.parent) == ("a) R (b", os.getpid())


def test_the_whole_tree_below_a_process_is_found() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], start_new_session=True) as parent:
        until(lambda: len(processes.below(parent.pid)) == 1)
        table = processes.all_processes()
        whole = processes.descendants(table, [parent.pid])
        assert len(whole) == 2
        assert processes.below(parent.pid) == whole - {parent.pid}
        assert processes.in_sessions(table, [parent.pid]) == whole
        processes.kill_group(identity(parent.pid))
        parent.wait()
    # The kernel ends the child on its own time; being told to is not yet being gone.
    until(lambda: not any(processes.is_alive(table[pid].identity) for pid in whole))


def test_memory_is_the_share_and_not_the_whole(sleeper: "subprocess.Popen[bytes]") -> None:
    until_state(sleeper.pid, "S")
    found = processes.read_process(sleeper.pid)
    assert found is not None
    assert 0 < processes.pss_bytes(sleeper.pid) <= found.rss_bytes * 1.2
    assert processes.pss_bytes(2**22 + 1) == 0


def test_a_stopped_process_is_seen_as_stopped(sleeper: "subprocess.Popen[bytes]") -> None:
    os.kill(sleeper.pid, signal.SIGSTOP)
    until_state(sleeper.pid, "T")
    found = processes.read_process(sleeper.pid)
    assert found is not None
    assert found.is_stopped


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen(SLEEPER, stdout=subprocess.DEVNULL)
    who = identity(child.pid)
    assert processes.is_alive(who)
    child.kill()
    until_state(child.pid, "Z")
    assert not processes.is_alive(who)
    child.wait()


def test_a_signal_meant_for_a_predecessor_of_the_same_number_is_not_sent(sleeper: "subprocess.Popen[bytes]") -> None:
    stranger = Identity(sleeper.pid, identity(sleeper.pid).start_ticks - 1)
    assert not processes.send(stranger, signal.SIGKILL)
    processes.kill_group(stranger)
    assert sleeper.poll() is None
    assert processes.send(identity(sleeper.pid), signal.SIGKILL)
    assert sleeper.wait() == -signal.SIGKILL


def test_arguments_and_environment_are_read(sleeper: "subprocess.Popen[bytes]") -> None:
    until_state(sleeper.pid, "S")
    assert processes.arguments(sleeper.pid) == SLEEPER
    assert processes.environment_value(sleeper.pid, "PATH") == os.environ["PATH"]
    assert processes.environment_value(sleeper.pid, "NO_SUCH_VARIABLE") is None
    assert processes.arguments(2**22 + 1) == []
