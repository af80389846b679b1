"""Answers requests for the site from its world, with the faults of its plan. No sockets, no waiting: the server and
the in-process replay both stand on it."""

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from longstop_origin import dress, faults, gate, pages, traps, validators, wire
from longstop_origin.board import MatchBoard
from longstop_origin.exchange import HTML, JSON, PLAIN, Reply, Request, error
from longstop_origin.faults import Fault, FaultPlan
from longstop_origin.fixture import Fixture
from longstop_origin.gate import Gate
from longstop_origin.guards import Guards
from longstop_origin.league.site import PREFIXES as LEAGUE_PREFIXES
from longstop_origin.league.site import LeagueSite
from longstop_origin.score_part import score_part
from longstop_origin.world import World

__all__ = ["Reply", "Request", "Site"]

MOST_CODES_A_CALL = 200

LIST_PATHS = ("/", "/cricket-live-score")
PAGE_PREFIX = "/cricket-live-score/"
PAGE_MARK = "-match-updates-"
PARTIAL_PREFIX = "/partial/score/"
LIST_CALL_PATH = "/fixture/getFixture"
NO_MATCH = b"<!DOCTYPE html><title>Not found</title><h1>Match not found</h1>"
ROBOTS = "User-agent: *\nAllow: /\nDisallow: /_origin/\n"


Answer = Callable[[Request, float], Reply]


