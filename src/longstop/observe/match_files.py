"""Match logs on disk: one file a stretch, and a summary of all of them.

    <root>/match_logs/<match>/<timestamp>.jsonl
    <root>/match_logs/<match>/summary.json
    <root>/match_logs/<match>/current.jsonl      as far as it goes; whoever was killed left it behind

Match ids come from sites, so no name is built from one that could mean anything else to a file system, and nothing is
written through a link. Together they stay under a quota and an age; the oldest go first. They are for their owner only.
"""

import contextlib
import os
import re
import stat
import threading
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson

from longstop.domain.file_names import safe_name
from longstop.observe.match_log import Stretch, left_behind

FOLDER: Final = "match_logs"
SUMMARY: Final = "summary.json"
CURRENT: Final = "current.jsonl"
SUMMARY_BYTES_MAX: Final = 256 * 1024
STRETCHES_TOLD: Final = 100
FILES_MAX: Final = 20_000
DAY_SECONDS: Final = 86_400.0
MEGABYTE: Final = 1024 * 1024
_OURS: Final = re.compile(r"([0-9]{8}T[0-9]{12}Z(-[0-9])?\.jsonl|current\.jsonl|summary\.json)(\.part)?")
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class _File(msgspec.Struct, frozen=True, order=True):
    written_at: float
    folder: str
    name: str
    size: int


class MatchFiles:
    """Blocks, and raises OSError. One call at a time, from whichever thread."""

    def __init__(self, root: Path, quota_mb: int, days: int) -> None:
        self.quota_mb = quota_mb
        self.days = days
        self._root = root
        self._one_at_a_time = threading.Lock()
        self._held: tuple[int, int] | None = None
        self._looked_at = 0.0

    @property
    def is_busy(self) -> bool:
        """An earlier call has not come back."""
        return self._one_at_a_time.locked()

    def keep(self, stretches: Iterable[Stretch], now: datetime) -> None:
        """Whatever can be kept is; the first failure is raised at the end."""
        failure: OSError | None = None
        with self._one_at_a_time:
            for stretch in stretches:
                try:
                    self._keep(stretch, now.timestamp())
                except OSError as error:
                    failure = failure or error
        if failure is not None:
            raise failure

    def keep_so_far(self, stretches: Iterable[Stretch], now: datetime) -> None:
        """For those that are not over: what would be lost with this process."""
        with self._one_at_a_time:
            for stretch in stretches:
                self._root.mkdir(parents=True, exist_ok=True)
                body = _body(stretch)
                self._make_room(len(body), now.timestamp())
                with self._opened(safe_name(stretch.match_id)) as place:
                    _write(place, CURRENT, body, now.timestamp())

    def adopt(self) -> int:
        """What a process before us left, since it was killed, becomes a stretch like any other; how many there were."""
        with self._one_at_a_time:
            if not (self._root / FOLDER).is_dir():
                return 0
            return sum(self._adopt(file.folder) for file in list(self._files()) if file.name == CURRENT)

    def _adopt(self, folder: str) -> bool:
        with self._opened(folder, is_made=False) as place:
            stretch = left_behind(folder, _bytes_of(place, CURRENT))
            if stretch is not None:
                name = _fresh_name(place, f"{stretch.ended_at:%Y%m%dT%H%M%S%fZ}")
                os.rename(CURRENT, name, src_dir_fd=place, dst_dir_fd=place)
                _write(place, SUMMARY, _summary(_read(place), stretch, name), stretch.ended_at.timestamp())
            else:
                os.unlink(CURRENT, dir_fd=place)
        return stretch is not None

    def _keep(self, stretch: Stretch, now: float) -> None:
        body = _body(stretch)
        self._root.mkdir(parents=True, exist_ok=True)
        self._make_room(len(body) + SUMMARY_BYTES_MAX, now)
        with self._opened(safe_name(stretch.match_id)) as place:
            name = _fresh_name(place, f"{stretch.ended_at:%Y%m%dT%H%M%S%fZ}")
            _write(place, name, body, now)
            summary = _summary(_read(place), stretch, name)
            _write(place, SUMMARY, summary, now)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(CURRENT, dir_fd=place)
        size, files = self._held or (0, 0)
        self._held = (size + len(body) + len(summary), files + 2)

    # Room.

    def _make_room(self, size: int, now: float) -> None:
        """The folders are read at first, once a day, and when the quota is reached; in between it is counted."""
        held, files = self._held or (0, 0)
        is_full = held + size > self.quota_mb * MEGABYTE or files + 2 > FILES_MAX
        if self._held is None or is_full or now - self._looked_at > DAY_SECONDS:
            self._prune(size, now)

    def _prune(self, size: int, now: float) -> None:
        self._looked_at = now
        known = sorted(self._files())
        held, count = sum(file.size for file in known), len(known)
        # A little below, or it would be read anew for each file from then on.
        room = max(0, min(self.quota_mb * MEGABYTE * 9 // 10, self.quota_mb * MEGABYTE - size))
        is_full = held + size > self.quota_mb * MEGABYTE or count + 2 > FILES_MAX
        for file in known:
            is_old = now - file.written_at > self.days * DAY_SECONDS
            if not is_old and not (is_full and (held > room or count > FILES_MAX * 9 // 10)):
                break
            self._remove(file)
            held, count = held - file.size, count - 1
        self._held = (held, count)

    def _remove(self, file: _File) -> None:
        with self._opened(file.folder) as place, contextlib.suppress(FileNotFoundError):
            os.unlink(file.name, dir_fd=place)
        with contextlib.suppress(OSError), self._opened("") as place:
            os.rmdir(file.folder, dir_fd=place)

    def _files(self) -> Iterator[_File]:
        """Only what has our kind of name is ever counted or removed."""
        with self._opened("") as place:
            folders = [entry for entry in os.listdir(place) if safe_name(entry) == entry]  # noqa: PTH208 - by handle
        for folder in folders:
            with contextlib.suppress(OSError), self._opened(folder, is_made=False) as place:
                for name in os.listdir(place):  # noqa: PTH208 - by its handle, which pathlib cannot
                    if _OURS.fullmatch(name):
                        found = os.stat(name, dir_fd=place, follow_symlinks=False)
                        if not stat.S_ISDIR(found.st_mode):
                            yield _File(found.st_mtime, folder, name, found.st_size)

    @contextlib.contextmanager
    def _opened(self, folder: str, *, is_made: bool = True) -> Iterator[int]:
        """The folder itself, not what a link in its place points to; all else goes through this handle."""
        place = os.open(self._root, _FOLDER_FLAGS)
        try:
            for name in (FOLDER, folder):
                if name:
                    place = _entered(place, name, is_made=is_made or name == FOLDER)
            yield place
        finally:
            os.close(place)


def _entered(place: int, name: str, *, is_made: bool) -> int:
    """The handle of the folder inside; that of the outer one is closed, but for a failure."""
    if is_made:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=place)
    inner = os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=place)
    os.close(place)
    return inner


def _fresh_name(place: int, moment: str) -> str:
    taken = set(os.listdir(place))
    names = (f"{moment}{ending}.jsonl" for ending in ("", *(f"-{number}" for number in range(1, 10))))
    return next((name for name in names if name not in taken), f"{moment}.jsonl")


def _write(place: int, name: str, body: bytes, now: float) -> None:
    """Under another name first: half a file must never look like a whole one. A link in its place is replaced."""
    part = f"{name}.part"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part, dir_fd=place)
    try:
        with os.fdopen(os.open(part, _FILE_FLAGS, 0o600, dir_fd=place), "wb") as file:
            file.write(body)
            file.flush()
            os.utime(file.fileno(), (now, now))
        os.rename(part, name, src_dir_fd=place, dst_dir_fd=place)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part, dir_fd=place)
        raise


