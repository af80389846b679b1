"""Does the work move, rather than: does somebody live? Pure.

A scheduler can turn for ever and finish nothing; and it can have lost a match, so that nothing is due although data
grows old. Both show in the number of finished polls, which stands still.
"""

import msgspec


class Progress(msgspec.Struct, frozen=True):
    """`finished` only ever grows. `due` waits for its turn, `running` has it."""

    finished: int
    due: int = 0
    oldest_due_seconds: float = 0.0
    running: int = 0


class Movement(msgspec.Struct, frozen=True):
    """The number that was seen last, whether there was work then, and since when both are the same (monotonic)."""

    finished: int = -1
    is_idle: bool = True
    since: float = 0.0


def is_idle(progress: Progress) -> bool:
    return progress.due == 0 and progress.running == 0


def seen(movement: Movement, progress: Progress, now: float) -> Movement:
    idle = is_idle(progress)
    is_same = progress.finished == movement.finished and idle is movement.is_idle
    return movement if is_same else Movement(progress.finished, idle, now)


def halted_seconds(movement: Movement, progress: Progress, now: float, limit_seconds: float) -> float:
    """For how long there was something to do and nothing was finished; 0 below the limit.

    What became due a moment ago does not count: a source may have asked everybody to wait.
    """
    still = now - movement.since
    has_work = progress.running > 0 or progress.oldest_due_seconds >= limit_seconds
    return still if not movement.is_idle and has_work and still >= limit_seconds else 0.0


def forgotten_seconds(movement: Movement, oldest_age_seconds: float, now: float, limit_seconds: float) -> float:
    """For how long nothing is due and nothing runs although live data grows old; 0 below the limit."""
    still = min(now - movement.since, oldest_age_seconds)
    return still if movement.is_idle and still >= limit_seconds else 0.0
