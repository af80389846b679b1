"""The one time of a stormy world: what truly passes, and what the machine's wall clock makes of it."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from longstop.clock import SystemClock

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)

# From when on the wall clock is wrong by how much; both in seconds.
Jump = tuple[float, float]


class Timeline:
    """`seconds` since the world began. It goes on while no process lives."""

    def __init__(self, jumps: Sequence[Jump] = ()) -> None:
        self.seconds = 0.0
        self._since = [at for at, _ in jumps]
        self._offsets = [offset for _, offset in jumps]
        self._told = (-1.0, EPOCH)

    @property
    def moment(self) -> float:
        """What is truly the time, in seconds since 1970."""
        return EPOCH.timestamp() + self.seconds

    @property
    def true_now(self) -> datetime:
        return EPOCH + timedelta(seconds=self.seconds)

    @property
    def wall_now(self) -> datetime:
        """Asked several times in one moment, most of the time."""
        if self._told[0] != self.seconds:
            self._told = (self.seconds, self._wall_now())
        return self._told[1]

    def _wall_now(self) -> datetime:
        passed = bisect_right(self._since, self.seconds)
        offset = self._offsets[passed - 1] if passed else 0.0
        return EPOCH + timedelta(seconds=self.seconds + offset)


class WallClock(SystemClock):
    """The clock that the process is handed: its wall clock may jump, its monotonic one never does."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def now(self) -> datetime:
        return self._timeline.wall_now

    def monotonic(self) -> float:
        """What the loop says, asked a thousand times more often than it changes."""
        return self._timeline.seconds


class TrueClock(WallClock):
    """For what is not on the machine of the process: the database's own clock."""

    def now(self) -> datetime:
        return self._timeline.true_now
