"""The grade of the whole instance, by S2's table (`HEALTH_GRADE`). Pure: freshness goes in, steps come out.

`recycled` is the one step that is not decided here: it is taken by whoever recycles.
"""

import math
from collections.abc import Sequence
from datetime import datetime

import msgspec

from longstop.domain.lifecycle import HEALTH_GRADE, HealthGrade
from longstop.domain.machine import Transition
from longstop.resilience.staleness import MatchView, capture_age_seconds, is_expected, stall_seconds

GradeStep = Transition[HealthGrade]


class GradeLimits(msgspec.Struct, frozen=True):
    degraded_seconds: float = 60.0
    failing_seconds: float = 120.0
    stall_seconds: float = 90.0
    good_intervals: int = 2


class Freshness(msgspec.Struct, frozen=True):
    """Ages of the live matches in play of which captures should be coming in. `max_seconds` is that of any live one."""

    count: int = 0
    median_seconds: float = 0.0
    p95_seconds: float = 0.0
    max_seconds: float = 0.0
    stall_seconds: float = 0.0
    succeeded_at: datetime | None = None


class Standing(msgspec.Struct, frozen=True):
    """`recycled_at` is when the last recycle began: only a good poll after that ends the recovery."""

    grade: HealthGrade = HEALTH_GRADE.initial
    good_intervals: int = 0
    recycled_at: datetime | None = None


def freshness_of(views: Sequence[MatchView], now: datetime) -> Freshness:
    expected = [view for view in views if is_expected(view, now)]
    ages = sorted(capture_age_seconds(view, now) for view in expected if view.is_in_play)
    return Freshness(
        count=len(ages),
        median_seconds=_nearest(ages, 0.5),
        p95_seconds=_nearest(ages, 0.95),
        max_seconds=max((capture_age_seconds(view, now) for view in expected), default=0.0),
        stall_seconds=stall_seconds(views, now),
        succeeded_at=max((view.captured_at for view in views if view.captured_at is not None), default=None),
    )


def is_failing(freshness: Freshness, limits: GradeLimits) -> bool:
    return freshness.max_seconds >= limits.failing_seconds or freshness.stall_seconds >= limits.stall_seconds


def is_aged(freshness: Freshness, limits: GradeLimits) -> bool:
    """What is failing is degraded too: the table knows no way to FAILING but through DEGRADED."""
    is_old = max(freshness.median_seconds, freshness.p95_seconds) >= limits.degraded_seconds
    return is_old or is_failing(freshness, limits)


def assess(standing: Standing, freshness: Freshness, limits: GradeLimits) -> tuple[Standing, tuple[GradeStep, ...]]:
    """One interval. It may get worse by several steps at once, and better by one."""
    good = 0 if is_aged(freshness, limits) else standing.good_intervals + 1
    standing = msgspec.structs.replace(standing, good_intervals=good)
    steps: list[GradeStep] = []
    while (event := _event(standing, freshness, limits)) is not None:
        step = HEALTH_GRADE.step(standing.grade, event)
        steps.append(step)
        standing = msgspec.structs.replace(standing, grade=step.target)
        if event not in {"aged", "stalled"}:
            break
    return standing, tuple(steps)


def recycled(standing: Standing, now: datetime) -> tuple[Standing, tuple[GradeStep, ...]]:
    """A recycle begins. The grade moves on from FAILING only; elsewhere it stays what it is."""
    if not HEALTH_GRADE.can(standing.grade, "recycled"):
        return msgspec.structs.replace(standing, recycled_at=now), ()
    step = HEALTH_GRADE.step(standing.grade, "recycled")
    return msgspec.structs.replace(standing, grade=step.target, recycled_at=now), (step,)


def _event(standing: Standing, freshness: Freshness, limits: GradeLimits) -> str | None:
    match standing.grade:
        case HealthGrade.HEALTHY:
            return "aged" if is_aged(freshness, limits) else None
        case HealthGrade.DEGRADED:
            if is_failing(freshness, limits):
                return "stalled"
            return "freshened" if standing.good_intervals >= limits.good_intervals else None
        case HealthGrade.FAILING:
            return None if is_failing(freshness, limits) else "eased"
        case HealthGrade.RECOVERING:
            return "scraped" if _has_polled_since(standing.recycled_at, freshness.succeeded_at) else None


def _has_polled_since(recycled_at: datetime | None, succeeded_at: datetime | None) -> bool:
    return succeeded_at is not None and (recycled_at is None or succeeded_at > recycled_at)


def _nearest(ages: Sequence[float], fraction: float) -> float:
    return ages[max(0, math.ceil(len(ages) * fraction) - 1)] if ages else 0.0
