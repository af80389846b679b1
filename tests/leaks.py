"""What a test left behind: threads, child processes, listening sockets, tasks."""

import asyncio
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass

import psutil

GRACE_SECONDS = 3.0
_STEP_SECONDS = 0.02
_TURNS_OF_THE_LOOP = 5


@dataclass(frozen=True)
class Holdings:
    """What this process holds at one moment, each thing by its identity with words for it."""

    threads: dict[int, str]
    children: dict[int, str]
    listeners: dict[int, str]

    def beyond(self, before: "Holdings") -> list[str]:
        pairs = (
            (self.threads, before.threads),
            (self.children, before.children),
            (self.listeners, before.listeners),
        )
        return [words for now, then in pairs for key, words in now.items() if key not in then]


def taken(known_servers: Collection[int] = ()) -> Holdings:
    return Holdings(_threads(), _children(known_servers), _listeners())


def left_since(
    before: Holdings, known_servers: Collection[int] = (), grace_seconds: float = GRACE_SECONDS
) -> list[str]:
    """What is there that was not; what is just ending is given a moment to end."""
    deadline = time.monotonic() + grace_seconds
    while left := taken(known_servers).beyond(before):
        if time.monotonic() > deadline:
            return left
        time.sleep(_STEP_SECONDS)
    return []


async def tasks_left_since(before: Collection["asyncio.Task[object]"]) -> list[str]:
    """A cancelled task needs a few turns of the loop to end."""
    for _ in range(_TURNS_OF_THE_LOOP):
        await asyncio.sleep(0)
    known = {*before, asyncio.current_task()}
    return [f"{task.get_name()} {task.get_coro()!r}" for task in asyncio.all_tasks() if task not in known]


def _threads() -> dict[int, str]:
    return {id(thread): f"thread {thread.name}" for thread in threading.enumerate()}


def _children(known_servers: Collection[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for child in psutil.Process().children(recursive=True):
        try:
            ancestors = {child.pid, *(parent.pid for parent in child.parents())}
            if not ancestors & set(known_servers):
                found[child.pid] = f"process {child.pid} ({child.name()}, {child.status()})"
        except psutil.NoSuchProcess:
            continue  # it ended while we looked
    return found


def _listeners() -> dict[int, str]:
    connections = psutil.Process().net_connections(kind="inet")
    return {each.laddr.port: f"listener {each.laddr}" for each in connections if each.status == psutil.CONN_LISTEN}
