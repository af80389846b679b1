"""One place in the pool of exits, and what is held against it."""

import math

from longstop.fetch.exits.exit import Exit
from longstop.fetch.exits.quarantine import Record, Rest


class Line:
    """`sessions` counts those that are alive; `used_at` is when one of them was last asked for."""

    def __init__(self, exit_: Exit, rest: Rest) -> None:
        self.exit = exit_
        self.record = Record(rest)
        self.sessions = 0
        self.used_at = -math.inf

    def is_resting(self, now: float) -> bool:
        return self.record.is_resting(now)

    def rank(self, now: float) -> tuple[int, int, float]:
        """The least bad first, then the least crowded, then the one that was used longest ago."""
        return (math.ceil(self.record.strikes(now)), self.sessions, self.used_at)
