"""Time is handed in. Nothing in the house asks the machine for it but this file.

UTC for what is written down, the monotonic clock for how long something took. Both the system's clock and the
virtual one (`longstop.virtual_time`) read the running event loop for durations, so the same code runs on either.
"""

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Bell:
    """Rung for all who wait for it, each of whom waits for a time at most.

    The same as an `asyncio.Event` and a timeout around it, at a fraction of the cost: nobody is cancelled to be woken.
    """

    def __init__(self) -> None:
        self._is_rung = False
        self._waiting: dict[asyncio.Future[None], None] = {}

    @property
    def is_rung(self) -> bool:
        return self._is_rung

    def ring(self) -> None:
        """It goes on ringing until it is muted."""
        if not self._is_rung:
            self._is_rung = True
            for waiter in self._waiting:
                _wake(waiter)

    def mute(self) -> None:
        self._is_rung = False

    async def wait(self, seconds: float | None = None) -> bool:
        """False when the time was over and it does not ring."""
        if self._is_rung:
            return True
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        timer = None
        if seconds is not None:
            timer = loop.call_later(seconds, _wake, waiter) if seconds > 0 else loop.call_soon(_wake, waiter)
        self._waiting[waiter] = None
        try:
            await waiter
        finally:
            del self._waiting[waiter]
            if timer is not None:
                timer.cancel()
        return self._is_rung


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)


class Clock(Protocol):
    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[asyncio.Timeout]: ...

    def bell(self) -> Bell: ...


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

    def bell(self) -> Bell:
        return Bell()


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
