from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.cricket import PlayState
from longstop.domain.lifecycle import HEALTH_GRADE, HealthGrade
from longstop.resilience.grading import Freshness, GradeLimits, Standing, assess, freshness_of, recycled
from tests.cricket import NOON
from tests.patient import view

LIMITS = GradeLimits()
FRESH = Freshness(10, 2.0, 3.0, 4.0)
OLD = Freshness(10, 61.0, 80.0, 90.0)
FAILING = Freshness(10, 2.0, 3.0, 121.0)

pytestmark = pytest.mark.req("H3")


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def events(standing: Standing, freshness: Freshness) -> list[str]:
    return [step.event for step in assess(standing, freshness, LIMITS)[1]]


def test_an_old_median_or_p95_degrades() -> None:
    assert events(Standing(), OLD) == ["aged"]
    assert events(Standing(), Freshness(10, 2.0, 60.0, 70.0)) == ["aged"]
    assert events(Standing(), Freshness(10, 2.0, 59.9, 110.0)) == []


@pytest.mark.req("B3")
@pytest.mark.parametrize("freshness", [FAILING, Freshness(stall_seconds=90.0)], ids=["one match", "a stall"])
def test_one_match_over_two_minutes_or_a_stall_fails_at_once_by_way_of_degraded(freshness: Freshness) -> None:
    assert events(Standing(), freshness) == ["aged", "stalled"]


def test_degraded_is_healthy_after_two_good_intervals_in_a_row_and_not_before() -> None:
    standing = Standing(HealthGrade.DEGRADED)
    grades = []
    for freshness in (FRESH, OLD, FRESH, FRESH):
        standing, _ = assess(standing, freshness, LIMITS)
        grades.append(standing.grade)
    assert grades == [HealthGrade.DEGRADED] * 3 + [HealthGrade.HEALTHY]


def test_a_recycle_leads_to_recovering_and_only_a_good_poll_after_it_to_healthy() -> None:
    standing, steps = recycled(Standing(HealthGrade.FAILING), at(200.0))
    assert [step.event for step in steps] == ["recycled"]
    assert standing.grade is HealthGrade.RECOVERING
    assert events(standing, Freshness(stall_seconds=300.0, succeeded_at=at(100.0))) == []
    assert events(standing, Freshness(1, 5.0, 5.0, 5.0, succeeded_at=at(201.0))) == ["scraped"]


def test_a_recycle_from_another_grade_changes_none() -> None:
    for grade in (HealthGrade.HEALTHY, HealthGrade.DEGRADED, HealthGrade.RECOVERING):
        standing, steps = recycled(Standing(grade), NOON)
        assert (standing.grade, steps) == (grade, ())


def test_failing_eases_to_degraded_when_no_match_is_over_two_minutes() -> None:
    assert events(Standing(HealthGrade.FAILING), OLD) == ["eased"]
    assert events(Standing(HealthGrade.FAILING), FAILING) == []


def test_what_rests_or_has_a_break_does_not_age_the_instance() -> None:
    views = [view(), view("b", throttled_until=at(999.0)), view("c", play=PlayState.LUNCH)]
    seen = freshness_of(views, at(70.0))
    assert (seen.count, seen.median_seconds, seen.max_seconds) == (1, 70.0, 70.0)


def test_percentiles_are_of_real_matches() -> None:
    views = [view(str(number), captured_at=at(number)) for number in range(1, 21)]
    seen = freshness_of(views, at(20.0))
    assert (seen.count, seen.median_seconds, seen.p95_seconds, seen.max_seconds) == (20, 9.0, 18.0, 19.0)


@given(
    st.sampled_from(HealthGrade),
    st.builds(Freshness, st.just(1), *[st.floats(0.0, 200.0)] * 4),
    st.integers(0, 3),
)
def test_every_step_stands_in_the_table_and_follows_the_one_before(
    grade: HealthGrade, freshness: Freshness, good: int
) -> None:
    standing, steps = assess(Standing(grade, good), freshness, LIMITS)
    path = [grade, *(step.target for step in steps)]
    assert [step.source for step in steps] == path[:-1]
    assert set(steps) <= set(HEALTH_GRADE.transitions)
    assert standing.grade is path[-1]
