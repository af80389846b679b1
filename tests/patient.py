"""Somebody for the watchdogs to watch: does as it is told, and remembers what was done to it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from longstop.domain.cricket import PlayState
from longstop.domain.match import MatchStatus
from longstop.resilience.halting import Progress
from longstop.resilience.staleness import MatchView
from longstop.resilience.standstill import Standstill
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.grade import GradeWatchdog
from longstop.supervise.watchdogs.limits import WatchdogLimits
from longstop.supervise.watchdogs.matches import MatchWatchdog
from longstop.supervise.watchdogs.patient import Figures
from longstop.supervise.watchdogs.recoveries import AuditKeeper, AuditKeeping, Recoveries
from tests.cricket import NOON
from tests.virtual import Heard, noon_clock

CLOCK = noon_clock()


def view(match_id: str = "crex_A", **known: Any) -> MatchView:
    plain = MatchView(
        match_id,
        MatchStatus.LIVE,
        NOON,
        url=f"https://site.invalid/{match_id}",
        play=PlayState.PLAY,
        captured_at=NOON,
        changed_at=NOON,
    )
    return replace(plain, **known)


class Simulated:
    """Matches that are captured and change as long as they are told to."""

    def __init__(self, *views: MatchView) -> None:
        self.views = {view.match_id: view for view in views}
        self.does_capture: set[str] = set(self.views)
        self.does_change: set[str] = set(self.views)
        self.work = Progress(0)
        self.restarted: list[tuple[float, str]] = []
        self.killed: list[tuple[float, str]] = []
        self.recycled_at: list[float] = []
        self.is_there = True
        self.recycle_seconds = 1.0
        self.recycle_error: Exception | None = None
        self.on_restart: Callable[[str], None] = lambda _: None
        self.on_recycle: Callable[[], None] = lambda: None

    async def live_for(self, seconds: float, step_seconds: float = 1.0) -> None:
        for _ in range(round(seconds / step_seconds)):
            await CLOCK.sleep(step_seconds)
            self.poll()

    def poll(self) -> None:
        now = CLOCK.now()
        for match_id in self.does_capture & self.views.keys():
            seen = replace(self.views[match_id], captured_at=now)
            self.views[match_id] = replace(seen, changed_at=now) if match_id in self.does_change else seen
            self.work = replace(self.work, finished=self.work.finished + 1)

    def set(self, match_id: str, **known: Any) -> None:
        self.views[match_id] = replace(self.views[match_id], **known)

    def matches(self) -> Sequence[MatchView]:
        return tuple(self.views.values())

    def progress(self) -> Progress:
        return self.work

    def restart(self, match_id: str, reason: str) -> bool:
        self.restarted.append((CLOCK.monotonic(), match_id))
        self.on_restart(match_id)
        return self.is_there

    def kill(self, match_id: str, reason: str) -> bool:
        self.killed.append((CLOCK.monotonic(), match_id))
        self.on_restart(match_id)
        return self.is_there

    async def recycle(self, reason: str) -> Figures:
        self.recycled_at.append(CLOCK.monotonic())
        await CLOCK.sleep(self.recycle_seconds)
        if self.recycle_error is not None:
            raise self.recycle_error
        self.on_recycle()
        return {"pids_before": 12, "pids_after": 7}


class Kennel:
    """The watchdogs of one patient, and everything they said."""

    def __init__(self, patient: Simulated, *keepers: AuditKeeper, limits: WatchdogLimits | None = None) -> None:
        self.heard = Heard()
        self.patient = patient
        self.limits = limits or WatchdogLimits(measures_resources=False)
        self.beats = Beats(CLOCK)
        bus = self.heard.bus
        self.recoveries = Recoveries(CLOCK, bus, self._limits, self.beats, AuditKeeping(keepers))
        still = Standstill(still_seconds=60.0)  # nobody looks every second here
        self.matches = MatchWatchdog(patient, self.recoveries, self._limits, self.beats, CLOCK, bus, still)
        self.grade = GradeWatchdog(patient, self.recoveries, self._limits, self.beats, CLOCK, bus, still)

    def _limits(self) -> WatchdogLimits:
        return self.limits

    async def watch_for(self, seconds: float, *, with_grade: bool = False) -> None:
        """A second at a time: the matches live, and each watchdog looks at its own pace."""
        for _ in range(round(seconds)):
            await self.patient.live_for(1.0)
            now = round(CLOCK.monotonic())
            if now % 5 == 0:
                self.matches.check()
                self.recoveries.judge_all()
            if with_grade and now % 15 == 0:
                await self.grade.check()
            await asyncio.sleep(0)
