"""Runs an async test on virtual time: hours pass in moments, and always in the same order."""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, ParamSpec

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.observe.signals import Signal, Signals
from tests import leaks
from tests.cricket import NOON

Args = ParamSpec("Args")


def on_virtual_time(test: Callable[Args, Awaitable[None]]) -> Callable[Args, None]:
    """The test starts at noon, and may leave no task behind."""

    @functools.wraps(test)
    def run(*args: Args.args, **kwargs: Args.kwargs) -> None:
        virtual_time.run(_checked(test(*args, **kwargs)))

    return run


async def _checked(test: Awaitable[None]) -> None:
    before = asyncio.all_tasks()
    await test
    left = await leaks.tasks_left_since(before)
    assert not left, "this test left tasks running: " + "; ".join(left)


def noon_clock(epoch: datetime = NOON) -> LoopClock:
    return LoopClock(epoch)


class Heard:
    """A bus, and everything that was said on it."""

    def __init__(self) -> None:
        self.bus = Signals()
        self.all: list[Signal] = []
        self.bus.subscribe_all(self.all.append)

    def of(self, kind: type[Signal]) -> list[Any]:
        return [signal for signal in self.all if type(signal) is kind]