def _body(stretch: Stretch) -> bytes:
    return b"".join(line + b"\n" for line in stretch.encoded())


def _bytes_of(place: int, name: str) -> bytes:
    with os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place), "rb") as file:
        return file.read(SUMMARY_BYTES_MAX)


def _read(place: int) -> dict[str, Any]:
    """The summary so far. What cannot be read, is too large or is none begins anew."""
    try:
        found = orjson.loads(_bytes_of(place, SUMMARY))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _summary(before: dict[str, Any], stretch: Stretch, name: str) -> bytes:
    earlier = before.get("stretches")
    this = {
        "file": name,
        "reason": stretch.reason,
        "began_at": stretch.began_at,
        "ended_at": stretch.ended_at,
        "lines": len(stretch.lines),
        "dropped": stretch.dropped,
    }
    document = {
        "match_id": stretch.match_id.encode("utf-8", "replace").decode("utf-8"),
        "title": stretch.title or before.get("title", ""),
        "state": stretch.state or before.get("state", ""),
        "reason": stretch.reason,
        "first_at": before.get("first_at") or stretch.began_at,
        "last_at": stretch.ended_at,
        "events": _added(before.get("events"), stretch.events),
        "errors": _added(before.get("errors"), stretch.errors),
        "stretches": [*(earlier if isinstance(earlier, list) else []), this][-STRETCHES_TOLD:],
    }
    body = orjson.dumps(document, option=orjson.OPT_INDENT_2)
    return body if len(body) < SUMMARY_BYTES_MAX else orjson.dumps(document | {"stretches": [this]})


def _added(before: object, now: dict[str, int]) -> dict[str, int]:
    known = before if isinstance(before, dict) else {}
    counts = {str(kind): count for kind, count in known.items() if isinstance(count, int)}
    return counts | {kind: counts.get(kind, 0) + count for kind, count in now.items()}
