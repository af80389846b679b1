"""When it is time, by the numbers."""

import msgspec
import pytest

from longstop.fetch.browser.lifecycle import UNIT_LIFECYCLE, UnitState
from longstop.fetch.browser.recycling import (
    MB,
    Action,
    ContextFigures,
    ContextLimits,
    Trend,
    UnitFigures,
    UnitLimits,
    judge_context,
    judge_unit,
)

FAST, SLOW = (0.01,) * 5, (0.4,) * 5
pytestmark = pytest.mark.req("B5")


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({}, None),
        ({"age_seconds": 6 * 3600.0}, None),
        ({"age_seconds": 6 * 3600.0 + 1}, (Action.REPLACE, "age")),
        ({"tasks": 10_001}, (Action.REPLACE, "tasks")),
        ({"pids": 200}, None),
        ({"pids": 201}, (Action.REPLACE, "pids")),
        ({"pss_bytes": 1600 * MB}, (Action.REPLACE, "memory")),
        ({"pss_bytes": 2100 * MB}, (Action.KILL, "memory")),
        ({"pss_bytes": 2100 * MB, "age_seconds": 1e9}, (Action.KILL, "memory")),
        ({"driver_rss_bytes": 700 * MB}, (Action.REPLACE, "driver memory")),
        ({"first_probes": FAST, "recent_probes": SLOW}, (Action.REPLACE, "latency")),
        ({"first_probes": FAST, "recent_probes": SLOW[:4]}, None),
        ({"first_probes": FAST, "recent_probes": (0.01, 0.01, 0.01, 9.0, 9.0)}, None),
        ({"first_probes": FAST, "recent_probes": (0.2,) * 5}, None),
        ({"first_probes": (0.2,) * 5, "recent_probes": SLOW}, None),
        ({"idle_seconds": 1e9}, None),
    ],
)
def test_a_unit_is_judged_by_its_figures(figures: dict[str, object], expected: tuple[Action, str] | None) -> None:
    verdict = judge_unit(msgspec.convert(figures, UnitFigures), UnitLimits())
    assert (verdict and (verdict.action, verdict.reason)) == expected


def test_a_limit_of_zero_is_no_limit() -> None:
    figures = UnitFigures(1e9, 10**9, 10**6, 10**12, 10**12, FAST, SLOW, 1e9)
    assert judge_unit(figures, UnitLimits(0, 0, 0, 0, 0, 0, 0, 0, 0)) is None


def test_an_idle_browser_is_closed_where_that_is_wished() -> None:
    verdict = judge_unit(UnitFigures(idle_seconds=601), UnitLimits(idle_seconds=600))
    assert verdict is not None
    assert verdict.action is Action.CLOSE


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ({}, None),
        ({"age_seconds": 7201}, "age"),
        ({"tasks": 5001}, "tasks"),
        ({"memory_bytes": 600 * MB}, "memory"),
        ({"first_tasks": (0.3,) * 5, "recent_tasks": (1.0,) * 5}, "latency"),
        ({"first_tasks": (0.01,) * 5, "recent_tasks": (0.4,) * 5}, None),
    ],
)
def test_a_context_is_judged_by_its_figures(figures: dict[str, object], reason: str | None) -> None:
    verdict = judge_context(msgspec.convert(figures, ContextFigures), ContextLimits())
    assert (verdict and verdict.reason) == reason


def test_a_verdict_tells_the_figure_and_its_limit() -> None:
    verdict = judge_unit(UnitFigures(pss_bytes=2100 * MB), UnitLimits())
    assert verdict is not None
    assert verdict.detail == "2100 of 2048 MB"


def test_the_first_times_are_kept_and_the_last_are_a_window() -> None:
    trend = Trend(first=2, recent=3)
    for number in range(8):
        trend.add(float(number))
    assert (trend.first, trend.recent) == ((0.0, 1.0), (5.0, 6.0, 7.0))


def test_every_state_of_a_unit_leads_to_its_end() -> None:
    reached = {UnitState.CLOSED}
    for _ in UnitState:
        reached |= {row.source for row in UNIT_LIFECYCLE.transitions if row.target in reached}
    assert reached == set(UnitState)