class Site:
    """One site: a world, what goes wrong with it, who is let in, and a count of what was asked."""

    def __init__(
        self,
        world: World,
        plan: FaultPlan | None = None,
        guards: Guards | None = None,
        league: LeagueSite | None = None,
    ) -> None:
        self.world = world
        self.league = league
        self.plan = plan or FaultPlan()
        self.gate = Gate(guards or Guards(), f"{world.options.seed}:{world.options.epoch}", self._teams)
        self.requests: Counter[str] = Counter()
        self.bytes_sent = 0
        self.faults: Counter[str] = Counter()
        self._ordinals: Counter[tuple[str, str]] = Counter()
        self._list: tuple[float, float, list[Fixture]] = (0.0, 0.0, [])
        self._calls: dict[str, tuple[str, Answer]] = {
            LIST_CALL_PATH: (faults.LIST, self._fixtures),
            "/api/v3/getSV3": (faults.STATE, self._state),
            "/api/v3/getSC4": (faults.CARD, self._card),
            "/commentary/getBallFeeds": (faults.FEED, self._feed),
            "/mapping/getHomeMapData": (faults.NAMES, self._names),
        }

    def respond(self, request: Request, now: float) -> Reply:
        """The answer to this request at this moment. Asking counts: the plan knows requests by their number."""
        self.gate.greet(request)
        reply = validators.finished(request, self._answer(request, now))
        self.requests[f"{self._counted_path(request.path)} {reply.broken or reply.status}"] += 1
        if reply.fault is not None:
            self.faults[reply.fault] += 1
        return reply

    def _answer(self, request: Request, now: float) -> Reply:
        if request.path.startswith(traps.PREFIX):
            return traps.trap(request)
        if request.path == gate.SESSION_PATH and request.method == "POST":
            return self.gate.refusal(request, gate.SESSION_CALL, now) or self.gate.grant(request, now)
        if self.league is not None and request.path.startswith(LEAGUE_PREFIXES):
            return self.league.respond(request, now)
        if request.method not in ("GET", "HEAD"):
            return error(405, "only GET is answered here")
        if request.path == "/robots.txt":
            return Reply(200, ROBOTS.encode(), PLAIN)
        if request.path == gate.LOGIN_PATH:
            return self.gate.login_page(request)
        asked, answer = self._call(request.path)
        if answer is None:
            return error(404, "no such page")
        kind = gate.LIST_CALL if request.path == LIST_CALL_PATH else asked
        return self.gate.refusal(request, kind, now) or self._admitted(request, asked, answer, now)

    def _admitted(self, request: Request, asked: str, answer: Answer, now: float) -> Reply:
        key = _key_of(request) if asked in faults.OF_A_MATCH else ""
        self._ordinals[key, asked] += 1
        fault = self.plan.decide(key, self._ordinals[key, asked], asked, now)
        return answer(request, now) if fault is None else self._faulty(fault, request, now)

    def _call(self, path: str) -> tuple[str, Answer | None]:
        if path in LIST_PATHS:
            return faults.LIST, self._list_page
        if path.startswith(PAGE_PREFIX) and PAGE_MARK in path:
            return faults.PAGE, self._page
        if path.startswith(PARTIAL_PREFIX):
            return faults.PARTIAL, self._partial
        return self._calls.get(path, ("", None))

    def _counted_path(self, path: str) -> str:
        asked, answer = self._call(path)
        if path.startswith(traps.PREFIX):
            return "trap"
        if path in (gate.SESSION_PATH, gate.LOGIN_PATH):
            return path
        return (asked if path.startswith((PAGE_PREFIX, PARTIAL_PREFIX)) else path) if answer else "other"

    # Faults

    def _faulty(self, fault: Fault, request: Request, now: float) -> Reply:
        if fault.kind in ("reset", "hang"):
            return Reply(0, delay_seconds=fault.delay_seconds, broken=fault.kind, fault=fault.kind)
        if fault.status != 200:
            return _refusal(fault)
        if fault.kind == "stale":
            return replace(self._stale(request, now), fault=fault.kind)
        if fault.kind == "changed page":
            return replace(self._page(request, now, salt=fault.variant), fault=fault.kind)
        whole = self._call(request.path)[1]
        reply = whole(request, now) if whole else error(404, "no such page")
        if fault.kind == "latency":
            return replace(reply, delay_seconds=fault.delay_seconds, fault=fault.kind)
        if fault.kind == "truncated":
            return replace(reply, cut_at=int(fault.share * len(reply.body)), fault=fault.kind)
        return _malformed(fault, reply)

    def _stale(self, request: Request, now: float) -> Reply:
        asked = self._call(request.path)[0]
        answers = {
            faults.PAGE: self._page,
            faults.PARTIAL: self._partial,
            faults.STATE: self._state,
            faults.CARD: self._card,
            faults.FEED: self._feed,
        }
        return answers[asked](request, now, is_stale=True)

    # Answers

    def known(self, key: str, now: float) -> Fixture | None:
        """The match, as long as the site has not dropped it."""
        fixture = self.world.fixture(key, now)
        return fixture if fixture is not None and not self._is_gone(fixture, now) else None

    def _is_gone(self, fixture: Fixture, now: float) -> bool:
        gone_at = self.plan.disappears_at(fixture.key, fixture.ends_at)
        return gone_at is not None and gone_at <= self.world.time(now)

    def _listed(self, now: float) -> list[Fixture]:
        """The list changes seldom, so it is kept until it does."""
        at = self.world.time(now)
        since, until, fixtures = self._list
        if not since <= at < until:
            fixtures = [fixture for fixture in self.world.listed(now) if not self._is_gone(fixture, now)]
            goings = [self.plan.disappears_at(fixture.key, fixture.ends_at) for fixture in fixtures]
            later = [going for going in goings if going is not None and going > at]
            self._list = (at, min([*later, self.world.listed_until(now)]), fixtures)
        return fixtures

    def _list_page(self, _request: Request, now: float) -> Reply:
        return Reply(200, pages.list_page(self._listed(now), self.world.time(now)), HTML)

    def _fixtures(self, _request: Request, now: float) -> Reply:
        at = self.world.time(now)
        return Reply(200, wire.encode([wire.list_item(fixture, at) for fixture in self._listed(now)]))

    def _shown(self, request: Request, now: float, *, is_stale: bool) -> tuple[Fixture, MatchBoard] | None:
        fixture = self.known(_key_of(request), now)
        if fixture is None:
            return None
        return fixture, (self.world.stale_board if is_stale else self.world.board)(fixture, now)

    def _page(self, request: Request, now: float, *, is_stale: bool = False, salt: int | None = None) -> Reply:
        shown = self._shown(request, now, is_stale=is_stale)
        if shown is None:
            return Reply(404, NO_MATCH, HTML)
        if salt is not None:
            return Reply(200, pages.changed_page(*shown, salt), HTML)
        admission = self.gate.admit(request, shown[0].key, now)
        dressed = dress.of_page(shown[0], self.gate.guards, admission.nonce)
        headers = {} if admission.set_cookie is None else {"Set-Cookie": admission.set_cookie}
        return Reply(200, pages.match_page(*shown, wire.live_state(*shown, self._epoch), dressed), HTML, headers)

    def _partial(self, request: Request, now: float, *, is_stale: bool = False) -> Reply:
        """The score of a page that the server renders."""
        shown = self._shown(request, now, is_stale=is_stale) if self.gate.guards.server_rendered else None
        if shown is None:
            return Reply(404, NO_MATCH, HTML)
        state = msgspec.json.decode(wire.live_state(*shown, self._epoch))
        part = score_part(*shown, state, self.gate.guards.dom)
        return self._dated(Reply(200, part.encode(), HTML), shown, now)

    def _state(self, request: Request, now: float, *, is_stale: bool = False) -> Reply:
        shown = self._shown(request, now, is_stale=is_stale)
        if shown is None:
            return _not_found()
        return self._dated(Reply(200, wire.live_state(*shown, self._epoch)), shown, now)

    def _card(self, request: Request, now: float, *, is_stale: bool = False) -> Reply:
        shown = self._shown(request, now, is_stale=is_stale)
        return _not_found() if shown is None else self._dated(Reply(200, wire.scorecard(*shown)), shown, now)

    def _dated(self, reply: Reply, shown: tuple[Fixture, MatchBoard], now: float) -> Reply:
        return validators.dated(reply, *shown, self.world.time(now))

    def _teams(self, key: str, now: float) -> str | None:
        fixture = self.known(key, now)
        return None if fixture is None else dress.teams_of(fixture)

    @property
    def _epoch(self) -> float:
        return self.world.options.epoch

    def _feed(self, request: Request, now: float, *, is_stale: bool = False) -> Reply:
        shown = self._shown(request, now, is_stale=is_stale)
        if shown is None:
            return _not_found()
        numbers = [_whole_number(request.query.get(name)) for name in ("inning", "from", "to")]
        inning, first, last = (number if number is not None else -1 for number in numbers)
        if inning < 1 or first < 0 or last < first:
            return error(400, "inning counts from 1, from and to from 0, and to is not before from")
        if inning > len(shown[1].innings):
            return error(404, "innings not begun")
        return self._dated(Reply(200, wire.ball_feed(*shown, inning, first, last)), shown, now)

    def _names(self, request: Request, _now: float) -> Reply:
        codes = {kind: [code for code in request.query.get(kind, "").split(",") if code] for kind in "pts"}
        if sum(map(len, codes.values())) > MOST_CODES_A_CALL:
            return error(400, f"at most {MOST_CODES_A_CALL} codes a call")
        world = self.world
        players = ((code, world.player_name(code)) for code in codes["p"])
        teams = ((code, world.team_name(code)) for code in codes["t"])
        series = ((code, world.series_name(code)) for code in codes["s"])
        found = {
            "p": [{"f_key": code, "n": name} for code, name in players if name],
            "t": [{"f_key": code, "n": names[0], "sn": names[1]} for code, names in teams if names],
            "s": [{"f_key": code, "n": name, "sn": name} for code, name in series if name],
        }
        return Reply(200, wire.encode(found))


