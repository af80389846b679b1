"""This run of Longstop as an owner of browsers: its folder, its mark, and the proof that it lives.

    <root>/<instance>/owner.json      who we are; locked as long as we live
    <root>/<instance>/<unit>/         everything one browser and its driver write
    <root>/<instance>/<unit>/unit.json    which processes they are

The lock tells life from death across containers that share a disk but not their process numbers; process number and
start time tell it where a disk knows no locks.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
from pathlib import Path

import msgspec

from longstop.fetch.browser.processes import Identity, is_alive, read_process

OWNER_FILE = "owner.json"
UNIT_FILE = "unit.json"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PID_NAMESPACE = Path("/proc/self/ns/pid")


class Owner(msgspec.Struct, frozen=True):
    pid: int
    start_ticks: int
    boot_id: str
    pid_namespace: str

    @classmethod
    def ourselves(cls) -> "Owner":
        own = read_process(os.getpid())
        start_ticks = 0 if own is None else own.start_ticks
        return cls(os.getpid(), start_ticks, _BOOT_ID.read_text().strip(), str(_PID_NAMESPACE.readlink()))

    def is_running(self, ourselves: "Owner") -> bool:
        """By number and start time; only where its numbers mean what ours mean."""
        is_comparable = (self.boot_id, self.pid_namespace) == (ourselves.boot_id, ourselves.pid_namespace)
        return is_comparable and is_alive(Identity(self.pid, self.start_ticks))


class UnitRecord(msgspec.Struct, frozen=True):
    """Which processes a unit is, so that they can be found when the marked ones among them are dead."""

    mark: str
    browser: Identity
    driver: Identity
    executable: str

    def write(self, folder: Path) -> None:
        (folder / UNIT_FILE).write_bytes(msgspec.json.encode(self))


class Instance:
    """Made when the pool starts, released when nothing of it is left."""

    def __init__(self, root: Path, name: str | None = None) -> None:
        # Short, because Chromium puts sockets below it.
        self.name = name or secrets.token_hex(3)
        self.root = root.expanduser().resolve()
        self.folder = self.root / self.name
        self._lock: int | None = None

    def claim(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / OWNER_FILE
        draft = path.with_suffix(".draft")
        draft.write_bytes(msgspec.json.encode(Owner.ourselves()))
        lock = os.open(draft, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Locked before it can be seen, so that nobody finds a living owner unlocked.
        draft.replace(path)
        self._lock = lock

    def release(self) -> None:
        """Removes the folder when no unit has left anything in it."""
        if self._lock is None:
            return
        if not self.leftovers():
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)
        self._lock = None

    def mark(self, unit: str) -> str:
        return f"{self.name}:{unit}"

    def unit_folder(self, unit: str) -> Path:
        return self.folder / unit

    def leftovers(self) -> list[Path]:
        return [path for path in self.folder.glob("*") if path.is_dir()]


def read_owner(folder: Path) -> Owner | None:
    """None when nothing there says whose it is."""
    try:
        return msgspec.json.decode((folder / OWNER_FILE).read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError):
        return None


def unit_records(folder: Path) -> list[UnitRecord]:
    found = []
    for path in folder.glob(f"*/{UNIT_FILE}"):
        with contextlib.suppress(OSError, msgspec.DecodeError):
            found.append(msgspec.json.decode(path.read_bytes(), type=UnitRecord))
    return found


def is_dead(folder: Path, ourselves: Owner) -> bool:
    """Only a folder with an owner that holds no lock and runs no more; what says nothing is left alone."""
    owner = read_owner(folder)
    return owner is not None and not owner.is_running(ourselves) and not _is_locked(folder / OWNER_FILE)


def _is_locked(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
