"""Where things are written, and how much room there is."""

import os
import shutil
import tempfile
from pathlib import Path

from longstop.commands.checkup.finding import Finding, ok, problem, warning

MIB = 2**20
DISK_MB_MIN, DISK_MB_ENOUGH = 100, 1024
FILES_LEFT_MIN = 1000


def storage(root: Path) -> Finding:
    """Written to, where it is there; it is not made here, only at the first start."""
    hint = "Make it writable for this user, or set storage.root to another folder."
    home = nearest_folder(root)
    if home is None:
        return problem("storage", f"{root} is, or lies in, something that is no folder", hint)
    try:
        with tempfile.TemporaryFile(dir=home, prefix=".longstop-doctor-") as file:
            file.write(b"\0" * 4096)
            file.flush()
    except OSError as error:
        return problem("storage", f"{home} cannot be written: {error.strerror}", hint)
    return ok("storage", f"{root} is writable" if home == root else f"{root} is not there yet and can be made")


def nearest_folder(path: Path) -> Path | None:
    """The folder itself, or the one it would be made in; None when a file stands in the way."""
    for folder in (path, *path.absolute().parents):
        if folder.is_dir():
            return folder
        if folder.exists() or folder.is_symlink():
            return None
    return None


def disk(root: Path, free_mb: float | None = None) -> Finding:
    home = nearest_folder(root) or Path()
    left = shutil.disk_usage(home).free / MIB if free_mb is None else free_mb
    said = f"{left:.0f} MB free where {root} lies"
    hint = "Free some, or move storage.root; see storage.retention in docs/settings.md."
    if left < DISK_MB_MIN:
        return problem("disk", said, hint)
    if left < DISK_MB_ENOUGH:
        return warning("disk", said, hint)
    figures = os.statvfs(home)
    if figures.f_files and figures.f_favail < FILES_LEFT_MIN:
        return warning("disk", f"{said}, but only {figures.f_favail} files more", "Remove files that nobody needs.")
    return ok("disk", said)
