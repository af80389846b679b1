"""The loop of one life of the process: virtual time, a ready queue that is shuffled, and an end at any step."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, Final

from longstop.domain.errors import LongstopError
from longstop.virtual_time import VirtualTimeLoop
from longstop_origin.storm.disk import DiedError
from longstop_origin.storm.timeline import Timeline

# Tasks whose names begin so are no part of the process.
STORM: Final = "storm"

# What the dead raise in leaving, and what is of no account.
_LAST_WORDS: Final = (
    AttributeError,
    LongstopError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    asyncio.CancelledError,
    DiedError,
)


class KilledError(BaseException):
    """The process ended here, as by SIGKILL: nothing of it runs on."""


class _Shuffled(deque[Any]):
    """Whatever is ready runs in an order that nobody may count on. Between any two steps the process may end."""

    def __init__(self, chance: Random, step: Callable[[], None]) -> None:
        super().__init__()
        self._draw = chance.random
        self._step = step

    def popleft(self) -> Any:
        self._step()
        waiting = len(self)
        if waiting > 1:
            self.rotate(-int(self._draw() * waiting))
        return deque.popleft(self)


class StormLoop(VirtualTimeLoop):
    """`step` is called before every step, and may raise KilledError."""

    def __init__(self, timeline: Timeline, chance: Random, step: Callable[[], None]) -> None:
        super().__init__(timeline.seconds)
        self._timeline = timeline
        self._ready = _Shuffled(chance, step)
        self.troubles: list[str] = []
        self._born: list[asyncio.Task[Any]] = []
        self.set_exception_handler(self._note)
        self.set_task_factory(self._bear)

    def skip(self, seconds: float) -> None:
        self._seconds += seconds
        self._timeline.seconds = self._seconds

    def cancel_one(self, number: int) -> None:
        """Any task of the process, but for those that belong to the storm."""
        ours = [task for task in self._born if not task.done() and not task.get_name().startswith(STORM)]
        if ours:
            ours[number % len(ours)].cancel()

    def note_unseen(self) -> None:
        """What failed and nobody looked at, of a process that ended in order."""
        for task in self._born:
            if task.done() and not task.cancelled() and task._log_traceback:  # noqa: SLF001 - asyncio's own mark
                self.troubles.append(f"{task.get_name()}: {task.exception()!r}")

    def bury(self) -> None:
        """Nothing of a dead process runs on. What its coroutines would still do in leaving reaches nobody: whatever
        they could reach is shut to them by now."""
        self.set_exception_handler(lambda *_: None)
        for task in self._born:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001 - it is dead, not forgotten
                _close(task)
        self._born.clear()
        self._ready.clear()
        self.close()

    def _bear(self, loop: asyncio.AbstractEventLoop, coro: Any, context: Any = None) -> "asyncio.Task[Any]":
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=loop, context=context)
        if not self._born:
            task.set_name(f"{STORM} itself")
        self._born.append(task)
        if len(self._born) > 256:
            self._born = [each for each in self._born if not each.done()]
        return task

    def _note(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.troubles.append(f"{context.get('message', '')}: {type(error).__name__}: {error}")


def _close(task: "asyncio.Task[Any]") -> None:
    with suppress(*_LAST_WORDS):
        task.get_coro().close()
