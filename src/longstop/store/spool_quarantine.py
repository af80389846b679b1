"""Bytes that nobody can use and nobody may throw away: damaged spans, and records that the database refuses for ever.

Each lies in a file of its own, under a name that tells where it came from and what is in it, so that keeping it twice
changes nothing.
"""

import zlib
from pathlib import Path
from typing import Final

from longstop.store.disk import Disk

FOLDER: Final = "quarantine"
_UNFINISHED: Final = ".part"


class Quarantine:
    def __init__(self, disk: Disk, spool: Path) -> None:
        self._disk = disk
        self.folder = spool / FOLDER
        self._names: set[str] = set()
        self.bytes = 0

    @property
    def files(self) -> int:
        return len(self._names)

    def open(self) -> None:
        self._disk.make_folder(self.folder)
        for name in self._disk.list(self.folder):
            if name.endswith(_UNFINISHED):
                self._disk.unlink(self.folder / name)
            else:
                self._names.add(name)
                self.bytes += len(self._disk.read(self.folder / name))

    def keep(self, place: str, kind: str, data: bytes) -> bool:
        """Durable when it returns; False when it was there before."""
        name = f"{place}-{zlib.crc32(data):08x}.{kind}"
        if name in self._names:
            return False
        unfinished = self.folder / (name + _UNFINISHED)
        file = self._disk.open(unfinished)
        try:
            file.write(0, data)
            file.fsync()
        finally:
            file.close()
        self._disk.rename(unfinished, self.folder / name)
        self._disk.fsync_folder(self.folder)
        self._names.add(name)
        self.bytes += len(data)
        return True
