"""A real file system of so many bytes, for whoever may mount one."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longstop.store.disk import OsDisk

_SECONDS = 10


class OptimisticDisk(OsDisk):
    """Believes that there is room, so that the kernel has to say that there is not."""

    def free_bytes(self, folder: Path) -> int:
        return 2**40


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "longstop-test", str(folder)], timeout=_SECONDS, check=True
    )
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], timeout=_SECONDS, check=True)


def can_mount(folder: Path) -> bool:
    if os.geteuid() != 0:
        return False
    try:
        with small_disk(folder, "64k"):
            return True
    except (OSError, subprocess.SubprocessError):
        return False
