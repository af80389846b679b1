"""For how long the source asked us to stay away. Pure: moments of the monotonic clock go in.

Sites limit what they call a key, so one throttled address is left alone by itself. When several are throttled in a
short time it is us they mean, and the whole source is left alone, for the longest of those pauses.
"""

from collections import deque
from typing import Final

PAUSES_REMEMBERED_MAX: Final = 2000
ADDRESSES_THAT_MEAN_US: Final = 3
WINDOW_SECONDS: Final = 10.0


class Pauses:
    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._lately: deque[tuple[float, str, float]] = deque(maxlen=PAUSES_REMEMBERED_MAX)
        self._all_until = 0.0

    def __len__(self) -> int:
        return len(self._until)

    def remember(self, url: str, seconds: float, now: float) -> None:
        self._until = {known: until for known, until in self._until.items() if until > now}
        if len(self._until) >= PAUSES_REMEMBERED_MAX:
            self._until.pop(min(self._until, key=lambda known: self._until[known]))
        self._until[url] = now + seconds
        self._lately.append((now, url, now + seconds))
        self._pause_all_when_meant(now)

    def seconds_for(self, url: str, now: float) -> float:
        """How long this address is to be left alone by itself."""
        return max(0.0, self._until.get(url, 0.0) - now)

    def seconds_for_all(self, now: float) -> float:
        return max(0.0, self._all_until - now)

    def _pause_all_when_meant(self, now: float) -> None:
        while self._lately and self._lately[0][0] < now - WINDOW_SECONDS:
            self._lately.popleft()
        if len({url for _, url, _ in self._lately}) >= ADDRESSES_THAT_MEAN_US:
            self._all_until = max(self._all_until, *(until for _, _, until in self._lately))
