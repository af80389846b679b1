"""What the spool asks of a disk, in so few words that a simulated one can stand beneath it, and the real one.

Nothing here retries. A write that came short, or a sync that failed, is an OSError, and what it means is for the caller
to say. A file and its name are two things: a name lasts only once its folder is synced too.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from longstop.domain.errors import StoreError

_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


class DiskFile(Protocol):
    """An open file. Offsets are handed in, so there is no position that a failure could leave in doubt."""

    def write(self, offset: int, data: bytes) -> None:
        """All of it, or an OSError; then some of it may have been written."""
        ...

    def truncate(self, size: int) -> None: ...

    def fsync(self) -> None: ...

    def close(self) -> None: ...


class Disk(Protocol):
    def make_folder(self, folder: Path) -> None:
        """With its parents, and so that it lasts. One that is there is well."""
        ...

    def lock(self, folder: Path) -> None:
        """Nobody else may write there as long as this process lives, or until it is unlocked."""
        ...

    def is_taken_over(self, folder: Path) -> bool:
        """Somebody removed our lock, and another process has one of its own there."""
        ...

    def unlock(self, folder: Path) -> None: ...

    def list(self, folder: Path) -> Sequence[str]: ...

    def open(self, path: Path) -> DiskFile:
        """Makes it if it is not there."""
        ...

    def read(self, path: Path, offset: int = 0, length: int | None = None) -> bytes: ...

    def rename(self, before: Path, after: Path) -> None: ...

    def unlink(self, path: Path) -> None: ...

    def fsync_folder(self, folder: Path) -> None: ...

    def free_bytes(self, folder: Path) -> int: ...


class _OsFile:
    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE_FILE)

    def write(self, offset: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._descriptor, rest, offset)
            offset, rest = offset + written, rest[written:]

    def truncate(self, size: int) -> None:
        os.ftruncate(self._descriptor, size)

    def fsync(self) -> None:
        os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


class OsDisk:
    """The machine's own."""

    def __init__(self) -> None:
        self._locks: dict[Path, int] = {}

    def make_folder(self, folder: Path) -> None:
        missing = [each for each in (folder, *folder.absolute().parents) if not each.exists()]
        folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        for each in missing:
            self.fsync_folder(each.absolute().parent)

    def lock(self, folder: Path) -> None:
        """The kernel drops it with the process, however that ends. The file stays, else two could each hold one."""
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE_FILE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            raise StoreError(
                f"The spool in {folder} is in use by another Longstop (pid {holder}).",
                hint="Stop that one first, or give this one its own storage.root.",
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._locks[folder] = descriptor

    def is_taken_over(self, folder: Path) -> bool:
        descriptor = self._locks.get(folder)
        try:
            return descriptor is not None and not os.path.samestat(os.fstat(descriptor), (folder / "lock").stat())
        except FileNotFoundError:
            return False  # nobody else has come

    def unlock(self, folder: Path) -> None:
        descriptor = self._locks.pop(folder, None)
        if descriptor is not None:
            os.close(descriptor)

    def list(self, folder: Path) -> Sequence[str]:
        return sorted(each.name for each in folder.iterdir())

    def open(self, path: Path) -> DiskFile:
        return _OsFile(path)

    def read(self, path: Path, offset: int = 0, length: int | None = None) -> bytes:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(-1 if length is None else length)

    def rename(self, before: Path, after: Path) -> None:
        before.rename(after)

    def unlink(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def fsync_folder(self, folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def free_bytes(self, folder: Path) -> int:
        figures = os.statvfs(folder)
        return figures.f_bavail * figures.f_frsize
