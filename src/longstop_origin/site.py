"""Answers requests for the site from its world, with the faults of its plan. No sockets, no waiting: the server and
the in-process replay both stand on it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from longstop_origin import faults, pages, wire
from longstop_origin.board import MatchBoard
from longstop_origin.faults import Fault, FaultPlan
from longstop_origin.fixture import Fixture
from longstop_origin.world import World

JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
MOST_CODES_A_CALL = 200

LIST_PATHS = ("/", "/cricket-live-score")
PAGE_PREFIX = "/cricket-live-score/"
PAGE_MARK = "-match-updates-"
ROBOTS = "User-agent: *\nAllow: /\nDisallow: /_origin/\n"


class Request(Struct, frozen=True):
    method: str
    path: str
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Reply(Struct, frozen=True):
    """What goes out. `broken` is reset or hang when nothing does; `cut_at` is where a truncated body ends.

    A hang waits `delay_seconds` and is cut then. `fault` names what the plan did, None when nothing.
    """

    status: int
    body: bytes = b""
    content_type: str = JSON
    headers: Mapping[str, str] = {}
    delay_seconds: float = 0.0
    broken: str | None = None
    cut_at: int | None = None
    fault: str | None = None

    @property
    def is_hung(self) -> bool:
        return self.broken == "hang"

    @property
    def is_reset(self) -> bool:
        return self.broken == "reset"


class Site:
    """One site: a world, what goes wrong with it, and a count of what was asked."""

    def __init__(self, world: World, plan: FaultPlan | None = None) -> None:
        self.world = world
        self.plan = plan or FaultPlan()
        self.requests: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self._ordinals: Counter[tuple[str, str]] = Counter()
        self._list: tuple[float, float, list[Fixture]] = (0.0, 0.0, [])
        self._calls: dict[str, tuple[str, Callable[[Request, float], Reply]]] = {
            "/fixture/getFixture": (faults.LIST, self._fixtures),
            "/api/v3/getSV3": (faults.STATE, self._state),
            "/api/v3/getSC4": (faults.CARD, self._card),
            "/commentary/getBallFeeds": (faults.FEED, self._feed),
            "/mapping/getHomeMapData": (faults.NAMES, self._names),
        }

    def respond(self, request: Request, now: float) -> Reply:
        """The answer to this request at this moment. Asking counts: the plan knows requests by their number."""
        reply = self._finished(request, self._answer(request, now))
        self.requests[f"{self._counted_path(request.path)} {reply.broken or reply.status}"] += 1
        if reply.fault is not None:
            self.faults[reply.fault] += 1
        return reply

    def _answer(self, request: Request, now: float) -> Reply:
        if request.method not in ("GET", "HEAD"):
            return _error(405, "only GET is answered here")
        if request.path == "/robots.txt":
            return Reply(200, ROBOTS.encode(), PLAIN)
        asked, answer = self._call(request.path)
        if answer is None:
            return _error(404, "no such page")
        key = _key_of(request) if asked in faults.OF_A_MATCH else ""
        self._ordinals[key, asked] += 1
        fault = self.plan.decide(key, self._ordinals[key, asked], asked, now)
        if fault is None:
            return answer(request, now)
        return self._faulty(fault, request, now)

    def _call(self, path: str) -> tuple[str, Callable[[Request, float], Reply] | None]:
        if path in LIST_PATHS:
            return faults.LIST, self._list_page
        if path.startswith(PAGE_PREFIX) and PAGE_MARK in path:
            return faults.PAGE, self._page
        return self._calls.get(path, ("", None))

    def _counted_path(self, path: str) -> str:
        asked, answer = self._call(path)
        return (asked if path.startswith(PAGE_PREFIX) else path) if answer else "other"

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
        reply = whole(request, now) if whole else _error(404, "no such page")
        if fault.kind == "latency":
            return replace(reply, delay_seconds=fault.delay_seconds, fault=fault.kind)
        if fault.kind == "truncated":
            return replace(reply, cut_at=int(fault.share * len(reply.body)), fault=fault.kind)
        return _malformed(fault, reply)

    def _stale(self, request: Request, now: float) -> Reply:
        asked = self._call(request.path)[0]
        answers = {faults.PAGE: self._page, faults.STATE: self._state, faults.CARD: self._card, faults.FEED: self._feed}
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
            return Reply(404, b"<!DOCTYPE html><title>Not found</title><h1>Match not found</h1>", HTML)
        if salt is not None:
            return Reply(200, pages.changed_page(*shown, salt), HTML)
        return Reply(200, pages.match_page(*shown, wire.live_state(*shown, self.world.options.epoch)), HTML)

    def _state(self, request: Request, now: float, *, is_stale: bool = False) -> Reply:
        shown = self._shown(request, now, is_stale=is_stale)
        return _not_found() if shown is None else Reply(200, wire.live_state(*shown, self.world.options.epoch))

    def _card(self, request: Request, now: float, *, is_stale: bool = False) -> Reply:
        shown = self._shown(request, now, is_stale=is_stale)
        return _not_found() if shown is None else Reply(200, wire.scorecard(*shown))

    def _feed(self, request: Request, now: float, *, is_stale: bool = False) -> Reply:
        shown = self._shown(request, now, is_stale=is_stale)
        if shown is None:
            return _not_found()
        numbers = [_whole_number(request.query.get(name)) for name in ("inning", "from", "to")]
        inning, first, last = (number if number is not None else -1 for number in numbers)
        if inning < 1 or first < 0 or last < first:
            return _error(400, "inning counts from 1, from and to from 0, and to is not before from")
        if inning > len(shown[1].innings):
            return _error(404, "innings not begun")
        return Reply(200, wire.ball_feed(*shown, inning, first, last))

    def _names(self, request: Request, _now: float) -> Reply:
        codes = {kind: [code for code in request.query.get(kind, "").split(",") if code] for kind in "pts"}
        if sum(map(len, codes.values())) > MOST_CODES_A_CALL:
            return _error(400, f"at most {MOST_CODES_A_CALL} codes a call")
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

    def _finished(self, request: Request, reply: Reply) -> Reply:
        """Adds the headers, among them what lets a client ask again cheaply."""
        headers = {"Content-Type": reply.content_type, "Cache-Control": "no-cache", **reply.headers}
        if reply.status != 200:
            return replace(reply, headers=headers)
        headers["ETag"] = etag = f'"{blake2b(reply.body, digest_size=8).hexdigest()}"'
        if reply.fault is None and _matches(etag, request.headers):
            return Reply(304, b"", reply.content_type, headers)
        return replace(reply, headers=headers)


def _matches(etag: str, headers: Mapping[str, str]) -> bool:
    wanted = next((value for name, value in headers.items() if name.lower() == "if-none-match"), "")
    return etag in wanted or wanted.strip() == "*"


def _key_of(request: Request) -> str:
    if request.path.startswith(PAGE_PREFIX):
        return request.path.rpartition(PAGE_MARK)[2]
    return request.query.get("key", "")


def _whole_number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 8 else None


def _error(status: int, message: str) -> Reply:
    return Reply(status, wire.encode({"error": message}))


def _not_found() -> Reply:
    return _error(404, "match not found")


def _refusal(fault: Fault) -> Reply:
    headers = {} if fault.retry_after_seconds is None else {"Retry-After": str(fault.retry_after_seconds)}
    message = "match not found" if fault.status == 404 else fault.kind
    return replace(_error(fault.status, message), headers=headers, fault=fault.kind)


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
