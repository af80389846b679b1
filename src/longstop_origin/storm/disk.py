"""A disk that forgets what was not synced, as a real one may: for storms, and for the spool's tests.

A file is its bytes as the process sees them, and its bytes as they would survive. A write changes the first only, a
sync carries it over. When the power goes, each sector of what was not synced may or may not have arrived, and each name
that was not synced may or may not be there. When only the process dies, the kernel still has everything.

Faults are asked for by the number of the operation, counted from 1.
"""

import errno
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longstop.store.disk import DiskFile

SECTOR = 512
# The kind of operation that is told apart from all others.
SYNC = "sync"


class DiedError(BaseException):
    """The process ended here. No handler of the code under test may live on through it."""


@dataclass
class _Inode:
    seen: bytearray = field(default_factory=bytearray)
    kept: bytes = b""
    # What was written since the last sync. After one that failed the kernel thinks it clean, and never writes it.
    dirty: list[tuple[int, int]] = field(default_factory=list)

    def sync(self) -> None:
        kept = bytearray(self.kept[: len(self.seen)].ljust(len(self.seen), b"\0"))
        for start, end in self.dirty:
            kept[start:end] = self.seen[start:end]
        self.kept, self.dirty = bytes(kept), []


@dataclass
class Faults:
    """`die_at`: the operation during which the process ends. `fail_at`: those that fail with an error, and which;
    `trouble` tells the same of whatever operation comes, None where all is well."""

    die_at: int | None = None
    fail_at: dict[int, int] = field(default_factory=dict)
    capacity: int | None = None
    trouble: Callable[[str], int | None] = lambda _: None


class SimulatedDisk:
    def __init__(self, chance: random.Random, faults: Faults | None = None) -> None:
        self.chance = chance
        self.faults = faults or Faults()
        self.operations = 0
        self.is_dead = False
        self._seen: dict[Path, _Inode] = {}
        self._kept: dict[Path, _Inode] = {}

    # ---- what happens to it ----

    def restart(self, *, has_power_failed: bool, faults: Faults | None = None) -> None:
        """Another process begins; what it finds depends on how the last one ended."""
        if has_power_failed:
            self._forget_names()
            for inode in self._seen.values():
                inode.kept = self._torn(inode)
                inode.seen, inode.dirty = bytearray(inode.kept), []
            self._kept = dict(self._seen)
        self.is_dead, self.operations, self.faults = False, 0, faults or Faults()

    def flip_bit(self, path: Path, position: int, bit: int) -> None:
        inode = self._seen[path]
        inode.seen[position] ^= 1 << bit
        inode.kept = bytes(inode.seen)

    def files(self) -> list[Path]:
        return sorted(path for path, inode in self._seen.items() if inode.seen)

    def size(self, path: Path) -> int:
        return len(self._seen[path].seen)

    def _forget_names(self) -> None:
        for path in sorted(set(self._seen) ^ set(self._kept)):
            if self.chance.getrandbits(1):
                continue  # the change of this name had arrived
            if path in self._kept:
                self._seen[path] = self._kept[path]
            else:
                del self._seen[path]

    def _torn(self, inode: _Inode) -> bytes:
        """Sector by sector the old or the new, up to the old or the new length."""
        old, new = inode.kept, bytes(inode.seen)
        if old == new:
            return old
        size = len(old) if self.chance.getrandbits(1) else self.chance.choice([len(new), max(len(old), len(new))])
        parts = []
        for start in range(0, size, SECTOR):
            end = min(start + SECTOR, size)
            side = new if self.chance.getrandbits(1) else old
            parts.append(side[start:end].ljust(end - start, b"\0"))
        return b"".join(parts)

    def _operate(self, work: Callable[[], None], kind: str = "") -> None:
        """Half of the time the operation in which the process dies has still been done."""
        if self.is_dead:
            raise DiedError
        self.operations += 1
        if self.operations == self.faults.die_at:
            self.is_dead = True
            if self.chance.getrandbits(1):
                work()
            raise DiedError
        code = self.faults.fail_at.get(self.operations) or self.faults.trouble(kind)
        if code is not None:
            raise OSError(code, os.strerror(code))
        work()

    # ---- the disk that code sees ----

    def make_folder(self, folder: Path) -> None:
        """Folders last at once; what is of interest are the names in them."""

    def lock(self, folder: Path) -> None: ...

    def is_taken_over(self, folder: Path) -> bool:
        return False

    def unlock(self, folder: Path) -> None: ...

    def list(self, folder: Path) -> Sequence[str]:
        return sorted(path.name for path in self._seen if path.parent == folder)

    def open(self, path: Path) -> DiskFile:
        if path not in self._seen:
            self._operate(lambda: self._seen.__setitem__(path, _Inode()))
        return _SimulatedFile(self, self._seen[path])

    def read(self, path: Path, offset: int = 0, length: int | None = None) -> bytes:
        seen = self._seen[path].seen
        return bytes(seen[offset:] if length is None else seen[offset : offset + length])

    def rename(self, before: Path, after: Path) -> None:
        self._operate(lambda: self._seen.__setitem__(after, self._seen.pop(before)))

    def unlink(self, path: Path) -> None:
        def forget() -> None:
            self._seen.pop(path, None)

        self._operate(forget)

    def fsync_folder(self, folder: Path) -> None:
        def sync() -> None:
            self._kept = {path: inode for path, inode in self._kept.items() if path.parent != folder}
            self._kept |= {path: inode for path, inode in self._seen.items() if path.parent == folder}

        self._operate(sync)

    def free_bytes(self, folder: Path) -> int:
        used = sum(len(inode.seen) for inode in self._seen.values())
        return 2**40 if self.faults.capacity is None else max(0, self.faults.capacity - used)

    # ---- what its files do ----

    def write(self, inode: _Inode, offset: int, data: bytes) -> None:
        room = self.free_bytes(Path()) + max(0, len(inode.seen) - offset)
        if len(data) > room:
            self._operate(lambda: _put(inode, offset, data[:room]))
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._operate(lambda: _put(inode, offset, data))

    def truncate(self, inode: _Inode, size: int) -> None:
        self._operate(lambda: inode.seen.__delitem__(slice(size, None)))

    def sync(self, inode: _Inode) -> None:
        try:
            self._operate(inode.sync, SYNC)
        except OSError:
            inode.dirty = []
            raise


def _put(inode: _Inode, offset: int, data: bytes) -> None:
    inode.seen[offset : offset + len(data)] = data
    inode.dirty.append((offset, offset + len(data)))


class _SimulatedFile:
    def __init__(self, disk: SimulatedDisk, inode: _Inode) -> None:
        self._disk = disk
        self._inode = inode

    def write(self, offset: int, data: bytes) -> None:
        self._disk.write(self._inode, offset, data)

    def truncate(self, size: int) -> None:
        self._disk.truncate(self._inode, size)

    def fsync(self) -> None:
        self._disk.sync(self._inode)

    def close(self) -> None: ...