def _key_of(request: Request) -> str:
    if request.path.startswith(PAGE_PREFIX):
        return request.path.rpartition(PAGE_MARK)[2]
    if request.path.startswith(PARTIAL_PREFIX):
        return request.path.removeprefix(PARTIAL_PREFIX)
    return request.query.get("key", "")


def _whole_number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 8 else None


def _not_found() -> Reply:
    return error(404, "match not found")


def _refusal(fault: Fault) -> Reply:
    headers = {} if fault.retry_after_seconds is None else {"Retry-After": str(fault.retry_after_seconds)}
    message = "match not found" if fault.status == 404 else fault.kind
    return replace(error(fault.status, message), headers=headers, fault=fault.kind)


def _malformed(fault: Fault, reply: Reply) -> Reply:
    """A 200 that is none: garbage, an error page, JSON of another kind, nothing."""
    bodies: Iterable[tuple[bytes, str]] = (
        (b"\x00\xff\xfe{]" + reply.body[10:40][::-1], reply.content_type),
        (b"<!DOCTYPE html><title>Oops</title><h1>Something went wrong</h1>", HTML),
        (b'["maintenance",{"code":7}]', JSON),
        (b"", reply.content_type),
    )
    body, content_type = list(bodies)[fault.variant]
    return replace(reply, status=200, body=body, content_type=content_type, fault=fault.kind)
