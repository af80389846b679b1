"""What a failure looked like: the page and a picture of it, kept for whoever looks into it.

    <root>/error_pages/<timestamp>_<match>.html
    <root>/errors/<timestamp>_<match>.png

Match ids come from sites, so no name is built from one that could mean anything else to a file system, and nothing is
written through a link. The folders together stay under a quota; the oldest go first. Files are for their owner only.
"""

import asyncio
import contextlib
import os
import re
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.file_names import safe_name

PAGES: Final = "error_pages"
PICTURES: Final = "errors"
FILE_BYTES_MAX: Final = 8 * 1024 * 1024
SECONDS_BETWEEN: Final = 60.0
UNDER_WAY_MAX: Final = 4
_REMEMBERED_MAX: Final = 5000
_OURS: Final = re.compile(r"[0-9]{8}T[0-9]{12}Z_[A-Za-z0-9_-]{1,64}\.(html|png)(\.part)?")
_ENDINGS: Final = {PAGES: ".html", PICTURES: ".png"}
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without waiting: whatever lies there may be a pipe that nobody writes to.
_READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class EvidenceStore:
    """Never in the way: what cannot be kept is not kept, and the failure itself is told all the same."""

    def __init__(self, root: Path, clock: Clock, quota_mb: int) -> None:
        self._disk = _Disk(root, quota_mb * 1024 * 1024)
        self._clock = clock
        self._kept_at: dict[tuple[str, str], float] = {}
        self._under_way = 0

    async def keep_page(self, match_id: str, page: str | bytes) -> str | None:
        """The file's place below the root, for the error to name; None when nothing was kept."""
        content = page if isinstance(page, bytes) else page.encode("utf-8", "replace")
        return await self._keep(PAGES, match_id, "html", content[:FILE_BYTES_MAX])

    async def keep_picture(self, match_id: str, picture: bytes) -> str | None:
        """A picture that is cut is none, so one that is too large is left out."""
        if len(picture) > FILE_BYTES_MAX:
            return None
        return await self._keep(PICTURES, match_id, "png", picture)

    def is_due(self, match_id: str, folder: str = PAGES) -> bool:
        """Whether it is worth making the page or the picture: one a minute of each match is enough."""
        return self._clock.monotonic() - self._kept_at.get((folder, match_id), -SECONDS_BETWEEN) >= SECONDS_BETWEEN

    async def _keep(self, folder: str, match_id: str, ending: str, content: bytes) -> str | None:
        if self._under_way >= UNDER_WAY_MAX or not self.is_due(match_id, folder):
            return None
        self._remember(folder, match_id)
        name = f"{self._clock.now():%Y%m%dT%H%M%S%fZ}_{safe_name(match_id)}.{ending}"
        self._under_way += 1
        try:
            is_kept = await asyncio.to_thread(self._disk.write, folder, name, content)
        finally:
            self._under_way -= 1
        return f"{folder}/{name}" if is_kept else None

    def _remember(self, folder: str, match_id: str) -> None:
        now = self._clock.monotonic()
        if len(self._kept_at) >= _REMEMBERED_MAX:
            self._kept_at = {key: at for key, at in self._kept_at.items() if now - at < SECONDS_BETWEEN}
        if len(self._kept_at) >= _REMEMBERED_MAX:
            self._kept_at.pop(next(iter(self._kept_at)))
        self._kept_at[folder, match_id] = now


class EvidenceReader:
    """Gives what was kept to whoever asks for it by its name; None for all that is none of ours."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, folder: str, name: str) -> bytes | None:
        if not (_OURS.fullmatch(name) and name.endswith(_ENDINGS.get(folder, "\0"))):
            return None
        try:
            found = self._read(folder, name)
        except OSError:
            return None
        is_picture = folder == PICTURES
        return found if found is None or not is_picture or found.startswith(_PNG) else None

    def _read(self, folder: str, name: str) -> bytes | None:
        """By handles, from the root on, and through no link."""
        root = os.open(self._root, _FOLDER_FLAGS)
        try:
            place = os.open(folder, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=root)
        finally:
            os.close(root)
        try:
            file = os.open(name, _READ_FLAGS, dir_fd=place)
        finally:
            os.close(place)
        with os.fdopen(file, "rb") as opened:
            is_file = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)
            return opened.read(FILE_BYTES_MAX) if is_file else None


class _File(msgspec.Struct, frozen=True, order=True):
    name: str
    folder: str
    size: int


class _Disk:
    """One write at a time, from whichever thread. Only files with our kind of name are ever counted or removed."""

    def __init__(self, root: Path, quota_bytes: int) -> None:
        self._root = root
        self._quota_bytes = quota_bytes
        self._one_at_a_time = threading.Lock()

    def write(self, folder: str, name: str, content: bytes) -> bool:
        with self._one_at_a_time:
            try:
                return self._make_room(len(content)) and self._write(folder, name, content)
            except OSError:
                return False

    def _make_room(self, size: int) -> bool:
        if size > self._quota_bytes:
            return False
        self._root.mkdir(parents=True, exist_ok=True)
        files = sorted(file for folder in (PAGES, PICTURES) for file in self._files(folder))
        total = sum(file.size for file in files) + size
        for file in files:
            if total <= self._quota_bytes:
                break
            with self._opened(file.folder) as place, contextlib.suppress(FileNotFoundError):
                os.unlink(file.name, dir_fd=place)
            total -= file.size
        return total <= self._quota_bytes

    def _files(self, folder: str) -> Iterator[_File]:
        with self._opened(folder) as place:
            for name in os.listdir(place):  # noqa: PTH208 - by its handle, which pathlib cannot
                if not _OURS.fullmatch(name):
                    continue
                with contextlib.suppress(FileNotFoundError):
                    found = os.stat(name, dir_fd=place, follow_symlinks=False)
                    if not stat.S_ISDIR(found.st_mode):
                        yield _File(name, folder, found.st_size)

    def _write(self, folder: str, name: str, content: bytes) -> bool:
        """Under another name first: half a file must never look like a whole one."""
        part = f"{name}.part"
        with self._opened(folder) as place:
            try:
                with os.fdopen(os.open(part, _FILE_FLAGS, 0o600, dir_fd=place), "wb") as file:
                    file.write(content)
                os.link(part, name, src_dir_fd=place, dst_dir_fd=place, follow_symlinks=False)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=place)
        return True

    @contextlib.contextmanager
    def _opened(self, folder: str) -> Iterator[int]:
        """The folder itself, not what a link in its place points to; all else goes through this handle."""
        root = os.open(self._root, _FOLDER_FLAGS)
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, 0o700, dir_fd=root)
            place = os.open(folder, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=root)
        finally:
            os.close(root)
        try:
            yield place
        finally:
            os.close(place)
