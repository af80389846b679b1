"""The spool: an append-only file on local disk for what must not be lost while the database is away.

What `append` has returned for is on the disk, not on its way to it. Records are read in order, and a segment is removed
only when everything in it was released, that is, when it is durable elsewhere. All of this is for one thread; whoever
has several puts `SpoolDesk` before it.

After a write or a sync that failed nothing is tried again. The kernel may have dropped the pages and would call the
next sync a success, so only a process that reads the disk anew can know what is on it. Until then every call raises
`SpoolBrokenError`. A disk that is merely full is another matter: what was half written is cut off again.
"""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from longstop.domain.errors import PlaceLostError, RecordRefusedError, SpoolBrokenError, SpoolFullError
from longstop.store.disk import Disk
from longstop.store.spool_frames import HEADER_BYTES, PAYLOAD_BYTES_MAX, Frame, Span, frame_of
from longstop.store.spool_quarantine import Quarantine
from longstop.store.spool_recovery import Recovery, recover
from longstop.store.spool_segments import Segment

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class SpoolLimits(msgspec.Struct, frozen=True):
    """`reserve_bytes` of the disk are left to others: a spool that fills it would take the database along."""

    max_bytes: int = 1024 * 2**20
    segment_bytes: int = 16 * 2**20
    reserve_bytes: int = 16 * 2**20


class SpoolUsage(msgspec.Struct, frozen=True):
    """How things stand. `records` are those not yet released; a segment keeps its size until all of it is."""

    records: int = 0
    bytes: int = 0
    max_bytes: int = 1
    segments: int = 0
    oldest_millis: int | None = None
    quarantined: int = 0
    damaged: int = 0

    @property
    def percent(self) -> float:
        return 100.0 * self.bytes / self.max_bytes


