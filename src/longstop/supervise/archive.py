"""Puts matches away that have been over for a day: no longer polled, no longer shown as fresh or stale."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime

import msgspec

from longstop.clock import Clock, age_seconds
from longstop.domain.errors import StoreError
from longstop.domain.lifecycle import MatchState
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.contract import Store, WriteBatch
from longstop.supervise.assignment import Assignment
from longstop.supervise.options import Options
from longstop.supervise.service import Stop

LOOK_SECONDS = 60.0
# Those that nobody watches any more: their page has gone, or they grew old while we were away.
ROWS_EVERY_SECONDS = 3600.0
ROWS_MAX = 1000


class Archive:
    name = "archive"

    def __init__(
        self,
        store: Store,
        assignments: Callable[[], Iterable[Assignment]],
        retire: Callable[[Assignment], Awaitable[None]],
        options: Options,
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._store = store
        self._assignments = assignments
        self._retire = retire
        self._options = options
        self._clock = clock
        self._bus = bus

    async def run(self, stop: Stop) -> None:
        due = self._clock.monotonic()
        while True:
            if self._clock.monotonic() >= due:
                await self._put_away_rows()
                due = self._clock.monotonic() + ROWS_EVERY_SECONDS
            if await stop.pause(LOOK_SECONDS):
                return
            for assignment in tuple(self._assignments()):
                if self._is_aged(assignment):
                    await self._retire(assignment)

    def _is_aged(self, assignment: Assignment) -> bool:
        watch = assignment.watch
        return watch.state is MatchState.COMPLETED and self._is_old(watch.changed_at or watch.started_at)

    def _is_old(self, moment: datetime | None) -> bool:
        return moment is None or age_seconds(self._clock.now(), moment) > self._options().archive_seconds

    async def _put_away_rows(self) -> None:
        watched = {assignment.key for assignment in self._assignments()}
        try:
            while await self._put_away_some(watched) == ROWS_MAX:
                continue
        except StoreError as error:
            self._tell(error)

    async def _put_away_some(self, watched: set[str]) -> int:
        """How many were put away. Those that are watched do not count against the number that is looked at."""
        rows = await self._store.matches(state=MatchState.COMPLETED, limit=ROWS_MAX + len(watched))
        rows = [row for row in rows if row.ref.match_id not in watched and self._is_old(row.last_scraper_update)]
        put = [msgspec.structs.replace(row, state=MatchState.ARCHIVED, scraper_status="stopped") for row in rows]
        if put:
            await self._store.save(WriteBatch(matches=tuple(put[:ROWS_MAX])))
        return len(put[:ROWS_MAX])

    def _tell(self, error: StoreError) -> None:
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
