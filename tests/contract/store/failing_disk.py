"""The machine's own disk, until it is told to fail its syncs."""

import errno
import os
from pathlib import Path

from longstop.store.disk import DiskFile, OsDisk


class FailingDisk(OsDisk):
    def __init__(self) -> None:
        super().__init__()
        self.is_failing = False

    def open(self, path: Path) -> DiskFile:
        return _FailingFile(self, super().open(path))


class _FailingFile:
    def __init__(self, disk: FailingDisk, file: DiskFile) -> None:
        self._disk = disk
        self._file = file
        self.write, self.truncate, self.close = file.write, file.truncate, file.close

    def fsync(self) -> None:
        if self._disk.is_failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._file.fsync()
