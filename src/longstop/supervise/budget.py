"""How often something may be started again before the failure goes up a level."""

from collections import deque

import msgspec


class RestartBudget(msgspec.Struct, frozen=True):
    """So many restarts in so many seconds; one more and the failure escalates."""

    restarts: int
    within_seconds: float
    delay_seconds: float = 0.5


class Restarts:
    """The restarts of one child that still count."""

    def __init__(self) -> None:
        self._at: deque[float] = deque()

    def spend(self, budget: RestartBudget, now: float) -> bool:
        """Counts one more; False when the budget is spent."""
        self._at.append(now)
        while self._at and self._at[0] < now - budget.within_seconds:
            self._at.popleft()
        return len(self._at) <= budget.restarts

    @property
    def count(self) -> int:
        return len(self._at)
