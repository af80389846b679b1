"""Counts and latencies of the recent past, in bounded memory."""

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from typing import Final

_LATENCIES_MAX: Final = 1_024


class RecentCount:
    """How many within the last `slots` times `slot_seconds`. The youngest slot is still filling, so the answer is
    exact to one slot."""

    __slots__ = ("_counts", "_newest", "_slot_seconds")

    def __init__(self, slots: int, slot_seconds: float) -> None:
        self._counts = [0] * slots
        self._slot_seconds = slot_seconds
        self._newest = 0

    def add(self, at: datetime, count: int = 1) -> None:
        slot = self._advance(at)
        if slot > self._newest - len(self._counts):
            self._counts[slot % len(self._counts)] += count

    def total(self, now: datetime) -> int:
        self._advance(now)
        return sum(self._counts)

    def _advance(self, at: datetime) -> int:
        """Empties the slots that time has left behind. A clock that was set back leaves them as they are."""
        slot = int(at.timestamp() // self._slot_seconds)
        if slot > self._newest:
            for passed in range(max(self._newest + 1, slot - len(self._counts) + 1), slot + 1):
                self._counts[passed % len(self._counts)] = 0
            self._newest = slot
        return slot


class RecentLatencies:
    """The last thousand durations."""

    __slots__ = ("_seconds",)

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=_LATENCIES_MAX)

    def add(self, seconds: float) -> None:
        self._seconds.append(seconds)

    def average_and_p95_ms(self) -> tuple[float, float]:
        ordered = sorted(self._seconds)
        if not ordered:
            return 0.0, 0.0
        return round(_mean(ordered) * 1000, 1), round(ordered[_rank(len(ordered), 0.95)] * 1000, 1)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def _rank(count: int, fraction: float) -> int:
    """The nearest rank: the smallest value that at least this fraction does not exceed."""
    return max(0, -int(-count * fraction // 1) - 1)


class PollTally:
    """Polls of the last ten minutes, how many of them failed, and when the last one was good."""

    def __init__(self) -> None:
        self.succeeded_at: datetime | None = None
        self._all = RecentCount(60, 10.0)
        self._failed = RecentCount(60, 10.0)

    def add(self, at: datetime, *, is_success: bool) -> None:
        self._all.add(at)
        if is_success:
            self.succeeded_at = at
        else:
            self._failed.add(at)

    def failure_ratio(self, now: datetime) -> float:
        polls = self._all.total(now)
        return round(self._failed.total(now) / polls, 4) if polls else 0.0
