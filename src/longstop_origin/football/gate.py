"""Who is let in: bans, limits and tokens. What the site answers to those who are not."""

from urllib.parse import quote

from longstop_origin.exchange import HTML, Reply, Request
from longstop_origin.football.asked import CALLS, DOCUMENTS, OF_A_MATCH, Asked
from longstop_origin.football.callers import Caller, Callers
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.passes import COOKIE, HEADER, Passes
from longstop_origin.football.wire import encode
from longstop_origin.interstitial import challenge_page

CHALLENGE_HEADERS = {"cf-mitigated": "challenge", "Cache-Control": "no-store"}


def told(code: int, word: str, headers: dict[str, str] | None = None) -> Reply:
    """An error as the site writes it: a reason where it refuses, else a message."""
    name = "reason" if code == 403 else "message"
    return Reply(code, encode({"error": {"code": code, name: word}}), headers=headers or {}, fault=word)


class Gate:
    """`guards` may be changed at any time."""

    def __init__(self, guards: FootballGuards, seed: str) -> None:
        self.guards = guards
        self.callers = Callers()
        self.passes = Passes(seed)
        self._seed = seed
        self._asked = 0

    def refusal(self, request: Request, asked: Asked, address: str, now: float) -> Reply | None:
        """What is answered instead, None when the request may pass."""
        self._asked += 1
        caller = self.callers.met(address, now)
        caller.calls += asked.kind in CALLS
        if now < caller.banned_until:
            caller.while_banned += 1
            return self._challenge(request, asked, caller)
        if asked.kind in CALLS | DOCUMENTS and self._is_drawn(self.guards.challenge):
            return self._challenge(request, asked, caller)
        if asked.kind in CALLS:
            return self._throttle(caller, address, now) or self._token(request, asked, now)
        return None

    def hits(self) -> bool:
        """Whether a fault that hits a share of the requests hits this one."""
        return self._is_drawn(self.guards.share)

    def _is_drawn(self, percent: float) -> bool:
        """By number, spread evenly, so that a share is one also of few requests."""
        spread = (self._asked * 0.618033988749895) % 1.0
        return spread * 100 < percent

    def _challenge(self, request: Request, asked: Asked, caller: Caller) -> Reply:
        caller.challenged += 1
        if asked.kind not in DOCUMENTS:
            return told(403, "challenge")
        page = challenge_page(quote(request.path), self._asked)
        return Reply(403, page, HTML, CHALLENGE_HEADERS, fault="challenge")

    def _throttle(self, caller: Caller, address: str, now: float) -> Reply | None:
        lately = self.callers.calls_lately(address, now)
        if self.guards.limit is None or lately <= self.guards.limit:
            caller.throttled_in_a_row = 0
            return None
        caller.throttled += 1
        caller.throttled_in_a_row += 1
        if self.guards.ban_after is not None and caller.throttled_in_a_row >= self.guards.ban_after:
            self.callers.ban([address], now + self.guards.ban)
        return told(429, "Too Many Requests", {"Retry-After": str(self.guards.retry_after)})

    def _token(self, request: Request, asked: Asked, now: float) -> Reply | None:
        lasts = self.guards.token
        if lasts is None or asked.kind not in OF_A_MATCH:
            return None
        fault = self.passes.fault(request.cookie(COOKIE), request.header(HEADER), now, lasts)
        return told(403, fault) if fault else None
