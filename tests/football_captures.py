"""A visitor without a network, for what stands behind visits: it brings what the test says a site shows."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.capture import ExitView, NetworkFigures
from longstop.domain.errors import LongstopError, MatchGoneError
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.visits.gate import OPEN, Gate
from longstop.fetch.visits.visit import OnStep, Visit, VisitOrder
from longstop.jobs.captures.options import CaptureOptions
from longstop.jobs.captures.service import CaptureParts, SofascoreScraperService
from longstop.sources.sofascore import SofascoreReader
from longstop.store.contract import Store
from tests import sofascore
from tests.virtual import Heard

SITE = "http://127.0.0.1:8099"
START = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
KICKOFF = START + timedelta(hours=2)
DEFAULTS = CaptureOptions()
Item = dict[str, Any]
Failure = LongstopError | Item | bytes


def upcoming(key: int, home: str, away: str, kickoff: datetime = KICKOFF, **changes: Any) -> Item:
    """A match that has not begun, as the site tells it."""
    told = sofascore.event("not started", **changes)
    for name in ("winnerCode", "time", "changes"):
        told.pop(name, None)
    return told | {
        "id": key,
        "slug": f"match-{key}",
        "customId": f"c{key}",
        "startTimestamp": int(kickoff.timestamp()),
        "homeTeam": {"id": key * 10 + 1, "name": home},
        "awayTeam": {"id": key * 10 + 2, "name": away},
        "homeScore": {},
        "awayScore": {},
    }


def told_lineups(**changes: Any) -> Item:
    """As before a match: nobody has a rating, nobody has played."""
    told = sofascore.lineups(**changes)
    for side in ("home", "away"):
        for row in (told.get(side) or {}).get("players", ()):
            row.pop("statistics", None)
    return told


@dataclass
class Site:
    """What it shows now, by event; `failures` are brought in place of it, the first first."""

    clock: Clock
    events: dict[str, Item] = field(default_factory=dict)
    lineups: dict[str, Item | bytes] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    is_down: Callable[[], LongstopError | None] = lambda: None
    refusals: dict[str, LongstopError] = field(default_factory=dict)
    visit_seconds: float = 1.0
    visits: list[VisitOrder] = field(default_factory=list)
    lists: list[FetchRequest] = field(default_factory=list)
    verdicts: list[Exception | None] = field(default_factory=list)
    closed: int = 0
    # Whoever wants to visit one at a time sets one that lets one in.
    turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1000))

    def show(self, told: Item, lineups: Item | bytes | None = None) -> None:
        self.events[str(told["id"])] = told
        if lineups is not None:
            self.lineups[str(told["id"])] = lineups

    async def visit(self, order: VisitOrder, on_step: OnStep) -> Visit:
        async with self.turn:
            order.gate.send()
            return await self._visited(order, on_step)

    async def _visited(self, order: VisitOrder, on_step: OnStep) -> Visit:
        self.visits.append(order)
        for step in ("browser_leased", "sent", "arrived"):
            on_step(step)
        await self.clock.sleep(self.visit_seconds)
        bodies = self._bodies(order)
        on_step("caught")
        snapshots = {name: self._snapshot(order.calls[name], body) for name, body in bodies.items()}
        gone: dict[str, LongstopError] = {
            name: self.refusals.get(name) or MatchGoneError("Not published.")
            for name in order.calls
            if name not in bodies
        }
        figures = NetworkFigures(bytes_in=20_000, requests_total=12, requests_blocked=8, calls_captured=len(bodies))
        return Visit(snapshots, "intercept", ExitView("pool", "DE", "s1", "abc123"), figures, gone)

    def _bodies(self, order: VisitOrder) -> dict[str, Any]:
        down = self.is_down()
        if down is not None:
            raise down
        failure = self.failures.pop(0) if self.failures else None
        if isinstance(failure, LongstopError):
            raise failure
        event: Any = {"event": self.events[order.key]} if failure is None else failure
        shown = {"event": event, "lineups": self.lineups.get(order.key)}
        return {name: shown[name] for name in order.calls if shown.get(name) is not None}

    def judged(self, order: VisitOrder, error: Exception | None) -> None:
        self.verdicts.append(error)

    async def list(self, request: FetchRequest, gate: Gate = OPEN) -> Snapshot:
        gate.send()
        self.lists.append(request)
        down = self.is_down()
        if down is not None:
            raise down
        day = request.url.rpartition("/")[2]
        rows = [row for row in self.events.values() if _day(row) == day]
        return self._snapshot(request, {"events": rows})

    def _snapshot(self, request: FetchRequest, body: Any) -> Snapshot:
        whole = body if isinstance(body, bytes) else msgspec.json.encode(body)
        now = self.clock.now()
        return Snapshot(request, 200, whole, now, now, rung="intercept")

    async def close(self) -> None:
        self.closed += 1


def _day(row: Item) -> str:
    return f"{datetime.fromtimestamp(row['startTimestamp'], UTC):%Y-%m-%d}"


def service_on(
    site: Site, heard: Heard, store: Store | None = None, options: CaptureOptions = DEFAULTS
) -> SofascoreScraperService:
    parts = CaptureParts(SofascoreReader(SITE), site, site.clock, store, heard.bus, lambda: options)
    return SofascoreScraperService(parts)
