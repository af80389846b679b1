"""What a process finds when it opens the spool of the one before, which may have ended at any instruction.

Whole records are kept, wherever they lie. A torn tail is cut off the last segment, damage elsewhere stays where it is
and is passed over; both are copied to the quarantine first. How many records are missing is told by the numbers of
those that are there.

What is read may be in the kernel's memory only, so nothing is believed until it was synced: the last segment is written
once more in place, since after a failed sync the kernel may think its pages clean, and then synced.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from longstop.store.disk import Disk
from longstop.store.spool_frames import Frame, Span, scan
from longstop.store.spool_quarantine import Quarantine
from longstop.store.spool_segments import Segment, segments_in


class Recovery(msgspec.Struct, frozen=True):
    """`damaged`: records of which only the number is known."""

    segments: tuple[Segment, ...] = ()
    next_sequence: int = 1
    records: int = 0
    damaged: int = 0
    torn_bytes: int = 0
    oldest_millis: int | None = None


def recover(disk: Disk, folder: Path, quarantine: Quarantine) -> Recovery:
    found = segments_in(disk, folder)
    survey = _Survey(disk, quarantine)
    for segment in found:
        survey.look_at(segment, is_last=segment is found[-1])
    if found:
        disk.fsync_folder(folder)
    return survey.told()


class _Survey:
    def __init__(self, disk: Disk, quarantine: Quarantine) -> None:
        self._disk = disk
        self._quarantine = quarantine
        self._kept: list[Segment] = []
        self._expected: int | None = None
        self._damaged = 0
        self._torn_bytes = 0
        self._oldest_millis: int | None = None

    def look_at(self, segment: Segment, *, is_last: bool) -> None:
        data = segment.whole()
        found = list(scan(data, segment.first - 1))
        if is_last and found and isinstance(tail := found[-1], Span):
            self._cut(segment, data, tail)
            found.pop()
        for each in found:
            if isinstance(each, Span):
                self._keep_apart(segment, data, each, "damaged")
        frames = [each for each in found if isinstance(each, Frame)]
        self._count(segment, frames)
        if frames:
            self._take(segment, frames, found[-1].end)
            if is_last:
                self._make_sure(segment, data[: segment.size])
        else:
            segment.close()
            self._disk.unlink(segment.path)

    def _cut(self, segment: Segment, data: bytes, tail: Span) -> None:
        """A tail of zeros is what a file system leaves of bytes that never came; there is nothing to keep."""
        self._torn_bytes += tail.end - tail.start
        if any(data[tail.start : tail.end]):
            self._keep_apart(segment, data, tail, "torn")
        segment.file.truncate(tail.start)

    def _keep_apart(self, segment: Segment, data: bytes, span: Span, kind: str) -> None:
        self._quarantine.keep(f"{segment.path.stem}-{span.start}", kind, data[span.start : span.end])

    def _count(self, segment: Segment, frames: Sequence[Frame]) -> None:
        """The numbers have no holes, so a hole is as many records as it is wide."""
        numbers = [segment.first - 1, *(frame.sequence for frame in frames)]
        expected = segment.first if self._expected is None else self._expected
        self._damaged += max(0, segment.first - expected) + (numbers[-1] - segment.first + 1 - len(frames))
        self._expected = numbers[-1] + 1

    def _take(self, segment: Segment, frames: Sequence[Frame], size: int) -> None:
        segment.last, segment.records, segment.size = frames[-1].sequence, len(frames), size
        self._kept.append(segment)
        if self._oldest_millis is None:
            self._oldest_millis = frames[0].written_millis

    def _make_sure(self, segment: Segment, data: bytes) -> None:
        segment.file.write(0, data)
        segment.file.fsync()
        segment.close()

    def told(self) -> Recovery:
        return Recovery(
            segments=tuple(self._kept),
            next_sequence=self._expected or 1,
            records=sum(segment.records for segment in self._kept),
            damaged=self._damaged,
            torn_bytes=self._torn_bytes,
            oldest_millis=self._oldest_millis,
        )
