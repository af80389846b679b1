"""How many calls may follow each other, and how closely. Pure: moments of the monotonic clock go in."""

from typing import Final

# A wait too short for the clock to show would be waited for ever.
_AS_GOOD_AS_NOTHING: Final = 1e-6


class TokenBucket:
    """Full after a quiet time; then one more call for each interval. No interval is no limit."""

    def __init__(self, interval_seconds: float, burst: int) -> None:
        self._interval = interval_seconds
        self._burst = max(1, burst)
        self._tokens = float(self._burst)
        self._seen = 0.0

    def set_pace(self, interval_seconds: float, burst: int) -> None:
        """A new pace holds from now on; what was saved up beyond it is lost."""
        self._interval, self._burst = interval_seconds, max(1, burst)
        self._tokens = min(self._tokens, float(self._burst))

    def wait_seconds(self, now: float) -> float:
        """Until the next call may go."""
        self._fill(now)
        missing = 1.0 - self._tokens
        if self._interval <= 0 or missing <= _AS_GOOD_AS_NOTHING:
            return 0.0
        return missing * self._interval + self._seen - now

    def take(self, now: float) -> None:
        self._fill(now)
        self._tokens -= 1.0 if self._interval > 0 else 0.0

    def rest_until(self, moment: float, now: float) -> None:
        """Nothing is saved up in a pause: after it the calls that waited come one by one, not in a burst."""
        self._fill(now)
        self._tokens = min(self._tokens, 1.0)
        self._seen = max(self._seen, moment)

    def _fill(self, now: float) -> None:
        if self._interval > 0 and now > self._seen:
            self._tokens = min(float(self._burst), self._tokens + (now - self._seen) / self._interval)
        self._seen = max(self._seen, now)
