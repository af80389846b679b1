"""The month's count of bytes on disk: a small file, written beside itself and then put in its place.

Several processes may add to it (a service, and a capture by hand): each reads it anew under a lock before it adds.
"""

import asyncio
import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

import msgspec

from longstop.fetch.visits.bandwidth import Month, added


class MonthFile:
    """A count that cannot be kept is no reason to stop counting."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Month | None:
        """A file that cannot be read counts like none: it is written anew with the next visit."""
        with contextlib.suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(self._path.read_bytes(), type=Month)
        return None

    async def add(self, more: Month) -> Month | None:
        return await asyncio.to_thread(self.put, more)

    def put(self, more: Month) -> Month | None:
        """A disk that takes nothing is told by others; the count goes on in memory."""
        with contextlib.suppress(OSError), self._alone():
            known = self.read()
            if known is None or known.period != more.period:
                known = Month(more.period)
            month = Month(more.period, added(known.sources, more.sources), max(known.told, more.told))
            draft = self._path.with_suffix(".draft")
            draft.write_bytes(msgspec.json.encode(month))
            draft.replace(self._path)
            return month
        return None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
