"""When a task that failed is tried again. Pure; the numbers are the data model's (S2) and may be set.

attempt 1    at once
attempt 2    2 s + up to 2 s
attempt 3    4 s + up to 4 s, and no more after that
"""

import random

import msgspec


class RetryPolicy(msgspec.Struct, frozen=True):
    attempts_max: int = 3
    base_seconds: float = 2.0

    def may_retry(self, attempt: int) -> bool:
        return attempt < self.attempts_max

    def delay_seconds(self, attempt: int, chance: random.Random) -> float:
        """How long to wait before this attempt; full jitter on top, so that what failed together parts."""
        if attempt <= 1:
            return 0.0
        base = self.base_seconds * 2.0 ** (attempt - 2)
        return base + chance.uniform(0.0, base)
