"""The guards at work: who is let in, and what a page gets for its way. It remembers nothing but counts."""

from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from urllib.parse import parse_qsl, quote

import msgspec
from msgspec import Struct

from longstop_origin import faults, interstitial, traps, wire
from longstop_origin.exchange import HTML, Reply, Request, error
from longstop_origin.guards import A_MATCH, Guards
from longstop_origin.sessions import COOKIE, WALL_COOKIE, Claims, Session, Sessions, TokenError

SESSION_PATH = "/auth/session"
LOGIN_PATH = "/login"
# What a request asks for, besides what faults.py knows: the list as JSON, and a token.
LIST_CALL, SESSION_CALL = "list call", "session call"
MATCH_CALLS = frozenset({faults.STATE, faults.CARD, faults.FEED, faults.NAMES})
HELD_CALLS = MATCH_CALLS | {SESSION_CALL}
PAGES = frozenset({faults.LIST, faults.PAGE, faults.PARTIAL})
COUNTED_CALLS = MATCH_CALLS | {LIST_CALL}
TOKEN_SECONDS_DEFAULT = 60.0
USER_AGENTS_MAX = 200
USER_AGENT_LENGTH_MAX = 160

Check = Callable[[Request, str, float], Reply | None]


class Knock(Struct, frozen=True):
    """What a page sends to get a token."""

    key: str
    nonce: str
    proof: str


class Pass(Struct, frozen=True):
    """What a page takes along: the number its script works with, and the cookie of a new session."""

    nonce: str = ""
    set_cookie: str | None = None


