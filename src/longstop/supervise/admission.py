"""Lets a scraper begin only while there is memory for it.

A start that is refused waits in a bounded queue, one place a match, and is tried again after a minute. Meanwhile room
is made: idle scrapers and orphans go, and who has how much of the memory is written down.
"""

from collections.abc import Awaitable, Callable

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import InsufficientMemoryError, LongstopError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.memory import MB
from longstop.supervise.machine import Machine
from longstop.supervise.service import Stop

ROUND_SECONDS = 1.0
WAITING_MAX = 5_000
READING_SECONDS = 1.0
TOLD_EVERY_SECONDS = 60.0
# What a start takes until it can be seen in the figures of the machine; by then it is counted there.
START_BYTES = 1 * MB
SETTLED_SECONDS = 15.0

Again = Callable[[], Awaitable[None]]
Relief = Callable[[int], Awaitable[None]]


class AdmissionLimits(msgspec.Struct, frozen=True):
    available_bytes_min: int = 500 * MB
    retry_seconds: float = 60.0


class _Waiting(msgspec.Struct):
    """A start that was refused. While it is being tried, it is due never."""

    again: Again
    since: float
    due: float
    attempt: int = 0


class Admission:
    """`relief` makes room; it is asked at most once in the time between two attempts."""

    name = "admission"

    def __init__(
        self,
        machine: Machine,
        relief: Relief,
        limits: Callable[[], AdmissionLimits],
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._machine = machine
        self._relief = relief
        self._limits = limits
        self._clock = clock
        self._bus = bus
        self._waiting: dict[str, _Waiting] = {}
        self._admitted: dict[str, float] = {}
        self._read: tuple[float, int | None] = (float("-inf"), None)
        self._blind_told_at = float("-inf")
        self._relieved_at = float("-inf")
        self._is_short = False

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(self._waiting)

    async def admit(self, match_id: str, again: Again) -> None:
        """Returns when the scraper may begin. Raises InsufficientMemoryError when not; then `again` is called later.

        Who asks once more while he waits is answered the same, and stays in his place.
        """
        available = self._available()
        if available is None or available - self._promised() >= self._limits().available_bytes_min:
            self._waiting.pop(match_id, None)
            self._admitted[match_id] = self._clock.monotonic()
            return
        self._is_short = True
        raise self._refused(match_id, again, available)

    def forget(self, match_id: str) -> None:
        """Nobody wants it started any more."""
        self._waiting.pop(match_id, None)

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(ROUND_SECONDS):
            if self._is_short:
                await self._make_room()
            await self._retry_due()

    # Figures.

    def _available(self) -> int | None:
        """Read at most once a second: a thousand starts in one moment are one question. Not known is told, and is no
        ground for refusal."""
        now = self._clock.monotonic()
        if now - self._read[0] >= READING_SECONDS:
            self._read = (now, self._machine.available_bytes())
        available = self._read[1]
        if available is None and now - self._blind_told_at >= TOLD_EVERY_SECONDS:
            self._blind_told_at = now
            self._bus.emit(
                signals.ReadingFailed(
                    at=self._clock.now(),
                    reading="available memory",
                    reason="The kernel gives no figure; scrapers are started without looking.",
                )
            )
        return available

    def _promised(self) -> int:
        horizon = self._clock.monotonic() - SETTLED_SECONDS
        self._admitted = {match_id: at for match_id, at in self._admitted.items() if at >= horizon}
        return START_BYTES * len(self._admitted)

    # Those who wait.

    def _refused(self, match_id: str, again: Again, available: int) -> InsufficientMemoryError:
        now, limits = self._clock.monotonic(), self._limits()
        entry = self._waiting.get(match_id)
        if entry is not None and entry.due != float("inf"):
            entry.again = again
            return _error(available, limits, entry.due - now)
        if entry is None and len(self._waiting) >= WAITING_MAX:
            self._tell_refused(match_id, available, None)
            return _error(available, limits, None)
        if entry is None:
            entry = self._waiting[match_id] = _Waiting(again, now, now)
        entry.again, entry.due = again, now + limits.retry_seconds
        self._tell_refused(match_id, available, limits.retry_seconds)
        return _error(available, limits, limits.retry_seconds)

    async def _retry_due(self) -> None:
        now = self._clock.monotonic()
        for match_id, entry in tuple(self._waiting.items()):
            if entry.due <= now:
                await self._retry(match_id, entry)

    async def _retry(self, match_id: str, entry: _Waiting) -> None:
        entry.due = float("inf")
        entry.attempt += 1
        waited = self._clock.monotonic() - entry.since
        self._bus.emit(
            signals.StartRetried(at=self._clock.now(), match_id=match_id, attempt=entry.attempt, waited_seconds=waited)
        )
        try:
            await entry.again()
        except InsufficientMemoryError:
            return  # it waits again
        except LongstopError as error:
            self._tell_failed(match_id, error)
        if entry.due == float("inf"):
            self._waiting.pop(match_id, None)

    # Room.

    async def _make_room(self) -> None:
        self._is_short = False
        now = self._clock.monotonic()
        if now - self._relieved_at < self._limits().retry_seconds:
            return
        self._relieved_at = now
        await self._relief(self._read[1] or 0)
        self._read = (float("-inf"), None)

    # Words.

    def _tell_refused(self, match_id: str, available: int, retry_seconds: float | None) -> None:
        self._bus.emit(
            signals.StartRefused(
                at=self._clock.now(),
                match_id=match_id,
                available_bytes=available,
                needed_bytes=self._limits().available_bytes_min,
                retry_seconds=retry_seconds,
            )
        )

    def _tell_failed(self, match_id: str, error: LongstopError) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                match_id=match_id,
                operation=self.name,
            )
        )


def _error(available: int, limits: AdmissionLimits, retry_seconds: float | None) -> InsufficientMemoryError:
    least = limits.available_bytes_min // MB
    said = f"Insufficient memory resources: {available // MB} MB are available, a start needs {least} MB."
    if retry_seconds is None:
        return InsufficientMemoryError(f"{said} Too many starts wait already; this one does not.")
    return InsufficientMemoryError(
        f"{said} It is tried again in {max(0.0, retry_seconds):.0f} s.", retry_after_seconds=max(0.0, retry_seconds)
    )
