"""Patience between attempts, and the judgement of what came of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.recovery import RecoveryOutcome
from longstop.resilience.patience import Attempts, Patience, after_attempt, wait_seconds, while_unwell, while_well
from longstop.resilience.recovering import Condition, JudgingLimits, judge

PATIENCE = Patience()
LIMITS = JudgingLimits()
WELL, BETTER, UNWELL = Condition


def test_the_first_attempt_is_made_at_once_and_the_next_ones_wait_five_ten_and_twenty_minutes() -> None:
    attempts, waits = Attempts(), []
    for _ in range(5):
        waits.append(wait_seconds(attempts, PATIENCE, now=0.0))
        attempts = after_attempt(attempts, 0.0)
    assert waits == [0.0, 300.0, 600.0, 1200.0, 1200.0]


def test_who_was_well_for_five_minutes_begins_anew_and_who_was_for_less_does_not() -> None:
    tried = after_attempt(Attempts(), 0.0)
    resting = while_well(while_well(tried, PATIENCE, 10.0), PATIENCE, 309.0)
    assert resting.count == 1
    assert while_well(resting, PATIENCE, 310.0) == Attempts()
    relapsed = while_well(while_unwell(resting), PATIENCE, 311.0)
    assert while_well(relapsed, PATIENCE, 312.0).count == 1


@given(st.integers(0, 50), st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_no_wait_is_below_zero_or_above_the_longest(count: int, last: float, since: float) -> None:
    assert 0.0 <= wait_seconds(Attempts(count, last), PATIENCE, last + since) <= 1200.0


@pytest.mark.req("H3")
@pytest.mark.parametrize(
    ("elapsed", "condition", "well", "outcome"),
    [
        (5.0, WELL, 0.0, None),
        (25.0, WELL, 20.0, RecoveryOutcome.SUCCESS),
        (60.0, UNWELL, 0.0, None),
        (119.0, BETTER, 0.0, None),
        (120.0, BETTER, 0.0, RecoveryOutcome.PARTIAL),
        (120.0, UNWELL, 0.0, RecoveryOutcome.FAILED),
        (120.0, WELL, 5.0, RecoveryOutcome.SUCCESS),
        (125.0, WELL, 0.0, RecoveryOutcome.PARTIAL),
    ],
)
def test_a_recovery_is_judged_by_the_state_seen_after_it(
    elapsed: float, condition: Condition, well: float, outcome: RecoveryOutcome | None
) -> None:
    assert judge(elapsed, condition, well, LIMITS) is outcome
