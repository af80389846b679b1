"""The month's count of bytes on disk: a small file, written beside itself and then put in its place."""

import asyncio
import contextlib
from pathlib import Path

import msgspec

from longstop.fetch.visits.bandwidth import Month


class MonthFile:
    """A count that cannot be kept is no reason to stop counting."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Month | None:
        """A file that cannot be read counts like none: it is written anew with the next visit."""
        with contextlib.suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(self._path.read_bytes(), type=Month)
        return None

    async def write(self, month: Month) -> None:
        await asyncio.to_thread(self.put, month)

    def put(self, month: Month) -> None:
        """A disk that takes nothing is told by others; the count goes on in memory."""
        draft = self._path.with_suffix(".draft")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(msgspec.json.encode(month))
            draft.replace(self._path)
