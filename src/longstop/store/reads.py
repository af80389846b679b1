"""The reading half of a store: the same for every database, but for how a question is put to it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from longstop.domain.errors import InputError
from longstop.domain.events import DeliveryRecord, Gap, InningsRecord, MatchEvent
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus, Names
from longstop.domain.recovery import RecoveryAuditEntry
from longstop.domain.scraper_state import ScraperState
from longstop.store import ledger_rows, match_rows, scraper_rows
from longstop.store.cells import Moments, Row, zoned
from longstop.store.contract import (
    ErrorRow,
    FedEvent,
    FeedCursor,
    HealthRow,
    LedgerPage,
    LiveRow,
    MatchPlace,
    MatchRow,
    RecipeRow,
)
from longstop.store.queries import ByMatch, Filtered, Queries, Selection

Question = tuple[Selection, dict[str, Any]]

# Beyond this a number is no row count and no sequence any database knows.
_NUMBER_MAX = 2**63 - 1
NEVER = datetime(1, 1, 2, tzinfo=UTC)


class StoreReads(ABC):
    """Give it a way to ask, and how the database writes and reads a time."""

    _queries: Queries
    _write_moment: Moments
    _read_moment: Moments

    @abstractmethod
    async def _ask(self, *questions: Question) -> list[list[Row]]:
        """The answers, all of one instant."""

    @abstractmethod
    async def _ask_each(self, query: ByMatch, match_ids: Sequence[str]) -> list[Row]:
        """The rows of these matches."""

    async def ledger(self, match_id: str) -> LedgerPage:
        query, of_match = self._queries, {"match_id": valid_text(match_id)}
        deliveries, innings, gaps, last_seq, live = await self._ask(
            (query.deliveries_now, of_match),
            (query.innings_now, of_match),
            (query.gaps, of_match),
            (query.last_seq, of_match),
            (query.live.one, of_match),
        )
        moment = self._read_moment
        return LedgerPage(
            deliveries=tuple(ledger_rows.delivery_record(row, moment) for row in deliveries),
            innings=tuple(ledger_rows.innings_record(row, moment) for row in innings),
            gaps=tuple(ledger_rows.gap_from(row, moment) for row in gaps),
            last_seq=last_seq[0][0],
            live=match_rows.live_row(live[0], moment) if live else None,
        )

    async def matches(
        self,
        *,
        status: MatchStatus | None = None,
        source: str | None = None,
        state: MatchState | None = None,
        limit: int = 1000,
        after: MatchPlace | None = None,
    ) -> Sequence[MatchRow]:
        arguments: dict[str, Any] = {"limit": valid_count(limit)}
        if status is not None:
            arguments["status"] = status.value
        if source is not None:
            arguments["source"] = valid_text(source)
        if state is not None:
            arguments["state"] = state.value
        queries = self._queries.matches
        if after is not None:
            queries, arguments = self._queries.matches_after, arguments | self._place(after)
        query = queries[status is not None, source is not None, state is not None]
        rows = (await self._ask((query, arguments)))[0]
        return [match_rows.match_row(row, self._read_moment) for row in rows]

    def _place(self, place: MatchPlace) -> dict[str, Any]:
        never = self._write_moment(NEVER)
        return {
            "after_priority": place.priority.value,
            "after_unknown": place.starts_at is None,
            "after_starts": never if place.starts_at is None else self._write_moment(zoned(place.starts_at)),
            "after_id": valid_text(place.match_id),
            "never": never,
        }

    async def match(self, match_id: str, *, as_of: datetime | None = None) -> MatchRow | None:
        of_match = {"match_id": valid_text(match_id)}
        if as_of is not None:
            return await self._match_as_of(self._at(of_match, as_of))
        rows = (await self._ask((self._queries.match, of_match)))[0]
        return match_rows.match_row(rows[0], self._read_moment) if rows else None

    async def _match_as_of(self, arguments: dict[str, Any]) -> MatchRow | None:
        query, of_match = self._queries, {"match_id": arguments["match_id"]}
        rows, statuses, live = await self._ask(
            (query.match, of_match), (query.status_as_of, arguments), (query.live_as_of, arguments)
        )
        if not rows or not statuses:
            return None
        row = match_rows.match_row(rows[0], self._read_moment)
        known = match_rows.live_row(live[0], self._read_moment) if live else None
        return match_rows.as_it_was(row, MatchStatus(statuses[0][1]), known)

    def _at(self, arguments: dict[str, Any], as_of: datetime) -> dict[str, Any]:
        return {**arguments, "as_of": self._write_moment(zoned(as_of))}

    async def live(self, match_ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, LiveRow]:
        if as_of is not None:
            asked = [self._at({"match_id": valid_text(match_id)}, as_of) for match_id in match_ids]
            answers = await self._ask(*((self._queries.live_as_of, each) for each in asked))
            return {row[0]: match_rows.live_row(row, self._read_moment) for rows in answers for row in rows}
        rows = await self._ask_each(self._queries.live, [valid_text(match_id) for match_id in match_ids])
        return {row[0]: match_rows.live_row(row, self._read_moment) for row in rows}

    async def events(
        self, match_id: str, *, after: int = 0, limit: int = 500, as_of: datetime | None = None
    ) -> Sequence[MatchEvent]:
        cursor = max(-_NUMBER_MAX, min(after, _NUMBER_MAX))
        arguments = {"match_id": valid_text(match_id), "after": cursor, "limit": valid_count(limit)}
        query = self._queries.events
        if as_of is not None:
            query, arguments = self._queries.events_as_of, self._at(arguments, as_of)
        rows = (await self._ask((query, arguments)))[0]
        return [ledger_rows.match_event(row, self._read_moment) for row in rows]

    async def feed(self, after: FeedCursor, *, limit: int = 500) -> Sequence[FedEvent]:
        transaction, position = (max(-1, min(number, _NUMBER_MAX)) for number in (after.transaction, after.position))
        arguments = {"after_transaction": transaction, "after_position": position, "limit": valid_count(limit)}
        rows = (await self._ask((self._queries.feed, arguments)))[0]
        return [FedEvent(FeedCursor(*row[:2]), ledger_rows.match_event(row[2:], self._read_moment)) for row in rows]

    async def feed_end(self) -> FeedCursor:
        rows = (await self._ask((self._queries.feed_end, {})))[0]
        return FeedCursor(*rows[0]) if rows else FeedCursor()

    async def deliveries(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[DeliveryRecord]:
        query, arguments = self._queries.deliveries, {"match_id": valid_text(match_id)}
        if as_of is not None:
            query, arguments = self._queries.deliveries_as_of, self._at(arguments, as_of)
        rows = (await self._ask((query, arguments)))[0]
        return [ledger_rows.delivery_record(row, self._read_moment) for row in rows]

    async def last_deliveries(
        self, match_id: str, *, limit: int, as_of: datetime | None = None
    ) -> Sequence[DeliveryRecord]:
        arguments: dict[str, Any] = {"match_id": valid_text(match_id), "limit": valid_count(limit)}
        query = self._queries.last_deliveries
        if as_of is not None:
            query, arguments = self._queries.last_deliveries_as_of, self._at(arguments, as_of)
        rows = (await self._ask((query, arguments)))[0]
        return [ledger_rows.delivery_record(row, self._read_moment) for row in reversed(rows)]

    async def delivery_history(self, match_id: str) -> Sequence[DeliveryRecord]:
        rows = (await self._ask((self._queries.delivery_history, {"match_id": valid_text(match_id)})))[0]
        return [ledger_rows.delivery_record(row, self._read_moment) for row in rows]

    async def innings(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[InningsRecord]:
        query, arguments = self._queries.innings_now, {"match_id": valid_text(match_id)}
        if as_of is not None:
            query, arguments = self._queries.innings_as_of, self._at(arguments, as_of)
        rows = (await self._ask((query, arguments)))[0]
        return [ledger_rows.innings_record(row, self._read_moment) for row in rows]

    async def gaps(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[Gap]:
        query, arguments = self._queries.gaps, {"match_id": valid_text(match_id)}
        if as_of is not None:
            query, arguments = self._queries.gaps_as_of, self._at(arguments, as_of)
        rows = (await self._ask((query, arguments)))[0]
        return [ledger_rows.gap_from(row, self._read_moment) for row in rows]

    async def gap_history(self, match_id: str) -> Sequence[Gap]:
        rows = (await self._ask((self._queries.gap_history, {"match_id": valid_text(match_id)})))[0]
        return [ledger_rows.gap_from(row, self._read_moment) for row in rows]

    async def names(self, source: str) -> Names:
        rows = (await self._ask((self._queries.names, {"source": valid_text(source)})))[0]
        return match_rows.names_from(rows)

    async def recipes(self, source: str) -> Sequence[RecipeRow]:
        rows = (await self._ask((self._queries.recipes, {"source": valid_text(source)})))[0]
        return [match_rows.recipe_row(row, self._read_moment) for row in rows]

    async def states(self, match_ids: Sequence[str]) -> dict[str, ScraperState]:
        rows = await self._ask_each(self._queries.states, [valid_text(match_id) for match_id in match_ids])
        return {row[0]: scraper_rows.state_from(row, self._read_moment) for row in rows}

    async def audits(self, *, limit: int = 100) -> Sequence[RecoveryAuditEntry]:
        rows = (await self._ask((self._queries.audits, {"limit": valid_count(limit)})))[0]
        return [scraper_rows.audit_from(row, self._read_moment) for row in rows]

    async def errors(
        self, *, match_id: str | None = None, scraper_id: str | None = None, limit: int = 100
    ) -> Sequence[ErrorRow]:
        rows = await self._of_scraper(self._queries.errors, match_id, scraper_id, limit)
        return [scraper_rows.error_from(row, self._read_moment) for row in rows]

    async def health(
        self, *, match_id: str | None = None, scraper_id: str | None = None, limit: int = 100
    ) -> Sequence[HealthRow]:
        rows = await self._of_scraper(self._queries.health, match_id, scraper_id, limit)
        return [scraper_rows.health_from(row, self._read_moment) for row in rows]

    async def _of_scraper(
        self, queries: Filtered, match_id: str | None, scraper_id: str | None, limit: int
    ) -> list[Row]:
        arguments: dict[str, Any] = {"limit": valid_count(limit)}
        if match_id is not None:
            arguments["match_id"] = valid_text(match_id)
        if scraper_id is not None:
            arguments["scraper_id"] = valid_text(scraper_id)
        return (await self._ask((queries[match_id is not None, scraper_id is not None], arguments)))[0]


def valid_text(words: str) -> str:
    """What cannot be written as UTF-8 is in no database; a path of a URL may still hold it."""
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise InputError("The text asked for is not valid Unicode.", hint="Send it as UTF-8.") from error
    return words


def valid_count(limit: int) -> int:
    return max(0, min(limit, _NUMBER_MAX))
