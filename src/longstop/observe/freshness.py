"""How old the live matches were, second by second.

Ages go into buckets of 10 ms up to ten minutes, and of 1 % beyond, so that a run of any length fits into a fixed
amount of memory and its percentiles are exact to a bucket.
"""

import math
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

import msgspec

from longstop.clock import Clock

_FINE_SECONDS: Final = 0.01
_FINE_BUCKETS: Final = 60_000
_GROWTH: Final = math.log(1.01)
_FINE_LIMIT_SECONDS: Final = _FINE_SECONDS * _FINE_BUCKETS
# 1 % each from ten minutes: 800 buckets reach beyond three weeks; what is older falls into the last.
_COARSE_BUCKETS: Final = 800


class FreshnessSummary(msgspec.Struct, frozen=True):
    count: int
    p50_seconds: float
    p95_seconds: float
    p99_seconds: float
    max_seconds: float
    within_10s_ratio: float


class AgeHistogram:
    """Percentiles of any number of ages. A bucket answers with its upper edge, so no age is made to look younger."""

    def __init__(self) -> None:
        self._buckets = [0] * (_FINE_BUCKETS + _COARSE_BUCKETS)
        self.count = 0
        self.sum_seconds = 0.0
        self.max_seconds = 0.0

    def add(self, seconds: float) -> None:
        seconds = max(0.0, seconds)
        self._buckets[_bucket(seconds)] += 1
        self.count += 1
        self.sum_seconds += seconds
        self.max_seconds = max(self.max_seconds, seconds)

    def percentile(self, fraction: float) -> float:
        wanted = max(1, math.ceil(self.count * fraction))
        seen = 0
        for bucket, count in enumerate(self._buckets):
            seen += count
            if seen >= wanted:
                return min(_upper_edge(bucket), self.max_seconds)
        return self.max_seconds

    def count_within(self, seconds: float) -> int:
        return sum(self._buckets[: _bucket(seconds) + 1])

    def summary(self) -> FreshnessSummary:
        return FreshnessSummary(
            count=self.count,
            p50_seconds=round(self.percentile(0.5), 3),
            p95_seconds=round(self.percentile(0.95), 3),
            p99_seconds=round(self.percentile(0.99), 3),
            max_seconds=round(self.max_seconds, 3),
            within_10s_ratio=round(self.count_within(10.0) / self.count, 6) if self.count else 1.0,
        )


def _bucket(seconds: float) -> int:
    """Bucket n holds what is above n times 10 ms and up to the next edge."""
    if seconds <= _FINE_LIMIT_SECONDS:
        return max(0, math.ceil(round(seconds / _FINE_SECONDS, 6)) - 1)
    coarse = math.ceil(math.log(seconds / _FINE_LIMIT_SECONDS) / _GROWTH) - 1
    return _FINE_BUCKETS + min(max(0, coarse), _COARSE_BUCKETS - 1)


def _upper_edge(bucket: int) -> float:
    if bucket == _FINE_BUCKETS + _COARSE_BUCKETS - 1:
        return math.inf
    if bucket < _FINE_BUCKETS:
        return (bucket + 1) * _FINE_SECONDS
    return _FINE_LIMIT_SECONDS * math.exp((bucket - _FINE_BUCKETS + 1) * _GROWTH)


class FreshnessMeter:
    """Samples the age of every live match once a second, on whatever clock it is given."""

    def __init__(
        self, clock: Clock, ages: Callable[[datetime], Iterable[float]], *, interval_seconds: float = 1.0
    ) -> None:
        self._clock = clock
        self._ages = ages
        self._interval_seconds = interval_seconds
        self.histogram = AgeHistogram()

    async def run(self) -> None:
        """Until it is cancelled. Late samples are not made up for: they would measure the past with today's ages."""
        while True:
            self.sample()
            await self._clock.sleep(self._interval_seconds)

    def sample(self) -> None:
        for age in self._ages(self._clock.now()):
            self.histogram.add(age)

    def summary(self) -> FreshnessSummary:
        return self.histogram.summary()
