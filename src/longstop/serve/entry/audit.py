"""What operators asked for under /admin: who, when, what, of whom, and what came of it; also what was refused.

Each use is a signal. It is noted in memory and written to its table; the answer to a verb waits a moment for that, and
no longer: a verb is done whether or not it can be written down. What cannot be written waits, within bounds; that is
told at once and until it is over.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from secrets import randbelow
from typing import Any, Final

from longstop.clock import Clock
from longstop.domain.access import VerbEntry
from longstop.domain.errors import StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.visit import Visit
from longstop.store.entry.access import AccessStore
from longstop.supervise.service import Stop

FLUSH_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 1.0
PRUNE_SECONDS: Final = 3_600.0
BATCH_MAX: Final = 200
WAITING_MAX: Final = 10_000
REFUSED_MAX: Final = 100_000
INSTANCE: Final = "instance"
_RETELL_SECONDS: Final = 60.0
_TEXT_MAX: Final = 500
_REFUSED_FROM: Final = 400
_PLACES: Final = 1_000
_VERBS: Final = {"matches": "start", "tokens/revoke": "revoke token"}
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class AdminAudit:
    """The service. `days` is asked for each time, since settings change."""

    name = "admin audit"

    def __init__(self, store: AccessStore, clock: Clock, bus: Signals, days: Callable[[], int]) -> None:
        self._store = store
        self._clock = clock
        self._bus = bus
        self._days = days
        self._waiting: deque[VerbEntry] = deque()
        self._last = 0
        self._dropped = 0
        self._written = 0
        self._told_at: float | None = None
        self._prune_at = 0.0
        self._one_at_a_time = asyncio.Lock()
        self._flushes: set[asyncio.Task[None]] = set()
        bus.subscribe(signals.AdminVerbUsed, self._note)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def answered(self, visit: Visit, method: str, status: int) -> None:
        """A verb that was turned away before anybody told of it: its body cannot be read, or it came too often."""
        if visit.is_told or method in _SAFE or status < _REFUSED_FROM or not visit.endpoint.startswith("/admin/"):
            return
        self._bus.emit(
            signals.AdminVerbUsed(
                at=self._clock.now(),
                verb=verb_of(visit.endpoint),
                subject=subject_of(visit.parameters),
                outcome="refused",
                detail=f"answered with {status}",
                request_id=visit.request_id,
                consumer=visit.consumer,
                key_id=visit.key_id,
            )
        )

    async def run(self, stop: Stop) -> None:
        """What waits at the end is written before it ends, if it can be."""
        while not await stop.pause(FLUSH_SECONDS):
            await self.flush()
            await self._prune()
        await self.flush()

    async def written(self) -> None:
        """Waits until all is written, but not for long. Never fails."""
        task = asyncio.create_task(self.flush(), name="admin audit: write")
        self._flushes.add(task)
        task.add_done_callback(self._flushes.discard)
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS)

    async def flush(self) -> None:
        async with self._one_at_a_time:
            while self._waiting:
                batch = list(islice(self._waiting, BATCH_MAX))
                try:
                    await self._store.write_verbs(batch)
                except StoreError as error:
                    self._tell_lost(error)
                    return
                self._take_off(batch[-1].entry_id)
                self._written += len(batch)
            if self._told_at is not None:
                self._tell_recovered()

    def _note(self, used: signals.AdminVerbUsed) -> None:
        if len(self._waiting) >= WAITING_MAX:
            self._waiting.popleft()
            self._dropped += 1
        self._waiting.append(_entry(used, self._number(used.at)))

    def _number(self, at: datetime) -> int:
        """Rises with time in each process, and no two processes make the same one."""
        micros = int(at.timestamp() * 1_000_000)
        self._last = max(self._last + 1, micros * _PLACES + randbelow(_PLACES))
        return self._last

    def _take_off(self, last: int) -> None:
        """While it was written the oldest may have been dropped, and counted, to make room."""
        while self._waiting and self._waiting[0].entry_id <= last:
            self._waiting.popleft()

    async def _prune(self) -> None:
        if self._clock.monotonic() < self._prune_at:
            return
        self._prune_at = self._clock.monotonic() + PRUNE_SECONDS
        try:
            await self._store.prune_verbs((self._clock.now() - timedelta(days=self._days())).date(), REFUSED_MAX)
        except StoreError as error:
            self._tell_lost(error)

    def _tell_lost(self, error: StoreError) -> None:
        """At once, and then once a minute as long as it lasts."""
        now = self._clock.monotonic()
        if self._told_at is not None and now - self._told_at < _RETELL_SECONDS:
            return
        self._told_at = now
        lost = signals.AdminAuditLost(
            at=self._clock.now(), reason=error.message, waiting=self.waiting, dropped=self._dropped, hint=error.hint
        )
        self._bus.emit(lost)

    def _tell_recovered(self) -> None:
        self._told_at = None
        written, dropped = self._written, self._dropped
        self._bus.emit(signals.AdminAuditRecovered(at=self._clock.now(), written=written, dropped=dropped))
        self._dropped = self._written = 0


def verb_of(endpoint: str) -> str:
    """As whoever carries it out calls it."""
    path = endpoint.removeprefix("/admin/")
    what, _, verb = path.rpartition("/")
    if what.startswith("sources/"):
        return f"{verb} source"
    return _VERBS.get(path, verb if what.startswith("matches/") else path)


def subject_of(parameters: Mapping[str, Any]) -> str:
    return next((str(parameters[name]) for name in ("match_id", "source") if name in parameters), "")


def _entry(used: signals.AdminVerbUsed, number: int) -> VerbEntry:
    return VerbEntry(
        number,
        used.at,
        used.consumer,
        used.key_id,
        _tidy(used.verb),
        _tidy(used.subject or used.match_id or INSTANCE),
        _tidy(used.reason),
        used.outcome,
        _tidy(used.detail),
        used.request_id,
    )


def _tidy(text: str) -> str:
    """Callers write some of it: one line, of bounded length, that every database takes."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text[:_TEXT_MAX])
