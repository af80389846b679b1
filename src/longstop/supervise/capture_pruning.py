"""Holds the raw captures to their bounds: by size, and by age where the match is over."""

from datetime import timedelta

from longstop.clock import Clock
from longstop.domain.errors import StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.contract import Store
from longstop.supervise.options import Options
from longstop.supervise.service import Stop

LOOK_SECONDS = 300.0


class CapturePruning:
    name = "capture pruning"

    def __init__(self, store: Store, options: Options, clock: Clock, bus: Signals) -> None:
        self._store = store
        self._options = options
        self._clock = clock
        self._bus = bus

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(LOOK_SECONDS):
            await self._prune()

    async def _prune(self) -> None:
        options, began = self._options(), self._clock.monotonic()
        until = self._clock.now() - timedelta(seconds=options.captures_seconds)
        try:
            removed = await self._store.prune_captures(options.captures_bytes, until)
        except StoreError as error:
            self._tell(error)
            return
        if removed:
            took = self._clock.monotonic() - began
            self._bus.emit(signals.CapturesPruned(at=self._clock.now(), captures=removed, duration_seconds=took))

    def _tell(self, error: StoreError) -> None:
        """The next round tries again; what is too much meanwhile does no harm."""
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation=self.name,
            )
        )
