"""The reading half of a store for football before kickoff."""

from abc import ABC
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from longstop.domain.football_record import CaptureProgress, FootballMatch, LineUpRecord, Quarantined
from longstop.store import football_rows
from longstop.store.cells import zoned
from longstop.store.football_queries import FootballQueries, football_queries
from longstop.store.reads import StoreReads, valid_count, valid_text

# What both databases can tell apart from every real moment.
_EVER: Final = datetime(1, 1, 2, tzinfo=UTC)
_FOREVER: Final = datetime(9999, 12, 30, tzinfo=UTC)
_NUMBER_MAX: Final = 2**63 - 1


class StoreFootball(StoreReads, ABC):
    _dialect: str

    @property
    def _football(self) -> FootballQueries:
        return football_queries(self._dialect)

    async def football_match(self, match_id: int) -> FootballMatch | None:
        rows = (await self._ask((self._football.match, {"match_id": _number(match_id)})))[0]
        return football_rows.match_from(rows[0], self._read_moment) if rows else None

    async def football_match_of(self, source: str, source_event_id: str) -> FootballMatch | None:
        asked = {"source": valid_text(source), "source_event_id": valid_text(source_event_id)}
        rows = (await self._ask((self._football.match_of, asked)))[0]
        return football_rows.match_from(rows[0], self._read_moment) if rows else None

    async def football_matches(
        self, *, kickoff_from: datetime | None = None, kickoff_until: datetime | None = None, limit: int = 1000
    ) -> Sequence[FootballMatch]:
        asked = self._between(kickoff_from, kickoff_until) | {"limit": valid_count(limit)}
        rows = (await self._ask((self._football.matches, asked)))[0]
        return [football_rows.match_from(row, self._read_moment) for row in rows]

    async def line_ups(
        self, match_id: int, *, as_of: datetime | None = None, with_flagged: bool = False
    ) -> Sequence[LineUpRecord]:
        asked = {"match_id": _number(match_id), "as_of": self._moment(as_of, _FOREVER)}
        query = self._football
        sheets, people = (
            (query.lineups, query.players) if with_flagged else (query.lineups_standing, query.players_standing)
        )
        rows, players = await self._ask((sheets, asked), (people, asked))
        return football_rows.lineups_from(rows, players, self._read_moment)

    async def capture_progress(self, match_id: int) -> CaptureProgress | None:
        rows = (await self._ask((self._football.progress, {"match_id": _number(match_id)})))[0]
        return football_rows.progress_from(rows[0], self._read_moment) if rows else None

    async def capture_progresses(self, kickoff_from: datetime, kickoff_until: datetime) -> Sequence[CaptureProgress]:
        rows = (await self._ask((self._football.progresses, self._between(kickoff_from, kickoff_until))))[0]
        return [football_rows.progress_from(row, self._read_moment) for row in rows]

    async def quarantined(self, *, limit: int = 1000) -> Sequence[Quarantined]:
        rows = (await self._ask((self._football.quarantined, {"limit": valid_count(limit)})))[0]
        return [football_rows.quarantine_from(row, self._read_moment) for row in rows]

    def _between(self, kickoff_from: datetime | None, kickoff_until: datetime | None) -> dict[str, Any]:
        return {
            "kickoff_from": self._moment(kickoff_from, _EVER),
            "kickoff_until": self._moment(kickoff_until, _FOREVER),
        }

    def _moment(self, asked: datetime | None, otherwise: datetime) -> Any:
        return self._write_moment(otherwise if asked is None else zoned(asked))


def _number(match_id: int) -> int:
    """Beyond it no match can be."""
    return max(-_NUMBER_MAX, min(match_id, _NUMBER_MAX))
