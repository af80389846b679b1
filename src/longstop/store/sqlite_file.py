"""One SQLite file: how it is opened, who may write to it, and what its errors mean."""

import fcntl
import os
import shutil
import sqlite3
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

from longstop.domain.errors import DatabaseSyncError, RecordRefusedError, StoreError, StoreUnavailableError

# Primary result codes after which waiting, or a repair outside of us, may help.
_HEALING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_INTERRUPT,
    }
)
# Of these it is known neither what came to the disk nor whether the kernel will ever try again.
_SYNC_FAILED = frozenset({sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_REFUSED = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH})
_CONTENT = frozenset({sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG})
_PRIVATE = 0o600
_SCHEMA_HINT = "If the schema is not the current one, run `longstop db upgrade`."

_MEMORY_PRAGMAS = ("mmap_size=0",)
_READER_PRAGMAS = ("query_only=ON", "mmap_size=0")
# WAL with FULL: what was committed survives the loss of power. Checkpoints are the writer's own doing.
_WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "wal_autocheckpoint=0",
    "journal_size_limit=1048576",
    "mmap_size=0",
)


def connect_writer(path: Path | None, busy_seconds: float) -> sqlite3.Connection:
    """`None` is a database in memory. A file is made by us, since SQLite would let others read it."""
    if path is not None:
        with suppress(OSError):  # SQLite then finds no file, and says so
            _make_private(path)
    target = ":memory:" if path is None else _uri(path, "rw")
    return _connect(target, busy_seconds, _MEMORY_PRAGMAS if path is None else _WRITER_PRAGMAS)


def connect_reader(path: Path, busy_seconds: float) -> sqlite3.Connection:
    return _connect(_uri(path, "ro"), busy_seconds, _READER_PRAGMAS)


# Whoever watches the file, then who wrote to it: they go in the other order.
_LEFT_OPEN: list[sqlite3.Connection] = []


def leave_open(writer: sqlite3.Connection, path: Path) -> None:
    """Nobody closes it: that could try the sync again that has failed. The process is about to end."""
    reader = _watching(path)
    _LEFT_OPEN.extend([writer] if reader is None else [reader, writer])


def close_quietly(writer: sqlite3.Connection, path: Path) -> None:
    """Who closes a file last empties its WAL, and tells nobody when a sync of that fails. So somebody else is last."""
    reader = _watching(path)
    writer.close()
    if reader is not None:
        reader.close()


def _watching(path: Path) -> sqlite3.Connection | None:
    """A reader holds the file as long as it is open; None where it cannot be read any more."""
    try:
        reader = connect_reader(path, 0.0)
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        return None
    return reader


def rewrite_wal(path: Path) -> None:
    """What the WAL holds may be in the kernel's memory only, on pages that it thinks clean after a sync that failed. So
    it is written once more in place, and synced, before anything is believed of it or goes on top of it."""
    try:
        with _wal_of(path).open("r+b", buffering=0) as wal:
            content = wal.read()
            wal.seek(0)
            wal.write(content)
            os.fsync(wal.fileno())
    except FileNotFoundError:
        return
    except PermissionError as error:
        # Nobody who may not write it can have left anything in it unsynced.
        said = f"The database {path} may not be written: {error.strerror}."
        raise StoreError(said, hint="Check the rights of the file, and of those beside it.") from error
    except OSError as error:
        raise DatabaseSyncError(f"The WAL of the database {path} could not be written again: {error}.") from error


def _wal_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _make_private(path: Path) -> None:
    """What there is already is not touched: to open and close it would drop SQLite's own locks. WAL and the like get
    the rights of the database."""
    if not path.exists():
        os.close(open_private(path, os.O_RDWR))


def open_private(path: Path, flags: int) -> int:
    """For its owner alone if it is made now, whatever the umask; with its own rights if it was there."""
    flags |= os.O_CREAT | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags | os.O_EXCL, _PRIVATE)
    except FileExistsError:
        return os.open(path, flags, _PRIVATE)
    os.fchmod(descriptor, _PRIVATE)
    return descriptor


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(str(path.absolute()))}?mode={mode}"


def _connect(target: str, busy_seconds: float, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    """Transactions begin and end where we say so. Threads hand a connection over, never share it."""
    connection = sqlite3.connect(
        target,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        uri=target.startswith("file:"),
    )
    with ExitStack() as undo:
        undo.callback(connection.close)
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").fetchone()
        undo.pop_all()
    return connection


def primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def is_waiting_worthwhile(error: sqlite3.Error) -> bool:
    return primary_code(error) in _HEALING and not is_sync_failed(error)


def is_sync_failed(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) in _SYNC_FAILED


def store_error(error: sqlite3.Error, path: Path | None) -> StoreError:
    """What SQLite's error means to us."""
    name, code = path or "in memory", primary_code(error)
    if is_sync_failed(error):
        return DatabaseSyncError(f"The database {name} could not be synced: {error}.")
    if code in _HEALING:
        hint = "Free some disk space." if code == sqlite3.SQLITE_FULL else None
        return StoreUnavailableError(f"The database {name} cannot be used now: {error}.", hint=hint)
    if code in _DAMAGED:
        return StoreError(
            f"The database {name} is damaged or is none: {error}.",
            hint="Put it aside and restore a backup, or name another file.",
        )
    if code in _REFUSED:
        return StoreError(f"The database {name} may not be written: {error}.", hint="Check the rights of the file.")
    if code in _CONTENT:
        return RecordRefusedError(f"A value cannot be kept: {error}.", hint="Nothing of the batch was written.")
    return StoreError(f"The database {name} refused: {error}.", hint=_SCHEMA_HINT)


class FileLock:
    """Keeps a second Longstop from writing to the file. The kernel drops it with the process, however that ends."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._path = database.with_name(database.name + ".lock")
        self._descriptor: int | None = None

    def acquire(self) -> None:
        try:
            descriptor = open_private(self._path, os.O_RDWR)
        except OSError as error:
            raise StoreError(
                f"The database {self._database} may not be written: {error.strerror}.",
                hint="Choose a path in a directory this user may write to.",
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            os.close(descriptor)
            raise StoreError(
                f"The database {self._database} is in use by another Longstop (pid {holder}).",
                hint="Stop that one first, or give this one its own database.",
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """The file stays: to remove it would let two processes each hold a lock of that name."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def make_parent(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a directory.", hint="Name a file, as in sqlite:///var/longstop.db.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(
            f"The directory {path.parent} cannot be made: {error.strerror}.",
            hint="Choose a path in a directory this user may write to.",
        ) from error


def remove_unused(folder: Path) -> None:
    """Deletes the databases in a folder that no living Longstop holds open, and what waited for them."""
    for database in folder.glob("*.db"):
        lock = FileLock(database)
        try:
            lock.acquire()
        except StoreError:
            continue
        for ending in ("", "-wal", "-shm", ".lock"):
            database.with_name(database.name + ending).unlink(missing_ok=True)
        shutil.rmtree(database.with_suffix(".spool"), ignore_errors=True)
        lock.release()
