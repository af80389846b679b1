"""SQLite on a file system that fails when it is told to: apsw's VFS below, and above it what the store expects of a
connection."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import apsw

NAME = "faulty"
SYNC, WRITE, TRUNCATE, READ, OPEN = "sync", "write", "truncate", "read", "open"
_EIO = {
    SYNC: apsw.SQLITE_IOERR_FSYNC,
    WRITE: apsw.SQLITE_IOERR_WRITE,
    TRUNCATE: apsw.SQLITE_IOERR_TRUNCATE,
    READ: apsw.SQLITE_IOERR_READ,
    OPEN: apsw.SQLITE_CANTOPEN,
}
_FULL = {WRITE: apsw.SQLITE_FULL, SYNC: apsw.SQLITE_IOERR_FSYNC}


class Fault(Protocol):
    """Decides at each operation what goes wrong; None when nothing does."""

    def __call__(self, operation: str) -> int | None: ...


class Failing:
    """One operation fails, the nth; with `is_lasting` so do all that follow."""

    def __init__(self, nth: int, *, is_full: bool = False, is_lasting: bool = False) -> None:
        self._nth = nth
        self._codes = _FULL if is_full else _EIO
        self._is_lasting = is_lasting
        self.seen: list[str] = []
        self.failed: list[int] = []

    def __call__(self, operation: str) -> int | None:
        if operation not in self._codes:
            return None
        self.seen.append(operation)
        is_due = len(self.seen) == self._nth or (self._is_lasting and len(self.seen) > self._nth)
        if is_due:
            self.failed.append(len(self.seen) - 1)
        return self._codes[operation] if is_due else None

    @property
    def after_a_failed_sync(self) -> list[str]:
        """What was done to the disk then, which must be nothing."""
        syncs = [place for place in self.failed if self.seen[place] == SYNC]
        return [] if not syncs else [each for each in self.seen[syncs[0] + 1 :] if each in (SYNC, WRITE, TRUNCATE)]


class _File(apsw.VFSFile):
    def __init__(self, fault: Fault, name: Any, flags: Any) -> None:
        self._fault = fault
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        _raise(self._fault(WRITE))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        _raise(self._fault(SYNC))
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802 - SQLite's name
        _raise(self._fault(TRUNCATE))
        super().xTruncate(size)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's name
        _raise(self._fault(READ))
        return super().xRead(amount, offset)


class _FileSystem(apsw.VFS):
    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        super().__init__(NAME, "")

    def xOpen(self, name: Any, flags: Any) -> _File:  # noqa: N802 - SQLite's name
        _raise(self._fault(OPEN))
        return _File(self._fault, name, flags)


def _raise(code: int | None) -> None:
    if code is not None:
        raise apsw.exception_for(code)


class _Rows:
    def __init__(self, rows: Sequence[Any], rowcount: int = -1) -> None:
        self._rows = list(rows)
        self.rowcount = rowcount

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def fetchall(self) -> list[Any]:
        return self._rows

    def fetchone(self) -> Any:
        return self._rows[0] if self._rows else None


class ApswConnection:
    """As much of `sqlite3.Connection` as the writing session uses. Without shared memory, so for one process alone."""

    def __init__(self, path: Path) -> None:
        self._connection = _told(lambda: apsw.Connection(str(path), vfs=NAME))
        # Nobody else can watch the file, so that a close would check in what it holds.
        self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=FULL", "wal_autocheckpoint=0"):
            self.execute(f"PRAGMA {pragma}")

    @property
    def in_transaction(self) -> bool:
        return bool(self._connection.in_transaction)

    def execute(self, text: str, arguments: Any = ()) -> _Rows:
        return _Rows(_told(lambda: self._connection.execute(text, arguments).fetchall()))

    def executemany(self, text: str, rows: Sequence[Any]) -> _Rows:
        before = self._connection.total_changes()
        _told(lambda: self._connection.executemany(text, rows).fetchall())
        return _Rows((), self._connection.total_changes() - before)

    def close(self) -> None:
        self._connection.close(True)


def _told(work: Callable[[], Any]) -> Any:
    """apsw's errors as the standard library tells them."""
    try:
        return work()
    except apsw.Error as error:
        told = sqlite3.OperationalError(str(error))
        told.sqlite_errorcode = getattr(error, "extendedresult", apsw.SQLITE_ERROR)
        raise told from error


@contextmanager
def failing_with(fault: Fault) -> Iterator[Callable[..., Any]]:
    """How a session connects to a file on it."""
    files = _FileSystem(fault)
    try:
        yield lambda path, _: ApswConnection(path)
    finally:
        files.unregister()
