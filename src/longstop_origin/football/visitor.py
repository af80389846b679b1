"""A visitor of the football site without a socket or a browser: the seam of fetch.visits on virtual time.

Exits and their sessions are the engine's own, and each leaves by an address of its own, so that the site's bans, its
counts and its journal are of the same addresses as with real proxies.
"""

from collections.abc import Callable, Mapping
from random import Random
from urllib.parse import urlsplit

from msgspec import Struct

from longstop.clock import Clock
from longstop.domain.capture import NetworkFigures
from longstop.domain.errors import (
    ChallengeError,
    ExitFailedError,
    FetchError,
    LongstopError,
    MatchGoneError,
    SourceRefusedError,
    SourceTimeoutError,
    SourceUnreachableError,
)
from longstop.fetch.answers import require_usable
from longstop.fetch.exits.exit import Exit, exit_at
from longstop.fetch.exits.outcome import outcome_of
from longstop.fetch.exits.proxy_sessions import ExitEvent, ProxySessionManager, SessionLimits
from longstop.fetch.exits.session import ExitSession, SessionUse
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.visits.gate import OPEN, Gate
from longstop.fetch.visits.visit import OnStep, Visit, VisitOrder
from longstop_origin.exchange import Reply, Request
from longstop_origin.football import weather
from longstop_origin.football.asked import LINEUPS
from longstop_origin.football.passes import COOKIE, HEADER, answer_to
from longstop_origin.football.site import FootballSite

EXITS = 20
STEPS = {"intercept": ("browser_leased", "sent", "arrived"), "replay": ("asked_directly",)}
# What the document and its scripts weigh, once what brings no fact is blocked.
PAGE_BYTES, PAGE_REQUESTS, PAGE_BLOCKED = 115_000, 5, 46
CHALLENGE_MARK = b'"reason":"challenge"'
SLOW_SECONDS = 120.0


class Jar(Struct, frozen=True):
    """What a session got with its page."""

    cookie: str
    shown: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={self.cookie}", HEADER: self.shown}


NO_JAR = Jar("", "")


def exits_of(count: int = EXITS) -> tuple[Exit, ...]:
    return tuple(
        exit_at(f"http://reader:secret@10.9.{number // 250}.{number % 250 + 1}:3128") for number in range(count)
    )


