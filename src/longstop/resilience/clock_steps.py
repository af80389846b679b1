"""The clock of the day was set. How old a thing is cannot then be told from the moment that was written beside it.

The running clock is never set, so whoever looks at both in turn sees the step. What was written down before it counts
from the step: nobody is late because the clock went ahead, and nobody is on time for an hour because it went back.
"""

from datetime import datetime
from typing import overload

STEP_SECONDS = 2.0


def step_seconds(before: tuple[datetime, float], after: tuple[datetime, float]) -> float:
    """How much further the clock of the day went between two looks than the running clock did."""
    return (after[0] - before[0]).total_seconds() - (after[1] - before[1])


class ClockSteps:
    def __init__(self, step_seconds_min: float = STEP_SECONDS) -> None:
        self._step_seconds_min = step_seconds_min
        self._before: tuple[datetime, float] | None = None
        self._set_at: datetime | None = None

    def look(self, now: datetime, elapsed: float) -> None:
        """Each time before moments are judged."""
        if self._before is not None and abs(step_seconds(self._before, (now, elapsed))) >= self._step_seconds_min:
            self._set_at = now
        self._before = (now, elapsed)

    @overload
    def moment(self, written: datetime) -> datetime: ...

    @overload
    def moment(self, written: datetime | None) -> datetime | None: ...

    def moment(self, written: datetime | None) -> datetime | None:
        """The moment as it may be compared with the last look."""
        if written is None or self._set_at is None or self._before is None:
            return written
        return written if self._set_at <= written <= self._before[0] else self._set_at
