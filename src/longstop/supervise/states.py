"""Saves what scrapers know, at intervals and at the end, so that their successors can go on from it (B8)."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from longstop.clock import Clock
from longstop.domain.errors import StoreError
from longstop.domain.scraper_state import ScraperState
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.contract import Store, WriteBatch
from longstop.supervise.assignment import Assignment
from longstop.supervise.options import Options
from longstop.supervise.service import Stop

BATCH_ROWS = 200


class StateKeeping:
    """Only what has moved since it was saved last is written."""

    name = "state keeping"

    def __init__(
        self,
        store: Store,
        assignments: Callable[[], Iterable[Assignment]],
        options: Options,
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._store = store
        self._assignments = assignments
        self._options = options
        self._clock = clock
        self._bus = bus
        self._saved: dict[str, tuple[object, ...]] = {}

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(self._options().state_seconds):
            await self.save("interval")

    async def save(self, reason: str) -> None:
        assignments = tuple(self._assignments())
        await self.save_of(assignments, reason)
        known = {each.key for each in assignments}
        self._saved = {key: mark for key, mark in self._saved.items() if key in known}

    async def save_of(self, assignments: Iterable[Assignment], reason: str) -> None:
        moved = [each for each in assignments if self._saved.get(each.key) != _mark(each)]
        for some in _batches(moved):
            marks = {each.key: _mark(each) for each in some}
            if not await self._write(tuple(each.snapshot(reason) for each in some)):
                break
            self._saved |= marks

    async def _write(self, states: tuple[ScraperState, ...]) -> bool:
        try:
            await self._store.save(WriteBatch(states=states))
        except StoreError as error:
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
            return False
        return True


def _mark(assignment: Assignment) -> tuple[object, ...]:
    scraper = assignment.scraper
    return (scraper.watch.scraper_id, scraper.watch.sequence, scraper.pace, assignment.rests_until)


def _batches(rows: Sequence[Assignment]) -> Iterator[Sequence[Assignment]]:
    return (rows[at : at + BATCH_ROWS] for at in range(0, len(rows), BATCH_ROWS))
