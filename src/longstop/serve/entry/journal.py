"""Who asked for what: noted in memory when the answer is out, written in batches to the table and to a file of lines.

Reading never waits for it and never fails with it. What cannot be written waits, within bounds; that it waits, and what
had to be dropped, is told at once and until it is over.
"""

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from secrets import randbits
from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.access import AccessEntry
from longstop.domain.errors import StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.visit import Visit
from longstop.store.entry.access import AccessStore
from longstop.supervise.service import Stop

FLUSH_SECONDS: Final = 1.0
PRUNE_SECONDS: Final = 3_600.0
BATCH_MAX: Final = 2_000
WAITING_MAX: Final = 20_000
_RETELL_SECONDS: Final = 60.0
_FILE_BYTES_MAX: Final = 64 * 1024 * 1024
_PRIVATE: Final = 0o600

# Number, who and where, method, status, when it began and ended by the monotonic clock, age of the data.
Noted = tuple[int, Visit, str, int, float, float, float | None]


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long and how much; asked for each time, since settings change."""

    days: int = 90
    rows_max: int = 5_000_000


_LINES: Final = msgspec.json.Encoder()


class AccessLines:
    """The same as JSON lines: `access.log`, and the one before it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, entries: list[AccessEntry]) -> None:
        """Raises an OSError."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
        with os.fdopen(descriptor, "ab") as file:
            file.write(_LINES.encode_lines(entries))
            is_full = file.tell() > _FILE_BYTES_MAX
        if is_full:
            self._path.replace(self._path.with_name(self._path.name + ".1"))


class AccessJournal:
    """The service; `note` is called at each answer."""

    name = "access log"

    def __init__(
        self,
        store: AccessStore,
        lines: AccessLines,
        clock: Clock,
        bus: Signals,
        keeping: Callable[[], Keeping] = Keeping,
    ) -> None:
        self._store = store
        self._lines = lines
        self._clock = clock
        self._bus = bus
        self._keeping = keeping
        self._waiting: deque[Noted] = deque()
        self._count = randbits(31) << 32
        self._dropped = 0
        self._written = 0
        self._told_at: float | None = None
        self._prune_at = 0.0

    def note(self, visit: Visit, method: str, status: int, began: float, age_seconds: float | None) -> None:
        """A microsecond, and nothing that could fail: what can be made of it is made later."""
        if len(self._waiting) >= WAITING_MAX:
            self._waiting.popleft()
            self._dropped += 1
        self._count += 1
        self._waiting.append((self._count, visit, method, status, began, self._clock.monotonic(), age_seconds))

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def run(self, stop: Stop) -> None:
        """What waits at the end is written before it ends, if it can be."""
        while not await stop.pause(FLUSH_SECONDS):
            await self.flush()
            await self._prune()
        await self.flush()

    async def flush(self) -> None:
        while self._waiting:
            batch = self._next()
            try:
                await self._store.write(batch)
            except StoreError as error:
                self._tell_lost(error.message, error.hint)
                return
            self._take_off(batch[-1].entry_id)
            self._written += len(batch)
            self._write_lines(batch)
        if self._told_at is not None:
            self._tell_recovered()

    def _next(self) -> list[AccessEntry]:
        """Moments are told from durations: all notes were made since the process began."""
        now, here = self._clock.now(), self._clock.monotonic()
        return [_entry(note, now - timedelta(seconds=here - note[5])) for note in islice(self._waiting, BATCH_MAX)]

    def _take_off(self, last: int) -> None:
        """While it was written the oldest may have been dropped, and counted, to make room."""
        while self._waiting and self._waiting[0][0] <= last:
            self._waiting.popleft()

    def _write_lines(self, batch: list[AccessEntry]) -> None:
        """The table is the record; the lines are for those who collect logs."""
        try:
            self._lines.write(batch)
        except OSError as error:
            self._tell_lost(f"Its file cannot be written: {error.strerror}.", "Look at the disk.")

    async def _prune(self) -> None:
        if self._clock.monotonic() < self._prune_at:
            return
        self._prune_at = self._clock.monotonic() + PRUNE_SECONDS
        keeping, now = self._keeping(), self._clock.now()
        try:
            await self._store.prune((now - timedelta(days=keeping.days)).date(), now, keeping.rows_max)
        except StoreError as error:
            self._tell_lost(error.message, error.hint)

    def _tell_lost(self, reason: str, hint: str) -> None:
        """At once, and then once a minute as long as it lasts."""
        now = self._clock.monotonic()
        if self._told_at is not None and now - self._told_at < _RETELL_SECONDS:
            return
        self._told_at = now
        self._bus.emit(
            signals.AccessLogLost(
                at=self._clock.now(), reason=reason, waiting=self.waiting, dropped=self._dropped, hint=hint
            )
        )

    def _tell_recovered(self) -> None:
        self._told_at = None
        self._bus.emit(signals.AccessLogRecovered(at=self._clock.now(), written=self._written, dropped=self._dropped))
        self._dropped = self._written = 0


def _entry(noted: Noted, at: datetime) -> AccessEntry:
    number, visit, method, status, began, ended, age_seconds = noted
    caller = visit.caller
    return AccessEntry(
        number,
        at,
        visit.consumer,
        caller.key_id if caller is not None else "",
        method,
        visit.endpoint or "none",
        status,
        round((ended - began) * 1000, 3),
        visit.request_id,
        age_seconds,
    )
