"""Writes the logs of matches down when they are over, off the loop, as a service of the tree."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final, Protocol

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.match_files import MatchFiles
from longstop.observe.match_log import MatchLogs, Stretch
from longstop.observe.signals import Signals

LOOK_SECONDS: Final = 5.0
KEEP_SECONDS_MAX: Final = 10.0
AT_ONCE_MAX: Final = 50
SO_FAR_SECONDS: Final = 30.0


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
        self._so_far: dict[str, datetime] = {}

    async def adopt(self) -> None:
        """Before anything new is written: what a process that was killed left behind."""
        await self._do(self._files.adopt)

    async def run(self, stop: Stop) -> None:
        checked = self._clock.monotonic()
        while True:
            due = dict(self._logs.due)
            if await stop.pause(LOOK_SECONDS):
                return
            if self._files.is_busy:
                continue  # it hangs on a disk; what is due stays in memory, which is bounded
            if self._clock.monotonic() - checked >= SO_FAR_SECONDS:
                checked = self._clock.monotonic()
                await self._keep_so_far()
            await self._keep([stretch for match_id, why in due.items() if (stretch := self._logs.take(match_id, why))])

    async def close(self, reason: str) -> None:
        """The rest, when nothing happens any more; what has nothing to tell is left out."""
        left = [self._logs.take(match_id, self._logs.due.get(match_id, reason)) for match_id in self._logs.matches()]
        await self._keep([stretch for stretch in left if stretch is not None and not stretch.is_dull])

    async def _keep_so_far(self) -> None:
        """Who is killed loses no more than was told since."""
        moved = self._logs.told_since(self._so_far)
        for first in range(0, len(moved), AT_ONCE_MAX):
            some, now = moved[first : first + AT_ONCE_MAX], self._clock.now()
            if not await self._do(partial(self._files.keep_so_far, some, now)):
                return
            self._so_far |= {stretch.match_id: stretch.ended_at for stretch in some}
        here = set(self._logs.matches())
        self._so_far = {match_id: moment for match_id, moment in self._so_far.items() if match_id in here}

    async def _keep(self, stretches: Sequence[Stretch]) -> None:
        for first in range(0, len(stretches), AT_ONCE_MAX):
            some, now = stretches[first : first + AT_ONCE_MAX], self._clock.now()
            if not await self._do(partial(self._files.keep, some, now)):
                return

    async def _do(self, work: Callable[[], object]) -> bool:
        """Off the loop. False when the disk does not come back in time; what it refuses is told."""
        try:
            async with self._clock.timeout(KEEP_SECONDS_MAX):
                await asyncio.to_thread(work)
            self._is_failing = False
        except TimeoutError:
            self._tell(f"writing took longer than {KEEP_SECONDS_MAX:g} s")
            return False
        except OSError as error:
            self._tell(error.strerror or type(error).__name__)
        return True

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
