"""An event loop whose time jumps to the next timer whenever nothing is ready to run.

The engine runs on it unchanged: hours of polling pass in moments, and always in the same order.
A loop that waits for nothing, for ever, is a deadlock and is reported as one.

Turning the loop is most of what the engine costs here, so one turn does no more than this needs: nobody is asked for
news while no line to the outside is open, and timers are compared as the numbers they are.
"""

import asyncio
import heapq
import selectors
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from typing import Any, TypeVar

T = TypeVar("T")

# As asyncio has it: cancelled timers are swept out when they are many, and most of all.
_MANY = 100
_JUMP_SECONDS_MAX = 24 * 3600.0
# The loop watches one line of its own, by which threads wake it up; here it never sleeps.
_OWN_LINES = 1


class DeadlockError(RuntimeError):
    """Every task waits and no timer is set: on a real clock this would hang for ever."""


class Call(float):
    """A call and the moment it is due: what `asyncio.TimerHandle` is, and a number."""

    __slots__ = ("_args", "_callback", "_cancelled", "_context", "_loop", "_scheduled")
    _args: tuple[Any, ...]
    _callback: Callable[..., object] | None
    _cancelled: bool
    _context: Context
    _loop: "VirtualTimeLoop"
    _scheduled: bool
    _source_traceback = None
    # The same for both: runs it, and tells the loop when that fails.
    _run = asyncio.Handle._run

    def cancel(self) -> None:
        if not self._cancelled:
            self._cancelled = True
            self._callback, self._args = None, ()
            if self._scheduled:
                self._loop.calls_cancelled += 1

    def cancelled(self) -> bool:
        return self._cancelled

    def when(self) -> float:
        return float(self)


class _Lines(selectors.DefaultSelector):
    """Counts the lines that are open, which is asked at every turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open = 0

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = super().register(fileobj, events, data)
        self.open += 1
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        key = super().unregister(fileobj)
        self.open -= 1
        return key


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """`start_seconds` is what its clock shows at first: one loop may go on where another ended."""

    _ready: deque[Any]
    _scheduled: list[Call]
    _stopping: bool
    _closed: bool
    _process_events: Callable[[Any], None]

    def __init__(self, start_seconds: float = 0.0) -> None:
        self._seconds = start_seconds
        self._lines = _Lines()
        super().__init__(self._lines)
        self.calls_cancelled = 0
        # Timers a rounding error away would make the loop spin; real timers are never this close together.
        self._clock_resolution = 1e-6

    def time(self) -> float:
        return self._seconds

    def skip(self, seconds: float) -> None:
        """The process stood still for so long: time went on without it."""
        self._seconds += seconds

    # What is to be called.

    def call_soon(  # type: ignore[override]  # without the arguments' own types, which cost nothing there
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Call:
        call = self._call(self._seconds, callback, args, context)
        self._ready.append(call)
        return call

    def call_later(  # type: ignore[override]  # without the arguments' own types, which cost nothing there
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Call:
        return self.call_at(self._seconds + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]  # without the arguments' own types, which cost nothing there
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Call:
        call = self._call(when, callback, args, context)
        call._scheduled = True
        heapq.heappush(self._scheduled, call)
        return call

    def _call(
        self, when: float, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None
    ) -> Call:
        if self._closed:
            raise RuntimeError("Event loop is closed")
        call = Call(when)
        call._callback, call._args = callback, args
        call._context = copy_context() if context is None else context
        call._loop = self
        call._cancelled = call._scheduled = False
        return call

    # One turn.

    def _run_once(self) -> None:
        self._sweep()
        self._pass_time()
        ready = self._ready
        for _ in range(len(ready)):
            call = ready.popleft()
            if not call._cancelled:
                call._run()

    def _sweep(self) -> None:
        """Calls that were cancelled leave when they are first, or when they are many."""
        calls = self._scheduled
        if len(calls) > _MANY and self.calls_cancelled > len(calls) / 2:
            self._scheduled = [call for call in calls if not call._cancelled]
            heapq.heapify(self._scheduled)
            self.calls_cancelled = 0
            return
        while calls and calls[0]._cancelled:
            heapq.heappop(calls)._scheduled = False
            self.calls_cancelled -= 1

    def _pass_time(self) -> None:
        """To the first timer, unless something is ready; then whose time has come is."""
        is_idle = not (self._ready or self._stopping)
        if self._lines.open > _OWN_LINES:
            is_idle = not self._hear_lines() and is_idle
        calls = self._scheduled
        if is_idle:
            if not calls:
                raise DeadlockError("Every task waits and no timer is set.")
            if calls[0] > self._seconds:
                self.skip(min(calls[0] - self._seconds, _JUMP_SECONDS_MAX))
        end = self._seconds + self._clock_resolution
        while calls and calls[0] < end:
            call = heapq.heappop(calls)
            call._scheduled = False
            self._ready.append(call)

    def _hear_lines(self) -> bool:
        """True when there was news on a line to the outside."""
        news = self._lines.select(0)
        self._process_events(news)
        return bool(news)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, on virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
