"""Writes the logs of matches down when they are over, off the loop, as a service of the tree."""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.match_files import MatchFiles
from longstop.observe.match_log import MatchLogs, Stretch
from longstop.observe.signals import Signals

LOOK_SECONDS: Final = 5.0
KEEP_SECONDS_MAX: Final = 10.0
AT_ONCE_MAX: Final = 50


class Stop(Protocol):
    async def pause(self, seconds: float) -> bool: ...


class MatchLogKeeping:
    """What happens within some seconds after the end of a match still belongs to its log."""

    name = "match logs"

    def __init__(self, logs: MatchLogs, files: MatchFiles, clock: Clock, bus: Signals) -> None:
        self._logs = logs
        self._files = files
        self._clock = clock
        self._bus = bus
        self._is_failing = False

    async def run(self, stop: Stop) -> None:
        while True:
            due = dict(self._logs.due)
            if await stop.pause(LOOK_SECONDS):
                return
            if self._files.is_busy:
                continue  # it hangs on a disk; what is due stays in memory, which is bounded
            await self._keep([stretch for match_id, why in due.items() if (stretch := self._logs.take(match_id, why))])

    async def close(self, reason: str) -> None:
        """The rest, when nothing happens any more; what has nothing to tell is left out."""
        left = [self._logs.take(match_id, self._logs.due.get(match_id, reason)) for match_id in self._logs.matches()]
        await self._keep([stretch for stretch in left if stretch is not None and not stretch.is_dull])

    async def _keep(self, stretches: Sequence[Stretch]) -> None:
        for first in range(0, len(stretches), AT_ONCE_MAX):
            some = stretches[first : first + AT_ONCE_MAX]
            try:
                async with self._clock.timeout(KEEP_SECONDS_MAX):
                    await asyncio.to_thread(self._files.keep, some, self._clock.now())
                self._is_failing = False
            except TimeoutError:
                self._tell(f"writing took longer than {KEEP_SECONDS_MAX:g} s")
                return
            except OSError as error:
                self._tell(error.strerror or type(error).__name__)

    def _tell(self, why: str) -> None:
        """Once, until it works again: a full disk is told often enough elsewhere."""
        if self._is_failing:
            return
        self._is_failing = True
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type="storage",
                error_message=f"Match logs could not be kept: {why}.",
                hint="Look at room and rights under storage.root. Scraping goes on without them.",
                operation=self.name,
            )
        )
