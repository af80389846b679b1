"""How long to wait before the next attempt."""

import random

from longstop.domain.errors import LongstopError
from longstop.jobs.captures.options import CaptureOptions


def pause_seconds(options: CaptureOptions, attempt: int, error: LongstopError, chance: random.Random) -> float:
    """2, 4, 8 s and up to one more; never sooner than the source asks."""
    plain = options.base_seconds * 2.0 ** min(attempt - 1, 30)
    asked = float(getattr(error, "retry_after_seconds", 0.0))
    return max(plain + chance.uniform(0.0, options.jitter_seconds), asked)


def times_in_a_row(reason: str, failures: list[str]) -> int:
    """How often the attempts just before failed for it."""
    times = 0
    for failure in reversed(failures):
        if failure != reason:
            break
        times += 1
    return times
