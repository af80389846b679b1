"""The figures that the watchdogs go by, out of the settings."""

from collections.abc import Callable

import msgspec

from longstop.resilience.blindness import BlindnessLimits
from longstop.resilience.grading import GradeLimits
from longstop.resilience.patience import Patience
from longstop.resilience.recovering import JudgingLimits
from longstop.resilience.staleness import StalenessLimits
from longstop.settings import Settings
from longstop.supervise.watchdogs.loop import LoopLimits


class WatchdogLimits(msgspec.Struct, frozen=True):
    """`watch_seconds` is the pace at which matches are looked at, `check_seconds` that of the grade.

    `progress_seconds` is longer than the longest turn and the longest wait of a live match: neither is a halt."""

    staleness: StalenessLimits = StalenessLimits()
    grade: GradeLimits = GradeLimits()
    patience: Patience = Patience()
    judging: JudgingLimits = JudgingLimits()
    blindness: BlindnessLimits = BlindnessLimits()
    watch_seconds: float = 5.0
    check_seconds: float = 15.0
    progress_seconds: float = 90.0
    recycle_deadline_seconds: float = 60.0
    measures_resources: bool = True


# New settings may come at any time, so nobody keeps a copy.
Limits = Callable[[], WatchdogLimits]


def limits_of(settings: Settings) -> WatchdogLimits:
    scraper = settings.scraper
    health, wanted = scraper.health, scraper.watchdog
    return WatchdogLimits(
        staleness=StalenessLimits(scraper.lifecycle.staleness_threshold, health.failing_age),
        grade=GradeLimits(health.degraded_age, health.failing_age, health.stall),
        patience=Patience(wanted.retry_waits),
        judging=JudgingLimits(wanted.recovery_window),
        blindness=BlindnessLimits(jump_seconds=wanted.clock_jump),
        watch_seconds=wanted.interval,
        check_seconds=health.check_interval,
        progress_seconds=wanted.progress_timeout,
        recycle_deadline_seconds=wanted.recycle_deadline,
    )


def loop_limits_of(settings: Settings) -> LoopLimits:
    wanted = settings.scraper.watchdog
    return LoopLimits(stall_seconds=wanted.loop_stall, end_seconds=wanted.loop_end)
