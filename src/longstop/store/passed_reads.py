"""What a store that stands before another one only hands on: most reads, and the clearing up."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from longstop.domain.events import DeliveryRecord, Gap, InningsRecord, MatchEvent
from longstop.domain.football_record import CaptureProgress, FootballMatch, LineUpRecord, Quarantined
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus, Names
from longstop.domain.recovery import RecoveryAuditEntry
from longstop.store.contract import (
    Capture,
    ErrorRow,
    FedEvent,
    FeedCursor,
    HealthRow,
    LiveRow,
    MatchPlace,
    MatchRow,
    RecipeRow,
    Store,
)
from longstop.store.scripts import Scripted

T = TypeVar("T")


class PassedReads:
    _inner: Store

    async def transact(self, scripted: Scripted[T]) -> T:
        """Straight to the database, or not at all: who takes work from a queue waits until it answers."""
        return await self._inner.transact(scripted)

    async def look(self, scripted: Scripted[T]) -> T:
        return await self._inner.look(scripted)

    async def matches(
        self,
        *,
        status: MatchStatus | None = None,
        source: str | None = None,
        state: MatchState | None = None,
        limit: int = 1000,
        after: MatchPlace | None = None,
    ) -> Sequence[MatchRow]:
        return await self._inner.matches(status=status, source=source, state=state, limit=limit, after=after)

    async def match(self, match_id: str, *, as_of: datetime | None = None) -> MatchRow | None:
        return await self._inner.match(match_id, as_of=as_of)

    async def live(self, match_ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, LiveRow]:
        return await self._inner.live(match_ids, as_of=as_of)

    async def events(
        self, match_id: str, *, after: int = 0, limit: int = 500, as_of: datetime | None = None
    ) -> Sequence[MatchEvent]:
        return await self._inner.events(match_id, after=after, limit=limit, as_of=as_of)

    async def feed(self, after: FeedCursor, *, limit: int = 500) -> Sequence[FedEvent]:
        return await self._inner.feed(after, limit=limit)

    async def feed_end(self) -> FeedCursor:
        return await self._inner.feed_end()

    async def deliveries(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[DeliveryRecord]:
        return await self._inner.deliveries(match_id, as_of=as_of)

    async def last_deliveries(
        self, match_id: str, *, limit: int, as_of: datetime | None = None
    ) -> Sequence[DeliveryRecord]:
        return await self._inner.last_deliveries(match_id, limit=limit, as_of=as_of)

    async def delivery_history(self, match_id: str) -> Sequence[DeliveryRecord]:
        return await self._inner.delivery_history(match_id)

    async def innings(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[InningsRecord]:
        return await self._inner.innings(match_id, as_of=as_of)

    async def gaps(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[Gap]:
        return await self._inner.gaps(match_id, as_of=as_of)

    async def gap_history(self, match_id: str) -> Sequence[Gap]:
        return await self._inner.gap_history(match_id)

    async def names(self, source: str) -> Names:
        return await self._inner.names(source)

    async def recipes(self, source: str) -> Sequence[RecipeRow]:
        return await self._inner.recipes(source)

    async def audits(self, *, limit: int = 100) -> Sequence[RecoveryAuditEntry]:
        return await self._inner.audits(limit=limit)

    async def errors(
        self, *, match_id: str | None = None, scraper_id: str | None = None, limit: int = 100
    ) -> Sequence[ErrorRow]:
        return await self._inner.errors(match_id=match_id, scraper_id=scraper_id, limit=limit)

    async def health(
        self, *, match_id: str | None = None, scraper_id: str | None = None, limit: int = 100
    ) -> Sequence[HealthRow]:
        return await self._inner.health(match_id=match_id, scraper_id=scraper_id, limit=limit)

    async def captures(self, match_id: str, *, after: datetime | None = None, limit: int = 100) -> Sequence[Capture]:
        return await self._inner.captures(match_id, after=after, limit=limit)

    async def prune_captures(self, bytes_max: int, older_than: datetime | None = None) -> int:
        return await self._inner.prune_captures(bytes_max, older_than)

    async def football_match(self, match_id: int) -> FootballMatch | None:
        return await self._inner.football_match(match_id)

    async def football_match_of(self, source: str, source_event_id: str) -> FootballMatch | None:
        return await self._inner.football_match_of(source, source_event_id)

    async def football_matches(
        self, *, kickoff_from: datetime | None = None, kickoff_until: datetime | None = None, limit: int = 1000
    ) -> Sequence[FootballMatch]:
        return await self._inner.football_matches(kickoff_from=kickoff_from, kickoff_until=kickoff_until, limit=limit)

    async def line_ups(
        self, match_id: int, *, as_of: datetime | None = None, with_flagged: bool = False
    ) -> Sequence[LineUpRecord]:
        return await self._inner.line_ups(match_id, as_of=as_of, with_flagged=with_flagged)

    async def capture_progress(self, match_id: int) -> CaptureProgress | None:
        return await self._inner.capture_progress(match_id)

    async def capture_progresses(self, kickoff_from: datetime, kickoff_until: datetime) -> Sequence[CaptureProgress]:
        return await self._inner.capture_progresses(kickoff_from, kickoff_until)

    async def quarantined(self, *, limit: int = 1000) -> Sequence[Quarantined]:
        return await self._inner.quarantined(limit=limit)

    async def ping(self) -> float:
        return await self._inner.ping()
