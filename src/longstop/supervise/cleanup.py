"""Clears away what nobody needs: every half hour what was left behind, and what is idle when memory is short.

A round ends orphaned processes, removes the folders of dead runs, and stops scrapers that wait for a match which has
been put off. What the life of a match still asks for (a break, the visits after its end) is left alone, and so is a
match that cannot be seen: its source may be away, and it should be back as soon as that is.

When memory is short, any scraper goes whose match has shown nothing new for half an hour: those of matches that are
over, then those in a break, then those still to come. One in play never does: why it shows nothing is for the
watchdogs to find out.
"""

import os
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from longstop.clock import Clock
from longstop.fetch.browser.orphans import OrphanReport
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.supervise.hands import Hands, ScraperView, Stage
from longstop.supervise.service import Stop

SWEEP_SECONDS_MAX = 30.0
# The same as discovery's: who starts later than this is taken in again in time.
IMMINENT_SECONDS = 3600.0
_ORDER = {Stage.OVER: 0, Stage.BREAK: 1, Stage.UPCOMING: 2}


class CleanupLimits(msgspec.Struct, frozen=True):
    interval_seconds: float = 1800.0
    idle_seconds: float = 1800.0


class Sweeper(Protocol):
    """Ends the processes that dead runs of ours left, tells each, and removes their folders."""

    async def sweep(self) -> OrphanReport: ...


class Cleanup:
    name = "cleanup"

    def __init__(
        self,
        hands: Hands,
        sweeper: Sweeper,
        memory: Callable[[], Mapping[str, int]],
        limits: Callable[[], CleanupLimits],
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._hands = hands
        self._sweeper = sweeper
        self._memory = memory
        self._limits = limits
        self._clock = clock
        self._bus = bus

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(self._limits().interval_seconds):
            await self.round()

    async def round(self) -> None:
        idle = self._limits().idle_seconds
        views = [view for view in self._hands.scrapers() if is_put_off(view, idle)]
        await self._clear(views, "round")

    async def relieve(self) -> None:
        """Memory is short."""
        idle = self._limits().idle_seconds
        views = [view for view in self._hands.scrapers() if is_spare(view, idle)]
        views.sort(key=lambda view: _ORDER.get(view.stage, len(_ORDER)))
        await self._clear(views, "memory is short")

    async def _clear(self, views: list[ScraperView], reason: str) -> None:
        began = self._clock.monotonic()
        stopped = [view for view in views if await self._stop(view, reason)]
        report = await self._sweep()
        self._bus.emit(
            signals.CleanupFinished(
                at=self._clock.now(),
                reason=reason,
                orphans=len(report.killed),
                orphan_bytes=sum(orphan.memory_bytes for orphan in report.killed),
                folders=len(report.folders),
                scrapers=len(stopped),
                duration_seconds=self._clock.monotonic() - began,
            )
        )

    async def _stop(self, view: ScraperView, reason: str) -> bool:
        is_stopped = await self._hands.drop(view.match_id, f"idle: {reason}")
        if is_stopped:
            self._bus.emit(
                signals.ScraperIdled(
                    at=self._clock.now(),
                    match_id=view.match_id,
                    scraper_id=view.scraper_id,
                    pid=os.getpid(),
                    memory_bytes=self._memory().get(view.match_id, 0),
                    idle_seconds=view.idle_seconds,
                    reason=reason,
                )
            )
        return is_stopped

    async def _sweep(self) -> OrphanReport:
        """A sweep that cannot be made is told; the rest of the round counts all the same."""
        try:
            async with self._clock.timeout(SWEEP_SECONDS_MAX):
                return await self._sweeper.sweep()
        except (OSError, TimeoutError) as error:
            self._bus.emit(signals.ReadingFailed(at=self._clock.now(), reading="orphans", reason=repr(error)))
            return OrphanReport()


def is_put_off(view: ScraperView, idle_seconds: float) -> bool:
    """There is nothing to look at yet; it begins afresh when it is listed in time."""
    is_later = view.starts_in_seconds is not None and view.starts_in_seconds > IMMINENT_SECONDS
    return view.stage is Stage.UPCOMING and is_later and view.idle_seconds > idle_seconds


def is_spare(view: ScraperView, idle_seconds: float) -> bool:
    return view.stage is not Stage.PLAY and view.idle_seconds > idle_seconds
