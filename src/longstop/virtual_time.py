"""An event loop whose time jumps to the next timer whenever nothing is ready to run.

The engine runs on it unchanged: hours of polling pass in moments, and always in the same order.
A loop that waits for nothing, for ever, is a deadlock and is reported as one.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class DeadlockError(RuntimeError):
    """Every task waits and no timer is set: on a real clock this would hang for ever."""


class _JumpingSelector(selectors.DefaultSelector):
    """Turns the time the loop would have slept into a jump of its clock."""

    def __init__(self, start_seconds: float) -> None:
        super().__init__()
        self.jumped = start_seconds

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise DeadlockError("Every task waits and no timer is set.")
        self.jumped += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """`start_seconds` is what its clock shows at first: one loop may go on where another ended."""

    def __init__(self, start_seconds: float = 0.0) -> None:
        self._jumping = _JumpingSelector(start_seconds)
        super().__init__(self._jumping)
        # Timers a rounding error away would make the loop spin; real timers are never this close together.
        self._clock_resolution = 1e-6

    def time(self) -> float:
        return self._jumping.jumped

    def skip(self, seconds: float) -> None:
        """The process stood still for so long: time went on without it."""
        self._jumping.jumped += seconds


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, on virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
