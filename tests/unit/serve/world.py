"""A small world to serve: a store in memory that implements the contract's reading half, a clock that stands still, a
board fed by real signals."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from longstop.clock import SystemClock
from longstop.domain.cricket import (
    BatterFigures,
    BowlerFigures,
    Delivery,
    Dismissal,
    Extras,
    InningsScore,
    InningsState,
    OverReport,
    Place,
    PlayState,
    Toss,
)
from longstop.domain.errors import StoreUnavailableError
from longstop.domain.events import DeliveryRecord, EventKind, Gap, InningsRecord, MatchEvent
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchRef, MatchStatus, Names
from longstop.domain.observation import Observation, Provenance
from longstop.domain.recovery import RecoveryAuditEntry
from longstop.domain.scraper_state import ScraperState
from longstop.observe import signals as facts
from longstop.observe.health import Board
from longstop.observe.lookout.post import Lookout
from longstop.observe.match_log import MatchLogs
from longstop.serve.api import create_app
from longstop.serve.entry.hall import open_to_this_machine
from longstop.serve.gate import Gate
from longstop.serve.reading import Instance, ReadModel
from longstop.store.contract import FedEvent, FeedCursor, LiveRow, MatchPlace, MatchRow

NOON = datetime(2025, 11, 12, 12, 0, 0, tzinfo=UTC)
NAMES = Names(
    players={"P1": "Smriti Mandhana", "P2": "Harmanpreet Kaur", "P9": "Ellyse Perry"},
    teams={"IN": "India", "AU": "Australia"},
    teams_short={"IN": "IND", "AU": "AUS"},
    series={"S1": "Australia tour of India"},
)


class StandingClock(SystemClock):
    """Wall time moves only when a test says so; durations are real."""

    def __init__(self, start: datetime = NOON) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


class MemoryStore:
    """The reading half of the contract over plain dicts."""

    def __init__(self) -> None:
        self.rows: dict[str, MatchRow] = {}
        self.live_rows: dict[str, LiveRow] = {}
        self.ball_rows: dict[str, list[DeliveryRecord]] = {}
        self.event_rows: dict[str, list[MatchEvent]] = {}
        self.gap_rows: dict[str, list[Gap]] = {}
        self.is_down = False
        self.is_hanging = False
        self.reads = 0

    async def _answer(self) -> None:
        self.reads += 1
        if self.is_hanging:
            await asyncio.Event().wait()
        if self.is_down:
            raise StoreUnavailableError("No answer from postgresql://longstop:hunter2secret@db/longstop.")

    async def matches(
        self,
        *,
        status: MatchStatus | None = None,
        source: str | None = None,
        limit: int = 1000,
        after: MatchPlace | None = None,
    ) -> Sequence[MatchRow]:
        await self._answer()
        wanted = [
            row for row in self.rows.values() if status in (None, row.status) and source in (None, row.ref.source)
        ]
        places = [MatchPlace.of(row) for row in wanted]
        return wanted[places.index(after) + 1 if after is not None else 0 :][:limit]

    async def match(self, match_id: str, *, as_of: datetime | None = None) -> MatchRow | None:
        await self._answer()
        return self.rows.get(match_id)

    async def live(self, match_ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, LiveRow]:
        await self._answer()
        return {match_id: self.live_rows[match_id] for match_id in match_ids if match_id in self.live_rows}

    async def events(
        self, match_id: str, *, after: int = 0, limit: int = 500, as_of: datetime | None = None
    ) -> Sequence[MatchEvent]:
        await self._answer()
        rows = self.event_rows.get(match_id, [])
        return [event for event in rows if event.seq > after and (as_of is None or event.captured_at <= as_of)][:limit]

    async def feed(self, after: FeedCursor, *, limit: int = 500) -> Sequence[FedEvent]:
        await self._answer()
        rows = [event for events in self.event_rows.values() for event in events]
        fed = [FedEvent(FeedCursor(0, place), event) for place, event in enumerate(rows, start=1)]
        return [each for each in fed if each.cursor > after][:limit]

    async def states(self, match_ids: Sequence[str]) -> dict[str, ScraperState]:
        await self._answer()
        return {}

    async def feed_end(self) -> FeedCursor:
        await self._answer()
        return FeedCursor(0, sum(map(len, self.event_rows.values())))

    async def innings(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[InningsRecord]:
        await self._answer()
        return []

    async def audits(self, *, limit: int = 100) -> Sequence[RecoveryAuditEntry]:
        await self._answer()
        return []

    async def ping(self) -> float:
        await self._answer()
        return 0.0

    async def deliveries(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[DeliveryRecord]:
        await self._answer()
        return self._bowled(match_id, as_of)

    def _bowled(self, match_id: str, as_of: datetime | None) -> list[DeliveryRecord]:
        current: dict[Place, DeliveryRecord] = {}
        for record in self.ball_rows.get(match_id, []):
            if as_of is None or record.captured_at <= as_of:
                current[record.place] = record
        return [current[place] for place in sorted(current) if current[place].delivery is not None]

    async def last_deliveries(
        self, match_id: str, *, limit: int, as_of: datetime | None = None
    ) -> Sequence[DeliveryRecord]:
        await self._answer()
        return self._bowled(match_id, as_of)[-limit:]

    async def delivery_history(self, match_id: str) -> Sequence[DeliveryRecord]:
        await self._answer()
        return list(self.ball_rows.get(match_id, []))

    async def gaps(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[Gap]:
        await self._answer()
        return self.gap_rows.get(match_id, [])


def ref(key: str = "QUY", source: str = "crex") -> MatchRef:
    return MatchRef(source, key, f"http://127.0.0.1/cricket-live-score/x-match-updates-{key}")


def ball(innings: int, over: int, position: int, runs: int = 0, **more: Any) -> Delivery:
    return Delivery(Place(innings, over, position), "P1", "P2", "P9", runs, **more)


WICKET = (Dismissal("P1", "bowled"),)


def row(key: str = "QUY", *, status: MatchStatus = MatchStatus.LIVE, source: str = "crex", **more: Any) -> MatchRow:
    fields: dict[str, Any] = {
        "title": "India v Australia, 3rd ODI",
        "teams": ("IN", "AU"),
        "format": "ODI",
        "series": "S1",
        "venue": "Wankhede Stadium, Mumbai",
        "starts_at": NOON - timedelta(hours=3),
        "discovered_at": NOON - timedelta(hours=4),
    } | more
    return MatchRow(ref=ref(key, source), status=status, state=MatchState.ACTIVE, **fields)


FIRST = InningsScore(1, "IN", 234, 10, 290, "48.2", Extras(wides=8), state=InningsState.CLOSED)
SECOND = InningsScore(2, "AU", 95, 3, 75, "12.3", Extras(wides=2), target_runs=235, target_overs="50")


def observation(key: str = "QUY", *, at: datetime = NOON, source: str = "crex", **more: Any) -> Observation:
    fields: dict[str, Any] = {
        "status": MatchStatus.LIVE,
        "play": PlayState.PLAY,
        "teams": ("IN", "AU"),
        "innings": (FIRST, SECOND),
        "overs": (
            OverReport(2, 11, tuple(ball(2, 11, n, n % 2) for n in range(1, 7))),
            OverReport(2, 12, (ball(2, 12, 1, 4), ball(2, 12, 2, dismissals=WICKET), ball(2, 12, 3, 6))),
        ),
        "last_event": "6",
    } | more
    provenance = Provenance(source, "replay", "ab" * 32, at, at)
    return Observation(ref=ref(key, source), provenance=provenance, **fields)


def live_row(key: str = "QUY", *, at: datetime = NOON, source: str = "crex", **more: Any) -> LiveRow:
    fields: dict[str, Any] = {
        "play": PlayState.PLAY,
        "innings": (FIRST, SECOND),
        "batting": (BatterFigures("P1", 42, 28, 5, 1, True), BatterFigures("P2", 3, 4)),
        "bowling": BowlerFigures("P9", 24, 17, 0, 2),
        "toss": Toss("IN", "bat"),
        "last_event": "w",
        "complete_through": "2.12.3",
        "sequence": 312,
    } | more
    return LiveRow(
        match_id=f"{source}_{key}",
        captured_at=at,
        source_at=at - timedelta(seconds=1),
        scraper_id="scraper-1",
        source=source,
        rung="replay",
        payload_sha256="ab" * 32,
        update_latency_ms=12,
        **fields,
    )


def records(count: int) -> list[DeliveryRecord]:
    found = []
    for number in range(count):
        bowled = ball(1, number // 6, number % 6 + 1, number % 5)
        moment = NOON + timedelta(seconds=number)
        found.append(DeliveryRecord("crex_QUY", bowled.place, 1, bowled, moment, moment, "ab" * 32))
    return found


def events(count: int) -> list[MatchEvent]:
    return [
        MatchEvent(
            "crex_QUY",
            n + 1,
            f"ball:{r.place}",
            EventKind.BALL_BOWLED,
            r.true_at,
            r.captured_at,
            r.place,
            1,
            r.delivery,
        )
        for n, r in enumerate(records(count))
    ]


class World:
    """Everything a test of serving needs, and the signals that move it."""

    def __init__(self) -> None:
        self.clock = StandingClock()
        self.store = MemoryStore()
        self.board = Board(NOON - timedelta(minutes=10))
        self.signals = facts.Signals()
        self.board.subscribe(self.signals)
        self.logs = MatchLogs()
        self.logs.subscribe(self.signals)
        self.lookout = Lookout(lines=self.logs.lines)
        self.lookout.subscribe(self.signals)
        self.names = NAMES
        self.model = ReadModel(
            store=self.store,
            board=self.board,
            names=lambda _: self.names,
            clock=self.clock,
            instance=Instance("test", "0.1.0"),
            bus=self.signals,
            lookout=self.lookout,
        )

    def add(self, key: str = "QUY", *, source: str = "crex", is_watched: bool = True, **more: Any) -> str:
        """A live match with a state of this moment."""
        match_id = f"{source}_{key}"
        self.store.rows[match_id] = row(key, source=source, **more)
        self.store.live_rows[match_id] = live_row(key, at=self.clock.now(), source=source)
        if is_watched:
            self.start(key, source)
            self.poll(key, source)
        return match_id

    def start(self, key: str = "QUY", source: str = "crex") -> None:
        self.signals.emit(
            facts.ScraperStarted(
                at=self.clock.now(), match_id=f"{source}_{key}", scraper_id=f"s-{key}", source=source, url=ref(key).url
            )
        )

    def stop(self, key: str = "QUY", source: str = "crex") -> None:
        self.signals.emit(
            facts.ScraperStopped(
                at=self.clock.now(), match_id=f"{source}_{key}", scraper_id=f"s-{key}", reason="stopped"
            )
        )

    def poll(self, key: str = "QUY", source: str = "crex", outcome: str = "unchanged") -> None:
        self.signals.emit(
            facts.PollFinished(
                at=self.clock.now(),
                match_id=f"{source}_{key}",
                source=source,
                rung="replay",
                outcome=outcome,
                duration_seconds=0.02,
                interval_seconds=2.5,
            )
        )

    def reject(self, reason: str, *, source: str = "crex", key: str = "QUY") -> None:
        self.signals.emit(
            facts.ObservationRejected(at=self.clock.now(), match_id=f"{source}_{key}", source=source, reasons=(reason,))
        )

    def score(self, key: str = "QUY", **more: Any) -> None:
        told = observation(key, at=self.clock.now(), **more)
        self.signals.emit(
            facts.ScoreStored(
                at=self.clock.now(), match_id=told.ref.match_id, scraper_id=f"s-{key}", sequence=313, observation=told
            )
        )

    def open_gap(self, key: str = "QUY", gap_id: str = "g") -> None:
        self.signals.emit(
            facts.GapOpened(
                at=self.clock.now(),
                match_id=f"crex_{key}",
                gap_id=gap_id,
                innings=1,
                cause="the board has more than the balls",
                missing_runs=3,
                missing_wickets=0,
                missing_balls=2,
            )
        )

    def fail(self, key: str | None = "QUY", source: str = "crex", message: str = "the source did not answer") -> None:
        match_id = None if key is None else f"{source}_{key}"
        self.signals.emit(
            facts.ErrorRaised(
                at=self.clock.now(),
                severity="WARN",
                error_type="network",
                error_message=message,
                match_id=match_id,
                scraper_id=f"s-{key}",
                operation="poll",
            )
        )
        if key is not None:
            self.poll(key, source, outcome="failed")

    def app(self, *, has_health: bool = True) -> Gate:
        """Open to this machine, as `make run` is."""
        return create_app(self.model, open_to_this_machine(self.clock, self.signals), has_health=has_health)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(app=self.app(), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            yield client
