"""Reads the settings again while everything runs: in a thread of its own, and not for ever.

The file may lie on a disk that has gone. The thread is no pool's: a read that hangs must hold up neither other work nor
the end of the process.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Final

from longstop.clock import Clock
from longstop.domain.errors import SettingsError
from longstop.settings import Loaded

READ_SECONDS_MAX: Final = 10.0


class Rereading:
    """`load` does the reading; it may block. One read at a time: the reloader sees to that."""

    def __init__(self, load: Callable[[], Loaded], clock: Clock, deadline_seconds: float = READ_SECONDS_MAX) -> None:
        self._load = load
        self._clock = clock
        self._deadline_seconds = deadline_seconds
        self._thread: threading.Thread | None = None

    async def __call__(self) -> Loaded:
        if self._thread is not None and self._thread.is_alive():
            raise _too_slow("An earlier reading of the settings still hangs.")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Loaded] = loop.create_future()
        self._thread = threading.Thread(target=self._read, args=(loop, answer), name="settings reading", daemon=True)
        self._thread.start()
        try:
            async with self._clock.timeout(self._deadline_seconds):
                return await answer
        except TimeoutError:
            raise _too_slow(f"The settings could not be read within {self._deadline_seconds:g} s.") from None

    def _read(self, loop: asyncio.AbstractEventLoop, answer: "asyncio.Future[Loaded]") -> None:
        outcome: Loaded | Exception
        try:
            outcome = self._load()
        except Exception as error:
            outcome = error
        # A loop that has ended in the meantime wants to know nothing any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, answer, outcome)


def _settle(answer: "asyncio.Future[Loaded]", outcome: Loaded | Exception) -> None:
    """Whoever waited may have given up."""
    if answer.done():
        return
    if isinstance(outcome, Exception):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)


def _too_slow(message: str) -> SettingsError:
    return SettingsError(message, hint="Look at the disk that the settings file lies on. The old settings stay.")