class Gate:
    """`guards` may be changed at any time. `teams` tells a match's teams as its page has them, None for no match."""

    def __init__(self, guards: Guards, seed: str, teams: Callable[[str, float], str | None]) -> None:
        self.guards = guards
        self.refused: Counter[str] = Counter()
        self.user_agents: Counter[str] = Counter()
        self.page_loads = 0
        self.token_grants = 0
        self._sessions = Sessions(blake2b(seed.encode(), digest_size=32).digest())
        self._teams = teams
        self._requests = 0
        self._counted_calls = 0
        self._checks: dict[str, tuple[frozenset[str], Check]] = {
            "challenge": (PAGES | HELD_CALLS | {LIST_CALL}, self._challenge),
            "refuse-every": (COUNTED_CALLS, self._refuse_every),
            "server-rendered": (MATCH_CALLS - {faults.NAMES}, self._without_json),
            "cookie": (PAGES | HELD_CALLS, self._wall),
            "page-only": (HELD_CALLS, self._page_only),
            "login": (MATCH_CALLS, self._login),
            "token": (MATCH_CALLS, self._token),
            "trap": (MATCH_CALLS, self._trap),
        }

    def greet(self, request: Request) -> None:
        """Counts who comes; strangers beyond the first hundreds are one."""
        sent = request.header("User-Agent")[:USER_AGENT_LENGTH_MAX]
        name = sent.encode("ascii", "backslashreplace").decode() or "none"
        is_known = name in self.user_agents or len(self.user_agents) < USER_AGENTS_MAX
        self.user_agents[name if is_known else "others"] += 1

    def refusal(self, request: Request, asked: str, now: float) -> Reply | None:
        """What is answered instead, None when the request may pass."""
        self._requests += 1
        self._counted_calls += asked in COUNTED_CALLS
        for name, (held, check) in self._checks.items():
            refusal = check(request, asked, now) if asked in held else None
            if refusal is not None:
                self.refused[name] += 1
                return refusal
        return None

    # The checks, in their order

    def _challenge(self, request: Request, _asked: str, _now: float) -> Reply | None:
        guards = self.guards
        if guards.challenge is None or _chance(self._requests) * 100 >= guards.challenge_share:
            return None
        page = interstitial.challenge_page(request.path, self._requests)
        return Reply(guards.challenge, page, HTML, {"cf-mitigated": "challenge", "Cache-Control": "no-store"})

    def _refuse_every(self, _request: Request, _asked: str, _now: float) -> Reply | None:
        every = self.guards.refuse_every
        return error(403, "forbidden") if every is not None and self._counted_calls % every == 0 else None

    def _without_json(self, _request: Request, _asked: str, _now: float) -> Reply | None:
        return error(404, "no such call") if self.guards.server_rendered else None

    def _wall(self, request: Request, asked: str, now: float) -> Reply | None:
        lasts = self.guards.cookie
        if lasts is None or self._sessions.is_wall_cookie(request.cookie(WALL_COOKIE), now, lasts):
            return None
        if asked not in (faults.LIST, faults.PAGE):
            return error(403, "cookie missing")
        page = interstitial.wall_page(self._sessions.riddle(now), lasts)
        return Reply(200, page, HTML, {"Cache-Control": "no-store"})

    def _page_only(self, request: Request, _asked: str, _now: float) -> Reply | None:
        if not self.guards.page_only:
            return None
        is_own = request.header("Sec-Fetch-Site") == "same-origin"
        is_script = request.header("Sec-Fetch-Mode") in ("cors", "same-origin")
        return None if is_own and is_script else error(403, "only for our own pages")

    def _login(self, request: Request, _asked: str, now: float) -> Reply | None:
        if self.guards.login is None or self._session(request, now) is not None:
            return None
        return Reply(302, b"", HTML, {"Location": f"{LOGIN_PATH}?next={quote(request.path, errors='replace')}"})

    def _token(self, request: Request, _asked: str, now: float) -> Reply | None:
        if self.guards.token is None:
            return None
        try:
            claims = self._claims(request, now)
        except TokenError as why:
            return error(401, str(why), WWW_Authenticate="Bearer")
        key = request.query.get("key")
        is_for_another = self.guards.token_scope == A_MATCH and key is not None and claims.key != key
        return error(401, "token of another match", WWW_Authenticate="Bearer") if is_for_another else None

    def _claims(self, request: Request, now: float) -> Claims:
        """Both are needed: the token, and the cookie of the session that it was given to."""
        scheme, _, token = request.header("Authorization").partition(" ")
        if scheme.lower() != "bearer":
            raise TokenError("token missing")
        claims = self._sessions.claims(token.strip(), now)
        session = self._session(request, now)
        if session is None or session.id != claims.sid:
            raise TokenError("token of another session")
        return claims

    def _trap(self, _request: Request, _asked: str, _now: float) -> Reply | None:
        if self.guards.trap is None:
            return None
        path, _, query = self.guards.trap.partition("?")
        return traps.trap(Request("GET", f"{traps.PREFIX}{path}", dict(parse_qsl(query))))

    # Sessions

    def _session(self, request: Request, now: float) -> Session | None:
        """The caller's session, as long as it lasts."""
        session = self._sessions.session(request.cookie(COOKIE))
        lasts = self.guards.login
        is_over = session is not None and lasts is not None and now - session.began_at >= lasts
        return None if is_over else session

    def admit(self, request: Request, key: str, now: float) -> Pass:
        """Counts a page load, and begins a session where one is needed and none is there."""
        self.page_loads += 1
        if self.guards.token is None and self.guards.login is None:
            return Pass()
        session, set_cookie = self._session(request, now), None
        if session is None:
            cookie, session = self._sessions.begin(now)
            set_cookie = f"{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Lax"
        return Pass(self._sessions.nonce(session, key, now), set_cookie)

    def grant(self, request: Request, now: float) -> Reply:
        """A token for whoever comes from a page and has done its sum."""
        session = self._session(request, now)
        if session is None:
            return error(401, "no session")
        try:
            knock = msgspec.json.decode(request.body, type=Knock)
        except msgspec.DecodeError:
            return error(400, "key, nonce and proof are wanted")
        teams = self._teams(knock.key, now)
        page = (knock.nonce, teams or "")
        if teams is None or not self._sessions.is_proof(session, knock.key, page, knock.proof, now):
            self.refused["proof"] += 1
            return error(403, "bad proof")
        self.token_grants += 1
        lasts = self.guards.token or TOKEN_SECONDS_DEFAULT
        key = knock.key if self.guards.token_scope == A_MATCH else None
        token, expires_in = self._sessions.token(session, now, lasts, key)
        nonce = self._sessions.nonce(session, knock.key, now)
        body = wire.encode({"token": token, "expires_in": round(expires_in, 3), "nonce": nonce})
        return Reply(200, body, headers={"Cache-Control": "no-store"})

    def login_page(self, request: Request) -> Reply:
        return Reply(200, interstitial.login_page(request.query.get("next", "/")), HTML)


def _chance(ordinal: int) -> float:
    """From 0 up to 1, for ever the same for the same request number."""
    return int.from_bytes(blake2b(f"challenge:{ordinal}".encode(), digest_size=4).digest()) / 2**32
