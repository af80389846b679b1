"""The files of the spool: one segment after the other, each named after the first sequence number that is in it.

Reading and removing go from the front, writing goes on at the back, and no segment is written to again once a later one
has begun. A process never goes on in a segment of its predecessor.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from longstop.store.disk import Disk, DiskFile
from longstop.store.spool_frames import HEADER_BYTES, SEQUENCE_MAX, Frame, Span, peek, scan

_SUFFIX: Final = ".segment"
_OURS: Final = re.compile(r"([0-9]{20})\.segment", re.ASCII)
_CHUNK_BYTES: Final = 2**20


class Segment:
    """`first` is the sequence number it begins with, `last` the highest of its whole records."""

    def __init__(self, disk: Disk, path: Path, first: int) -> None:
        self._disk = disk
        self._file: DiskFile | None = None
        self.path = path
        self.first = first
        self.last = first - 1
        self.size = 0
        self.records = 0

    @classmethod
    def named(cls, disk: Disk, folder: Path, first: int) -> "Segment":
        return cls(disk, folder / f"{first:020d}{_SUFFIX}", first)

    @property
    def file(self) -> DiskFile:
        if self._file is None:
            self._file = self._disk.open(self.path)
        return self._file

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def whole(self) -> bytes:
        return self._disk.read(self.path)

    def written_millis(self, offset: int) -> int | None:
        return peek(self._disk.read(self.path, offset, HEADER_BYTES))

    def found(self, offset: int, after: int, wanted_bytes: int) -> Iterator[Frame | Span]:
        """What lies from `offset` on, about as much as is wanted, at least one thing if there is one. Its places count
        from the beginning of the file."""
        length = min(max(wanted_bytes, _CHUNK_BYTES) + HEADER_BYTES, self.size - offset)
        seen = list(scan(self._disk.read(self.path, offset, length), after))
        if seen and isinstance(seen[-1], Span) and length < self.size - offset:
            seen.pop()  # the rest of a record may just lie behind what was read
            if not seen:
                length = self.size - offset
                seen = list(scan(self._disk.read(self.path, offset, length), after))
        for each in seen:
            yield _moved(each, offset)


def _moved(found: Frame | Span, offset: int) -> Frame | Span:
    if isinstance(found, Span):
        return Span(found.start + offset, found.end + offset)
    return Frame(found.sequence, found.written_millis, found.payload, found.start + offset, found.end + offset)


def segments_in(disk: Disk, folder: Path) -> list[Segment]:
    """In order. Whatever else lies there is not ours and is left alone."""
    found = (_OURS.fullmatch(name) for name in disk.list(folder))
    numbers = sorted(int(each[1]) for each in found if each is not None)
    return [Segment.named(disk, folder, number) for number in numbers if number <= SEQUENCE_MAX]
