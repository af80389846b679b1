"""The leak check must be able to find each kind of leak."""

import asyncio
import socket
import subprocess
import sys
import threading

from tests import leaks

_AT_ONCE = 0.0


def test_a_thread_left_running_is_found() -> None:
    before, end = leaks.taken(), threading.Event()
    thread = threading.Thread(target=end.wait, name="forgotten")
    thread.start()
    left = leaks.left_since(before, grace_seconds=_AT_ONCE)
    end.set()
    thread.join()
    assert left == ["thread forgotten"]


def test_a_child_process_left_running_is_found() -> None:
    before = leaks.taken()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        left = leaks.left_since(before, grace_seconds=_AT_ONCE)
        known = leaks.left_since(before, [child.pid], grace_seconds=_AT_ONCE)
        child.kill()
    assert [f"process {child.pid}" in words for words in left] == [True]
    assert known == []


def test_a_listening_socket_left_open_is_found() -> None:
    before = leaks.taken()
    with socket.create_server(("127.0.0.1", 0)):
        left = leaks.left_since(before, grace_seconds=_AT_ONCE)
    assert len(left) == 1
    assert left[0].startswith("listener")


def test_what_is_just_ending_is_given_a_moment() -> None:
    before = leaks.taken()
    thread = threading.Timer(0.1, lambda: None)
    thread.start()
    assert leaks.left_since(before) == []


async def test_a_task_left_running_is_found() -> None:
    before = asyncio.all_tasks()
    task = asyncio.create_task(asyncio.Event().wait(), name="forgotten")
    left = await leaks.tasks_left_since(before)
    task.cancel()
    assert len(left) == 1
    assert left[0].startswith("forgotten")
    assert await leaks.tasks_left_since(before) == []
