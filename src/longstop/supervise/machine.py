"""What this process takes and what the machine has left, as the kernel says. A reading that fails is None, never 0."""

import ctypes
import gc
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

import psutil

MB = 1024 * 1024
CGROUP = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
MEMINFO = Path("/proc/meminfo")
# Version 1 writes "no limit" as the largest number of whole pages.
NO_LIMIT = 1 << 60


class Machine(Protocol):
    def process_bytes(self) -> int | None:
        """What of this process lies in memory (RSS)."""
        ...

    def available_bytes(self) -> int | None:
        """What could be taken without hurting anybody."""
        ...

    def release(self) -> None:
        """Gives back what nobody needs any more. Takes a moment; for when memory is short."""
        ...


class LinuxMachine:
    """Memory of this machine, or of the container that bounds us, whichever leaves less."""

    def __init__(self, cgroup: Path = CGROUP, membership: Path = MEMBERSHIP, meminfo: Path = MEMINFO) -> None:
        self._process = psutil.Process()
        self._meminfo = meminfo
        self._bounds = tuple(_bounds(cgroup, membership))

    def process_bytes(self) -> int | None:
        try:
            return int(self._process.memory_info().rss) or None
        except psutil.Error:
            return None

    def available_bytes(self) -> int | None:
        machine = _mem_available(self._meminfo)
        if machine is None:
            return None
        return min([machine, *(left for bound in self._bounds if (left := bound.left_bytes()) is not None)])

    def release(self) -> None:
        gc.collect()
        give_back()


def set_apart() -> None:
    """What was imported lives as long as the process. Each full collection would look through all of it, and hold up
    the loop for a tenth of a second."""
    gc.collect()
    gc.freeze()


def give_back() -> bool:
    """What Python has freed stays with the C library until it is asked to return it. False where it cannot be asked."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, AttributeError):
        return False


class Bound:
    """One group that may bound our memory: its limit, its use, and what of that it could drop at once."""

    def __init__(self, limit: Path, used: Path, stat: Path, reclaimable: str) -> None:
        self._limit = limit
        self._used = used
        self._stat = stat
        self._reclaimable = reclaimable

    def left_bytes(self) -> int | None:
        """None where there is no such limit."""
        limit, used = _figure(self._limit), _figure(self._used)
        if limit is None or used is None or limit >= NO_LIMIT:
            return None
        return max(0, limit - used + _rows(self._stat).get(self._reclaimable, 0))


def _bounds(cgroup: Path, membership: Path) -> Iterator[Bound]:
    """Our group and all above it: the tightest counts. Inside a container its own group is often the root."""
    for line in _text(membership).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            yield from _bounds_of(cgroup, path, ("memory.max", "memory.current", "inactive_file"))
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _bounds_of(cgroup / "memory", path, names)


def _bounds_of(root: Path, path: str, names: tuple[str, str, str]) -> Iterator[Bound]:
    parts = [part for part in PurePosixPath(path).parts if part not in {"/", ".."}]
    for depth in range(len(parts) + 1):
        folder = root.joinpath(*parts[:depth])
        if (folder / names[0]).is_file():
            yield Bound(folder / names[0], folder / names[1], folder / "memory.stat", names[2])


def _mem_available(meminfo: Path) -> int | None:
    kilobytes = _rows(meminfo).get("MemAvailable:")
    return None if kilobytes is None else kilobytes * 1024


def _rows(path: Path) -> Mapping[str, int]:
    rows = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) >= 2 and row[1].isdigit()}


def _figure(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _text(path: Path) -> str:
    """Empty for what cannot be read."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