class Spool:
    def __init__(self, folder: Path, disk: Disk, limits: SpoolLimits = SpoolLimits()) -> None:
        self.folder = folder
        self.usage = SpoolUsage(max_bytes=limits.max_bytes)
        self._disk = disk
        self._limits = limits
        self._quarantine = Quarantine(disk, folder)
        self._segments: list[Segment] = []
        self._active: Segment | None = None
        self._next = 1
        self._read_offset = 0
        self._released = 0
        self._oldest_millis: int | None = None
        self._damaged = 0
        self._broken: SpoolBrokenError | None = None

    def open(self) -> Recovery:
        """Takes over what a process before has left."""
        with self._or_broken("be opened"):
            self._disk.make_folder(self.folder)
            self._disk.lock(self.folder)
            self._quarantine.open()
            recovery = recover(self._disk, self.folder, self._quarantine)
        self._segments = list(recovery.segments)
        self._next = recovery.next_sequence
        self._released = self._segments[0].first - 1 if self._segments else self._next - 1
        self._damaged = recovery.damaged
        self._oldest_millis = recovery.oldest_millis
        self._tell()
        return recovery

    def append(self, payloads: Sequence[bytes], written_millis: int) -> int:
        """All of them with one sync, or none. Returns the sequence number of the last."""
        self._require_whole()
        self._require_place()
        numbered = enumerate(payloads, self._next)
        data = b"".join(frame_of(sequence, written_millis, payload) for sequence, payload in numbered)
        self._require_room(len(data))
        segment = self._segment_for(len(data))
        self._write(segment, data)
        with self._or_broken("be synced"):
            segment.file.fsync()
            if segment.size == 0:
                self._disk.fsync_folder(self.folder)
        segment.size += len(data)
        segment.records += len(payloads)
        self._next += len(payloads)
        segment.last = self._next - 1
        if self._oldest_millis is None:
            self._oldest_millis = written_millis
        self._tell()
        return segment.last

    def read(self, records_max: int, bytes_max: int) -> list[Frame]:
        """The oldest that are not released. Reading does not release; reading again brings the same."""
        self._require_whole()
        frames: list[Frame] = []
        size = 0
        while self._segments and not frames:
            segment = self._segments[0]
            for found in self._found(segment, bytes_max):
                if len(frames) == records_max or size >= bytes_max:
                    break
                frames.append(found)
                size += found.end - found.start
            if not frames and not self._drop_if_done(segment, segment.size):
                break
        return frames

    def release(self, frame: Frame) -> None:
        """This one, and all that were read before it, are durable elsewhere."""
        self._require_whole()
        segment = self._segments[0] if self._segments else None
        if segment is None or not segment.first <= frame.sequence <= segment.last:
            return  # it was released before
        self._released = frame.sequence
        self._read_offset = frame.end
        self._drop_if_done(segment, frame.end)
        self._oldest_millis = self._oldest()
        self._tell()

    def set_aside(self, frame: Frame) -> None:
        """Kept apart for good, and released: the database will never take it."""
        self._require_whole()
        with self._or_broken("keep a record apart"):
            self._quarantine.keep(f"{frame.sequence:020d}", "refused", frame.payload)
        self.release(frame)

    def close(self) -> None:
        """Nothing needs to be written: what was acknowledged is on the disk already."""
        for segment in self._segments:
            segment.close()
        self._disk.unlock(self.folder)

    # ---- writing ----

    def _require_whole(self) -> None:
        if self._broken is not None:
            raise SpoolBrokenError(self._broken.message, hint=self._broken.hint) from self._broken

    def _require_place(self) -> None:
        with self._or_broken("be looked at"):
            if self._disk.is_taken_over(self.folder):
                raise PlaceLostError(f"Another Longstop has taken over the spool in {self.folder}.")

    def _require_room(self, size: int) -> None:
        used = self.usage.bytes
        if used + size > self._limits.max_bytes:
            raise SpoolFullError(f"The spool is full: {used} of {self._limits.max_bytes} bytes are taken.")
        if size - HEADER_BYTES > PAYLOAD_BYTES_MAX:
            raise RecordRefusedError(f"A record of {size} bytes is larger than the spool takes.")
        with self._or_broken("ask how much room there is"):
            free = self._disk.free_bytes(self.folder)
        if free - size < self._limits.reserve_bytes:
            raise SpoolFullError(f"The disk of the spool is full: {free} bytes are free.")

    def _segment_for(self, size: int) -> Segment:
        active = self._active
        if active is not None and active.size + size <= self._limits.segment_bytes:
            return active
        if active is not None:
            active.close()
        with self._or_broken("begin a segment"):
            segment = Segment.named(self._disk, self.folder, self._next)
            segment.file.truncate(0)
        self._segments.append(segment)
        self._active = segment
        return segment

    def _write(self, segment: Segment, data: bytes) -> None:
        try:
            segment.file.write(segment.size, data)
        except OSError as error:
            if error.errno not in _FULL:
                raise self._break("be written", error) from error
            with self._or_broken("be cut after a short write"):
                segment.file.truncate(segment.size)
            raise SpoolFullError(f"The disk of the spool is full: {error.strerror}.") from error

    @contextmanager
    def _or_broken(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._break(what, error) from error

    def _break(self, what: str, error: OSError) -> SpoolBrokenError:
        reason = error.strerror or type(error).__name__
        self._broken = SpoolBrokenError(f"The spool in {self.folder} could not {what}: {reason}.")
        return self._broken

    # ---- reading and removing ----

    def _found(self, segment: Segment, bytes_max: int) -> Iterator[Frame]:
        """Damage that was not there when the spool was opened is kept apart on the way."""
        with self._or_broken("be read"):
            found = list(segment.found(self._read_offset, self._released, bytes_max))
            for each in found:
                if isinstance(each, Span):
                    self._keep_damage(segment, each)
        return (each for each in found if isinstance(each, Frame))

    def _keep_damage(self, segment: Segment, span: Span) -> None:
        data = self._disk.read(segment.path, span.start, span.end - span.start)
        if self._quarantine.keep(f"{segment.path.stem}-{span.start}", "damaged", data):
            self._damaged += 1
            self._tell()

    def _drop_if_done(self, segment: Segment, offset: int) -> bool:
        """The file goes once nothing in it waits. Its name goes for good before the next one is touched."""
        if self._released < segment.last and offset < segment.size:
            return False
        self._segments.pop(0)
        self._read_offset = 0
        self._released = max(self._released, segment.last)
        if segment is self._active:
            self._active = None
        segment.close()
        with self._or_broken("be removed"):
            self._disk.unlink(segment.path)
            self._disk.fsync_folder(self.folder)
        if not self._segments:
            self._oldest_millis = None
        self._tell()
        return True

    def _oldest(self) -> int | None:
        """Of the record that is read next. A damaged one does not know, and the one before it is as good a guess."""
        if not self._segments:
            return None
        with self._or_broken("be read"):
            return self._segments[0].written_millis(self._read_offset) or self._oldest_millis

    def _tell(self) -> None:
        self.usage = SpoolUsage(
            records=max(0, self._next - 1 - self._released) if self._segments else 0,
            bytes=sum(segment.size for segment in self._segments) + self._quarantine.bytes,
            max_bytes=self._limits.max_bytes,
            segments=len(self._segments),
            oldest_millis=self._oldest_millis,
            quarantined=self._quarantine.files,
            damaged=self._damaged,
        )
