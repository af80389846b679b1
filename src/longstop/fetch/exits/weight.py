"""What a request of a source usually weighs. One that weighs far more is a challenge or a wrong page, as a rule."""

from collections import deque
from statistics import median
from typing import Final

REMEMBERED: Final = 50
ENOUGH: Final = 8
TIMES: Final = 4.0
FLOOR_BYTES: Final = 64 * 1024


class Weights:
    """Heavy visits are remembered too: a site that has grown for good is usual after half as many as are remembered."""

    def __init__(self) -> None:
        self._seen: deque[float] = deque(maxlen=REMEMBERED)

    def is_abnormal(self, requests: int, bytes_in: int) -> bool:
        """And remembers it."""
        if requests <= 0:
            return False
        weight = bytes_in / requests
        is_known = len(self._seen) >= ENOUGH
        is_heavy = is_known and weight > max(TIMES * median(self._seen), float(FLOOR_BYTES))
        self._seen.append(weight)
        return is_heavy
