"""Who follows, and how many streams each has open: one reader alone never takes the places of all."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from longstop.serve.problems import TOO_MANY_STREAMS, ApiError, Kind

SOMEBODY: Final = "somebody"


class Readers:
    """`most` in all, `most_each` of one reader: a consumer with all its keys and logins, or else an address."""

    def __init__(self, most: int, most_each: int, kind: Kind = TOO_MANY_STREAMS) -> None:
        self._most = most
        self._most_each = most_each
        self._kind = kind
        self._open: Counter[str] = Counter()
        self.count = 0

    def require_room(self, reader: str) -> None:
        if self.count >= self._most:
            raise ApiError(self._kind, f"{self.count} streams are open, and no more are served.")
        if self._open[reader] >= self._most_each:
            raise ApiError(self._kind, f"You have {self._most_each} streams open, and nobody is served more.")

    @contextmanager
    def reading(self, reader: str) -> Iterator[bool]:
        """False: others took the last place after there had been room, all in the same moment."""
        has_place = self.count < self._most and self._open[reader] < self._most_each
        self.count += has_place
        self._open[reader] += has_place
        try:
            yield has_place
        finally:
            self.count -= has_place
            self._open[reader] -= has_place
            if not self._open[reader]:
                del self._open[reader]
