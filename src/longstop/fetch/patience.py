"""How long one source's pages are waited for: what was configured, fitted to how long its answers took lately."""

from collections import deque

from longstop.resilience.timeouts import MEASURED_REQUESTS, Timeouts, adapt

# Timeouts of the browser are retried once, with half as long again.
SECOND_TRY_FACTOR = 1.5


class Patience:
    """One for each source. Without `is_adaptive` it stays as it was configured."""

    def __init__(self, base: Timeouts, *, is_adaptive: bool = True) -> None:
        self._base = base
        self._is_adaptive = is_adaptive
        self._lately: deque[float] = deque(maxlen=MEASURED_REQUESTS)

    @property
    def timeouts(self) -> Timeouts:
        return adapt(self._base, self._lately) if self._is_adaptive else self._base

    def note(self, seconds: float) -> None:
        """One request took so long, or was given up after it."""
        self._lately.append(seconds)
