"""The football site as a pure core: what is answered to a request, from an address, at a moment."""

from collections.abc import Callable

from msgspec.structs import replace

from longstop_origin.exchange import HTML, Reply, Request
from longstop_origin.football import assets, page
from longstop_origin.football.asked import (
    ASSET,
    CALLS,
    DOCUMENTS,
    EVENT,
    INCIDENTS,
    LINEUPS,
    LIST,
    LIVE,
    OF_A_MATCH,
    PAGE,
    STATISTICS,
    Asked,
    asked_for,
    read_day,
)
from longstop_origin.football.callers import Entry
from longstop_origin.football.fixture import EMPTY, Fixture
from longstop_origin.football.gate import Gate, told
from longstop_origin.football.guards import FootballGuards, hits
from longstop_origin.football.incidents_part import incidents_answer
from longstop_origin.football.lineups_part import lineups_answer
from longstop_origin.football.passes import COOKIE
from longstop_origin.football.spoiling import broken, padded
from longstop_origin.football.statistics_part import statistics_answer
from longstop_origin.football.wire import Item, encode, event_answer, event_item
from longstop_origin.football.world import FootballWorld

HANG_SECONDS = 120.0
OURSELVES = "127.0.0.1"
PARTS: dict[str, Callable[[Fixture, float], Item | None]] = {
    EVENT: event_answer,
    LINEUPS: lineups_answer,
    INCIDENTS: incidents_answer,
    STATISTICS: statistics_answer,
}


class FootballSite:
    def __init__(self, world: FootballWorld, guards: FootballGuards | None = None) -> None:
        self.world = world
        self.bytes_sent = 0
        self.gate = Gate(guards or FootballGuards(), str(world.options.seed))

    def respond(self, request: Request, now: float, address: str = OURSELVES) -> Reply:
        asked = asked_for(request.path)
        reply = self.gate.refusal(request, asked, address, now) or self._answer(request, asked, now)
        session = request.cookie(COOKIE)[:12]
        entry = Entry(0, now, address, session, asked.kind, asked.key, reply.status, reply.fault or "", len(reply.body))
        self.gate.callers.note(entry)
        return reply

    def _answer(self, request: Request, asked: Asked, now: float) -> Reply:
        guards = self.gate.guards
        is_hit = asked.kind in CALLS | DOCUMENTS and self.gate.hits()
        if is_hit and guards.down:
            return _down(guards.down)
        reply = self._true(request, asked, now) if not is_hit else self._bent(request, asked, now)
        return replace(reply, delay_seconds=guards.slow) if is_hit and guards.slow else reply

    def _bent(self, request: Request, asked: Asked, now: float) -> Reply:
        guards = self.gate.guards
        if hits(guards.empty, asked.kind):
            return Reply(200, b"", fault="empty")
        if hits(guards.swapped, asked.kind) and asked.kind in OF_A_MATCH:
            return replace(self._true(request, Asked(asked.kind, self._another(asked.key)), now), fault="swapped")
        return self._true(request, asked, now)

    def _another(self, key: str) -> str:
        """Always the same for the same match, and never itself."""
        keys = [str(fixture.id) for fixture in self.world.fixtures]
        return keys[(keys.index(key) + 1) % len(keys)] if key in keys else key

    def _true(self, request: Request, asked: Asked, now: float) -> Reply:
        if asked.kind == ASSET:
            return assets.asset(asked.key)
        if asked.kind in DOCUMENTS:
            return self._document(request, asked, now)
        if asked.kind in (LIST, LIVE):
            return self._list(asked, now)
        fixture = self.world.fixture(asked.key)
        if fixture is None or asked.kind not in PARTS:
            return told(404, "Not Found")
        if asked.kind == LINEUPS and fixture.lineup_kind(now) == EMPTY:
            return Reply(200, b"", fault="empty")
        return self._called(asked, PARTS[asked.kind](fixture, now))

    def _called(self, asked: Asked, answer: Item | None) -> Reply:
        if answer is None:
            return told(404, "Not Found")
        guards = self.gate.guards
        fault = None
        if hits(guards.schema, asked.kind):
            answer, fault = broken(asked.kind, answer, guards.schema_kind), "schema"
        if hits(guards.heavy, asked.kind):
            answer, fault = padded(answer, guards.heavy_kb), "heavy"
        return Reply(200, encode(answer), headers={"Cache-Control": "max-age=0"}, fault=fault)

    def _list(self, asked: Asked, now: float) -> Reply:
        day = read_day(asked.key) if asked.kind == LIST else None
        if asked.kind == LIST and day is None:
            return told(404, "Not Found")
        found = self.world.live(now) if day is None else self.world.of_day(day, now)
        return self._called(asked, {"events": [event_item(fixture, now) for fixture in found]})

    def _document(self, request: Request, asked: Asked, now: float) -> Reply:
        fixture = self.world.by_custom_id(asked.key)
        if asked.kind == PAGE and fixture is None:
            return Reply(404, page.missing(), HTML)
        session, headers = request.cookie(COOKIE), {"Cache-Control": "no-store"}
        if not self.gate.passes.is_session(session):
            session = self.gate.passes.begin()
            headers["Set-Cookie"] = f"{COOKIE}={session}; Path=/; HttpOnly; SameSite=Lax"
        given = self.gate.passes.given(session, now)
        body = page.match_page(fixture, given) if fixture else page.home_page(self.world.live(now), given)
        return Reply(200, body, HTML, headers)


def _down(how: str) -> Reply:
    if how == "reset":
        return Reply(0, broken="reset", fault=how)
    if how == "hang":
        return Reply(0, delay_seconds=HANG_SECONDS, broken="hang", fault=how)
    return told(int(how), "down")
