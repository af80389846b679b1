"""A service runs until it is told to stop. A wanted stop returns; anything else is a failure."""

from collections.abc import Callable
from typing import Protocol

from longstop.clock import Clock


class Service(Protocol):
    name: str

    async def run(self, stop: "Stop") -> None: ...


class Stop:
    """The wish to stop, shared down the tree. It can be waited for, and a sleep ends early when it comes."""

    def __init__(self, clock: Clock) -> None:
        self._bell = clock.bell()
        self._callbacks: list[Callable[[], None]] = []
        self.reason = ""

    @property
    def is_wanted(self) -> bool:
        return self._bell.is_rung

    def ask(self, reason: str) -> None:
        """Asking twice is legal; the first reason stays."""
        if not self._bell.is_rung:
            self.reason = reason
            self._bell.ring()
            for callback in self._callbacks:
                callback()

    def on_asked(self, callback: Callable[[], None]) -> None:
        """Called in the moment of asking; at once when that has passed."""
        if self.is_wanted:
            callback()
        else:
            self._callbacks.append(callback)

    async def pause(self, seconds: float) -> bool:
        """Sleeps; True when the stop is wanted, even if it came in the very moment of waking."""
        return await self._bell.wait(seconds)

    async def wait(self) -> None:
        await self._bell.wait()
