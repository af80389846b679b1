"""Puts matches away that have been over for a day: no longer polled, no longer shown as fresh or stale."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime

import msgspec

from longstop.clock import Clock, age_seconds
from longstop.domain.errors import StoreError
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.contract import MatchRow, Store, WriteBatch
from longstop.supervise.assignment import Assignment
from longstop.supervise.options import Options
from longstop.supervise.service import Stop

LOOK_SECONDS = 60.0
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
        await self._put_away_rows()
        while not await stop.pause(LOOK_SECONDS):
            for assignment in tuple(self._assignments()):
                if self._is_aged(assignment):
                    await self._retire(assignment)

    def _is_aged(self, assignment: Assignment) -> bool:
        watch = assignment.watch
        return watch.state is MatchState.COMPLETED and self._is_old(watch.changed_at or watch.started_at)

    def _is_old(self, moment: datetime | None) -> bool:
        return moment is None or age_seconds(self._clock.now(), moment) > self._options().archive_seconds

    async def _put_away_rows(self) -> None:
        """Those that grew old while we were not running."""
        watched = {assignment.key for assignment in self._assignments()}
        try:
            for status in (MatchStatus.COMPLETED, MatchStatus.ABANDONED):
                rows = await self._store.matches(status=status, limit=ROWS_MAX)
                await self._put_away([row for row in rows if self._is_forgotten(row, watched)])
        except StoreError as error:
            self._tell(error)

    def _is_forgotten(self, row: MatchRow, watched: set[str]) -> bool:
        is_over = row.state is MatchState.COMPLETED and row.ref.match_id not in watched
        return is_over and self._is_old(row.last_scraper_update)

    async def _put_away(self, rows: list[MatchRow]) -> None:
        if rows:
            put = (msgspec.structs.replace(row, state=MatchState.ARCHIVED, scraper_status="stopped") for row in rows)
            await self._store.save(WriteBatch(matches=tuple(put)))

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
