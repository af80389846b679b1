"""When a browser or a context is to be replaced: measured values and limits in, a reason out. Pure."""

from collections.abc import Sequence
from enum import Enum
from statistics import median

import msgspec

MB = 1024 * 1024

# Fewer calls say nothing about a trend.
DRIFT_SAMPLES = 5


class Action(Enum):
    REPLACE = "replace"
    KILL = "kill"
    CLOSE = "close"


class Verdict(msgspec.Struct, frozen=True):
    action: Action
    reason: str
    detail: str = ""


class UnitLimits(msgspec.Struct, frozen=True):
    """0 switches a limit off. Above `pss_hard_bytes` there is no grace; above the others a successor comes first."""

    age_seconds: float = 6 * 3600.0
    tasks: int = 10_000
    pids: int = 200
    pss_soft_bytes: int = 1536 * MB
    pss_hard_bytes: int = 2048 * MB
    driver_rss_bytes: int = 600 * MB
    drift_factor: float = 3.0
    drift_seconds_min: float = 0.25
    idle_seconds: float = 0.0


class UnitFigures(msgspec.Struct, frozen=True):
    """What is known of a unit at one moment. The probes are times of the same small call, oldest first."""

    age_seconds: float = 0.0
    tasks: int = 0
    pids: int = 0
    pss_bytes: int = 0
    driver_rss_bytes: int = 0
    first_probes: tuple[float, ...] = ()
    recent_probes: tuple[float, ...] = ()
    idle_seconds: float = 0.0


class ContextLimits(msgspec.Struct, frozen=True):
    """0 switches a limit off."""

    age_seconds: float = 2 * 3600.0
    tasks: int = 5_000
    memory_bytes: int = 512 * MB
    drift_factor: float = 3.0
    drift_seconds_min: float = 0.5


class ContextFigures(msgspec.Struct, frozen=True):
    age_seconds: float = 0.0
    tasks: int = 0
    memory_bytes: int = 0
    first_tasks: tuple[float, ...] = ()
    recent_tasks: tuple[float, ...] = ()


def judge_unit(figures: UnitFigures, limits: UnitLimits) -> Verdict | None:
    if _is_over(figures.pss_bytes, limits.pss_hard_bytes):
        return Verdict(Action.KILL, "memory", _megabytes(figures.pss_bytes, limits.pss_hard_bytes))
    checks = (
        ("age", figures.age_seconds, limits.age_seconds),
        ("tasks", figures.tasks, limits.tasks),
        ("pids", figures.pids, limits.pids),
    )
    for reason, value, limit in checks:
        if _is_over(value, limit):
            return Verdict(Action.REPLACE, reason, f"{value:.0f} of {limit:.0f}")
    if _is_over(figures.pss_bytes, limits.pss_soft_bytes):
        return Verdict(Action.REPLACE, "memory", _megabytes(figures.pss_bytes, limits.pss_soft_bytes))
    if _is_over(figures.driver_rss_bytes, limits.driver_rss_bytes):
        return Verdict(Action.REPLACE, "driver memory", _megabytes(figures.driver_rss_bytes, limits.driver_rss_bytes))
    if drift := _drift(figures.first_probes, figures.recent_probes, limits.drift_factor, limits.drift_seconds_min):
        return Verdict(Action.REPLACE, "latency", drift)
    if _is_over(figures.idle_seconds, limits.idle_seconds):
        return Verdict(Action.CLOSE, "idle", f"{figures.idle_seconds:.0f} s")
    return None


def judge_context(figures: ContextFigures, limits: ContextLimits) -> Verdict | None:
    for reason, value, limit in (
        ("age", figures.age_seconds, limits.age_seconds),
        ("tasks", figures.tasks, limits.tasks),
    ):
        if _is_over(value, limit):
            return Verdict(Action.REPLACE, reason, f"{value:.0f} of {limit:.0f}")
    if _is_over(figures.memory_bytes, limits.memory_bytes):
        return Verdict(Action.REPLACE, "memory", _megabytes(figures.memory_bytes, limits.memory_bytes))
    if drift := _drift(figures.first_tasks, figures.recent_tasks, limits.drift_factor, limits.drift_seconds_min):
        return Verdict(Action.REPLACE, "latency", drift)
    return None


def _is_over(value: float, limit: float) -> bool:
    return 0 < limit < value


def _megabytes(value: int, limit: int) -> str:
    return f"{value // MB} of {limit // MB} MB"


def _drift(first: Sequence[float], recent: Sequence[float], factor: float, seconds_min: float) -> str | None:
    """A median beside a median: one slow call is no drift, and what is still fast needs no replacement."""
    if factor <= 0 or min(len(first), len(recent)) < DRIFT_SAMPLES:
        return None
    then, now = median(first), median(recent)
    is_drift = now > seconds_min and now > factor * then
    return f"{now * 1000:.0f} ms, at first {then * 1000:.0f} ms" if is_drift else None


class Trend:
    """The first few times and the last few, for the drift rule."""

    def __init__(self, first: int = 10, recent: int = 10) -> None:
        self._first_count = first
        self._recent_count = recent
        self.first: tuple[float, ...] = ()
        self.recent: tuple[float, ...] = ()

    def add(self, seconds: float) -> None:
        if len(self.first) < self._first_count:
            self.first = (*self.first, seconds)
        else:
            self.recent = (*self.recent, seconds)[-self._recent_count :]