class FootballVisitor:
    """`sky` may be changed at any time. `moment` is the site's time, for who does not trust the clock of the engine;
    `tell` hears of sessions and of exits that must rest."""

    def __init__(
        self,
        site: FootballSite,
        clock: Clock,
        sky: weather.Weather = weather.FAIR,
        *,
        exits: tuple[Exit, ...] = (),
        limits: SessionLimits | None = None,
        moment: Callable[[], float] | None = None,
        tell: Callable[[ExitEvent], None] | None = None,
    ) -> None:
        self.sky = sky
        self.site = site
        self._clock = clock
        self._moment = moment or (lambda: clock.now().timestamp())
        seed = site.world.options.seed
        self._rng = Random(f"{seed}:visits")
        self.exits = exits or exits_of()
        self.sessions = ProxySessionManager("sofascore", self.exits, Random(f"{seed}:exits"), limits, tell=tell)
        self._jars: dict[str, Jar] = {}
        self._open: dict[str, tuple[ExitSession, SessionUse]] = {}

    @property
    def addresses(self) -> list[str]:
        """Of all exits, as the site sees them."""
        return [each.address.host for each in self.exits]

    async def visit(self, order: VisitOrder, on_step: OnStep) -> Visit:
        session = self.sessions.take(order.key, self._clock.monotonic())
        self._open[order.key] = (session, SessionUse())
        befalls = self.sky.draw(self._moment(), self._rng)
        if befalls == weather.BANNED:
            self.site.gate.callers.ban([session.exit.address.host], self._moment() + weather.BAN_SECONDS)
        try:
            async with self._clock.timeout(order.deadline_seconds):
                return await self._go(_Errand(order, session, befalls), on_step)
        except TimeoutError as error:
            raise SourceTimeoutError(f"The visit of match {order.key} took too long.") from error

    def judged(self, order: VisitOrder, error: Exception | None) -> None:
        """A visit that was never begun is nobody's."""
        if order.key not in self._open:
            return
        session, use = self._open.pop(order.key)
        self.sessions.judge(session, order.key, outcome_of(error), self._clock.monotonic(), use)
        for ended in self.sessions.drain_ended():
            self._jars.pop(ended.session_id, None)

    async def list(self, request: FetchRequest, gate: Gate = OPEN) -> Snapshot:
        """By a session too; what comes of it is judged here."""
        gate.send()
        key = f"list:{request.url}"
        session = self.sessions.take(key, self._clock.monotonic())
        error: Exception | None = None
        try:
            errand = _Errand(_LIST_ORDER, session, self.sky.draw(self._moment(), self._rng))
            await self._travel(errand)
            return await self._asked(errand, request, self._jars.get(session.session_id, NO_JAR))
        except FetchError as failed:
            error = failed
            raise
        finally:
            self.sessions.judge(session, key, outcome_of(error), self._clock.monotonic())

    async def close(self) -> None:
        self.sessions.end_all(self._clock.monotonic())
        self._jars.clear()

    # One visit

    async def _go(self, errand: "_Errand", on_step: OnStep) -> Visit:
        """By the session's calls when it knows them; a page shows them again when they are refused."""
        errand.order.gate.send()
        await self._travel(errand)
        brought = await self._directly(errand)
        rung = "intercept" if brought is None else "replay"
        for step in STEPS[rung][:-1]:
            on_step(step)
        if brought is None:
            jar = self._jars[errand.session.session_id] = await self._opened(errand)
            brought = await self._called(errand, jar)
        on_step(STEPS[rung][-1])
        _require_enough(errand.order, brought)
        on_step("caught")
        network = _network(brought.snapshots, rung)
        self._open[errand.order.key] = (errand.session, SessionUse(network.requests_total, network.bytes_in))
        return Visit(brought.snapshots, rung, errand.session.view, network, brought.refusals)

    async def _directly(self, errand: "_Errand") -> "_Brought | None":
        """None when a page is needed: nothing is known yet, or what was known is refused."""
        jar = self._jars.get(errand.session.session_id)
        if jar is None:
            return None
        brought = await self._called(errand, jar)
        if brought.snapshots or not any(isinstance(each, SourceRefusedError) for each in brought.refusals.values()):
            return brought
        self._jars.pop(errand.session.session_id)
        return None

    async def _travel(self, errand: "_Errand") -> None:
        """What the network does, before the site has a word."""
        await self._clock.sleep(self._rng.uniform(*weather.USUAL_SECONDS))
        if errand.befalls == weather.SLOW:
            await self._clock.sleep(SLOW_SECONDS)
        if errand.befalls in (weather.UNREACHABLE, weather.DOWN):
            raise SourceUnreachableError("The connection broke.")
        if errand.befalls == weather.EXIT_FAILED:
            raise ExitFailedError("The proxy did not answer.", reason="unreachable")

    async def _opened(self, errand: "_Errand") -> Jar:
        """The match page, its document once: it gives the session its cookie and its pass."""
        page = urlsplit(errand.order.page).path or "/"
        reply = self.site.respond(Request("GET", page), self._moment(), errand.address)
        _require_answer(reply, "page", self._clock)
        cookie = reply.headers.get("Set-Cookie", "").partition("=")[2].partition(";")[0]
        return Jar(cookie, answer_to(self.site.gate.passes.given(cookie, self._moment())))

    async def _called(self, errand: "_Errand", jar: Jar) -> "_Brought":
        """A challenge ends it; what else is refused is told, family by family. An empty answer is handed on as it came:
        whether it means anything is for who knows the match to say."""
        brought = _Brought({}, {})
        for purpose, request in errand.order.calls.items():
            try:
                brought.snapshots[purpose] = await self._asked(errand, request, jar)
            except ChallengeError:
                raise
            except FetchError as error:
                brought.refusals[purpose] = error
        return brought

    async def _asked(self, errand: "_Errand", request: FetchRequest, jar: Jar) -> Snapshot:
        requested_at = self._clock.now()
        await self._clock.sleep(self._rng.uniform(0.02, 0.3))
        asked = Request(request.method, urlsplit(request.url).path, {}, {**dict(request.headers), **jar.headers})
        reply = self.site.respond(asked, self._moment(), errand.address)
        await self._clock.sleep(reply.delay_seconds)
        _require_answer(reply, request.purpose, self._clock)
        is_emptied = errand.befalls == weather.EMPTY and request.purpose == LINEUPS
        return Snapshot(
            request=request,
            status=reply.status,
            body=b"" if is_emptied else reply.body,
            requested_at=requested_at,
            fetched_at=self._clock.now(),
            headers={"Content-Type": reply.content_type, **reply.headers},
        )


class _Errand(Struct, frozen=True):
    order: VisitOrder
    session: ExitSession
    befalls: str

    @property
    def address(self) -> str:
        return self.session.exit.address.host


class _Brought(Struct, frozen=True):
    snapshots: dict[str, Snapshot]
    refusals: dict[str, LongstopError]


_LIST_ORDER = VisitOrder("sofascore", "", "", {}, frozenset())


def _require_enough(order: VisitOrder, brought: _Brought) -> None:
    """What is gone while the match itself answers is not published yet, and no failure."""
    came = brought.snapshots.keys() & order.required
    for purpose in sorted(order.required - came):
        error = brought.refusals[purpose]
        if not (came and isinstance(error, MatchGoneError)):
            raise error


def _require_answer(reply: Reply, purpose: str, clock: Clock) -> None:
    if reply.broken is not None:
        raise SourceUnreachableError(f"The {purpose} call failed: the connection broke ({reply.broken}).")
    if reply.status == 403 and (CHALLENGE_MARK in reply.body or reply.headers.get("cf-mitigated")):
        raise ChallengeError(f"The site asks in place of the {purpose} whether we are a person.")
    require_usable(reply.status, reply.headers, purpose, clock)


def _network(snapshots: Mapping[str, Snapshot], rung: str) -> NetworkFigures:
    is_page = rung == "intercept"
    return NetworkFigures(
        bytes_in=sum(len(snapshot.body) for snapshot in snapshots.values()) + PAGE_BYTES * is_page,
        requests_total=len(snapshots) + (PAGE_REQUESTS + PAGE_BLOCKED) * is_page,
        requests_blocked=PAGE_BLOCKED * is_page,
        calls_captured=len(snapshots),
    )
