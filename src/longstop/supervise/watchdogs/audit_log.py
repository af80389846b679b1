"""Where entries of the audit last: the store, and `audit.log`, one JSON object a line with the names that S2 gives.

The file is bounded. When it is full it becomes `audit.log.1`, that one `audit.log.2`, and so on; the oldest goes.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from longstop.domain.recovery import RecoveryAuditEntry
from longstop.store.contract import Store, WriteBatch

FILES = 4
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class AuditLog:
    """`bytes_max` is for all files together. Inline is for virtual time, where threads take no part."""

    name = "audit.log"

    def __init__(self, folder: Path, bytes_max: int, *, is_inline: bool = False) -> None:
        self._path = folder / self.name
        self._bytes_max_each = max(1, bytes_max // FILES)
        self._is_inline = is_inline

    async def keep(self, entries: Sequence[RecoveryAuditEntry]) -> None:
        lines = b"".join(msgspec.json.encode(_line(entry)) + b"\n" for entry in entries)
        if self._is_inline:
            self.append(lines)
        else:
            await asyncio.to_thread(self.append, lines)

    def append(self, lines: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._size() + len(lines) > self._bytes_max_each:
            self._turn_over()
        file = os.open(self._path, _FLAGS, 0o600)
        try:
            os.write(file, lines)
            os.fsync(file)
        finally:
            os.close(file)

    def _size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def _turn_over(self) -> None:
        for number in range(FILES - 1, 0, -1):
            older = self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self.name}.{number}") if number else self._path


class StoredAudit:
    """The same entries in the database, where the API reads them. An entry that is kept again replaces itself."""

    name = "store"

    def __init__(self, store: Store) -> None:
        self._store = store

    async def keep(self, entries: Sequence[RecoveryAuditEntry]) -> None:
        """Of several states of one entry the last counts; a batch names each once."""
        latest = {entry.entry_id: entry for entry in entries}
        await self._store.save(WriteBatch(audits=tuple(latest.values())))


def _line(entry: RecoveryAuditEntry) -> dict[str, object]:
    """Beyond S2 it says to whom it was done, and when that was judged."""
    return {
        "entry_id": entry.entry_id,
        "timestamp": entry.at.timestamp(),
        "action_type": entry.action.value,
        "trigger_condition": entry.trigger,
        "outcome": entry.outcome.value if entry.outcome else None,
        "duration_seconds": entry.duration_seconds,
        "metadata": entry.metadata,
        "subject": entry.subject,
        "judged_at": entry.judged_at.timestamp() if entry.judged_at else None,
    }
