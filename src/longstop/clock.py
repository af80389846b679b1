"""Time is handed in. Nothing in the house asks the machine for it but this file.

UTC for what is written down, the monotonic clock for how long something took. Both the system's clock and the
virtual one (`longstop.virtual_time`) read the running event loop for durations, so the same code runs on either.
"""

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[asyncio.Timeout]: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[asyncio.Timeout]:
        """`asyncio.timeout`, never `asyncio.wait_for`, which may swallow a cancellation on Python 3.11."""
        return asyncio.timeout(seconds)


class LoopClock(SystemClock):
    """Wall time derived from the loop's time, for loops whose time is not the machine's."""

    def __init__(self, epoch: datetime) -> None:
        self._epoch = epoch

    def now(self) -> datetime:
        return self._epoch + timedelta(seconds=asyncio.get_running_loop().time())


def machine_seconds() -> float:
    """For a thread beside the loop, and for nobody else: while a loop stands, its own time may stand with it."""
    return time.monotonic()


def from_millis(millis: float) -> datetime:
    return datetime.fromtimestamp(millis / 1000, UTC)


def to_millis(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def age_seconds(now: datetime, then: datetime) -> float:
    """Both are UTC by the rule of the house, so the difference is real time."""
    return max(0.0, (now - then).total_seconds())
