"""What came of a recovery, judged after the fact by the state seen then (S2). Pure.

SUCCESS  well within 120 s, and still so a little later
PARTIAL  better than before, or well too late
FAILED   as bad as before when the time was up
"""

from enum import Enum

import msgspec

from longstop.domain.recovery import RecoveryOutcome


class Condition(Enum):
    WELL = "well"
    BETTER = "better"
    UNWELL = "unwell"


class JudgingLimits(msgspec.Struct, frozen=True):
    """`settle_seconds`: who is well for a moment only has not recovered."""

    window_seconds: float = 120.0
    settle_seconds: float = 20.0


def judge(
    elapsed_seconds: float, condition: Condition, well_seconds: float, limits: JudgingLimits
) -> RecoveryOutcome | None:
    """None while it is too early to say."""
    if condition is Condition.WELL:
        has_settled = well_seconds >= limits.settle_seconds
        is_over = elapsed_seconds >= limits.window_seconds
        if not has_settled and not is_over:
            return None
        was_in_time = elapsed_seconds - well_seconds <= limits.window_seconds
        return RecoveryOutcome.SUCCESS if was_in_time else RecoveryOutcome.PARTIAL
    if elapsed_seconds < limits.window_seconds:
        return None
    return RecoveryOutcome.PARTIAL if condition is Condition.BETTER else RecoveryOutcome.FAILED
