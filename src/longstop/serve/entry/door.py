"""The door before every route: who asks, may he, and not too often. What has no rule admits nobody.

It stands between router and handler, so it knows the route and not only the address: no spelling of a path leads past
it. Whoever is known costs a look into a table; whoever is refused is counted by his address.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from longstop.clock import Clock
from longstop.domain.access import Scope
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.doorkeeper import distance, foreign_page, objection
from longstop.serve.entry.addresses import Addresses
from longstop.serve.entry.audit import subject_of, verb_of
from longstop.serve.entry.limits import Limiter, Policy, Verdict
from longstop.serve.entry.passes import Passes
from longstop.serve.entry.rules import Access, is_logged, rule_of
from longstop.serve.entry.sessions import COOKIE, CSRF_HEADER, is_same
from longstop.serve.entry.tokens import Audience, NotBelieved
from longstop.serve.entry.visit import LOCAL, Caller, Visit, visit_of
from longstop.serve.problems import (
    BAD_TOKEN,
    NO_RULE,
    NO_TOKEN,
    NOT_FROM_HERE,
    SCOPE_MISSING,
    TOO_MANY,
    ApiError,
)

ASGIApp = Callable[[Any, Any, Any], Awaitable[None]]

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SCOPE_OF: Final[Mapping[Access, Scope]] = {
    Access.READ: Scope.READ,
    Access.PUSH: Scope.PUSH,
    Access.ADMIN: Scope.ADMIN,
}
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="longstop"'}
_CHALLENGE_BAD: Final = {"WWW-Authenticate": 'Bearer realm="longstop", error="invalid_token"'}
_WORDS: Final[Mapping[str, str]] = {
    "expired": "The token has run out.",
    "revoked": "The token, or the key behind it, has been revoked or has run out.",
}


@dataclass(frozen=True, slots=True)
class Openness:
    """What somebody at this machine may do without a token."""

    reading: bool = True
    admin: bool = False

    def admits(self, access: Access) -> bool:
        return self.reading if access is Access.READ else self.admin


class Door:
    """`passes` None believes no token at all. Made once; `before` puts it before each route."""

    def __init__(
        self,
        passes: Passes | None,
        limiter: Limiter,
        addresses: Addresses,
        openness: Callable[[], Openness],
        attempts: Callable[[], Policy],
        clock: Clock,
        bus: Signals,
    ) -> None:
        self._passes = passes
        self._judge = None if passes is None else passes.is_good
        self._rules: dict[Any, tuple[Access | None, bool]] = {}
        self._limiter = limiter
        self.addresses = addresses
        self._openness = openness
        self._attempts = attempts
        self._clock = clock
        self._bus = bus

    def before(self, app: ASGIApp) -> ASGIApp:
        """The middleware of every route."""

        async def enter(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                await self.admit(scope)
            await app(scope, receive, send)

        return enter

    async def admit(self, scope: Any) -> None:
        visit = visit_of(scope)
        handler = scope["route_handler"]
        visit.endpoint, visit.parameters = scope.get("path_template", ""), scope.get("path_params", {})
        found = self._rules.get(handler)
        if found is None:
            found = self._rules[handler] = (rule_of(handler), is_logged(handler))
        access, visit.is_logged = found
        if access is None:
            raise ApiError(NO_RULE, "Nobody has said yet who may use this address.")
        if access is Access.PUBLIC:
            return
        try:
            visit.caller = caller = self._identified(scope, access)
        except ApiError as refusal:
            self._tell(visit, access, refusal)
            await self.count_attempt(scope)
            raise
        if caller.policy is not None:
            visit.judge = self._judge
            await self.count(visit, caller)
        wanted = _SCOPE_OF[access]
        if not caller.may(wanted):
            refused = _scope_missing(caller, wanted)
            self._tell(visit, access, refused)
            raise refused

    async def count(self, visit: Visit, caller: Caller) -> None:
        """One request of this caller; raises when it is one too many."""
        assert caller.policy is not None
        verdict = await self._limiter.take(caller.bucket, caller.policy)
        visit.headers = verdict.headers()
        if not verdict.is_allowed:
            raise too_many(verdict, f"{caller.consumer} has asked {verdict.policy.per_minute} times within a minute.")

    async def count_attempt(self, scope: Any) -> None:
        """One more that came to nothing; raises when this address has had too many of them."""
        self._require_patience(scope, await self._limiter.take(self._place(scope), self._attempts()))

    async def require_patience(self, scope: Any) -> None:
        """Before a key is looked at: an address that has guessed too often learns nothing more, right or wrong."""
        self._require_patience(scope, await self._limiter.look(self._place(scope), self._attempts()))

    def _place(self, scope: Any) -> str:
        return f"address {self.addresses.of(scope)}"

    def _require_patience(self, scope: Any, verdict: Verdict) -> None:
        if not verdict.is_allowed:
            visit_of(scope).headers = verdict.headers()
            raise too_many(verdict, "From this address too many requests came that were refused.")

    def _identified(self, scope: Any, access: Access) -> Caller:
        bearer, session = _credentials(scope["headers"])
        if bearer is not None:
            return self._believed(bearer, Audience.API)
        if session is not None:
            caller = self._believed(session, Audience.CONSOLE)
            _require_own_page(scope, session)
            return caller
        if not self._openness().admits(access):
            raise ApiError(NO_TOKEN, "This address needs a token.", headers=_CHALLENGE)
        return self._at_this_machine(scope)

    def _at_this_machine(self, scope: Any) -> Caller:
        headers, peer = scope["headers"], scope["client"][0] if scope.get("client") else ""
        if said := distance(headers, peer):
            raise ApiError(NO_TOKEN, f"This address needs a token. {said}", headers=_CHALLENGE)
        if said := objection(headers, peer):
            raise ApiError(NOT_FROM_HERE, said)
        return _LOCAL_ADMIN if self._openness().admin else _LOCAL_READER

    def _believed(self, token: bytes, audience: Audience) -> Caller:
        if self._passes is None:
            raise ApiError(BAD_TOKEN, "No tokens are given out here.", headers=_CHALLENGE_BAD)
        try:
            return self._passes.caller(token, audience)
        except NotBelieved as doubt:
            words = _WORDS.get(doubt.reason, "The token is none of ours.")
            raise ApiError(BAD_TOKEN, words, headers=_CHALLENGE_BAD) from None

    def _tell(self, visit: Visit, access: Access, refusal: ApiError) -> None:
        self._bus.emit(signals.CallerRefused(at=self._clock.now(), reason=refusal.kind.name, endpoint=visit.endpoint))
        if access is Access.ADMIN:
            visit.is_told = True
            self._bus.emit(
                signals.AdminVerbUsed(
                    at=self._clock.now(),
                    verb=verb_of(visit.endpoint),
                    subject=subject_of(visit.parameters),
                    outcome="refused",
                    detail=refusal.detail,
                    request_id=visit.request_id,
                    consumer=visit.consumer,
                    key_id=visit.key_id,
                )
            )


_LOCAL_READER: Final = Caller(LOCAL, "", frozenset({Scope.READ}), None)
_LOCAL_ADMIN: Final = Caller(LOCAL, "", frozenset({Scope.ADMIN}), None)


def _credentials(headers: Any) -> tuple[bytes | None, bytes | None]:
    """A bearer token, or the session of the page. Two of one kind are none: nobody shall choose between them."""
    bearers: list[bytes] = []
    sessions: list[bytes] = []
    for name, value in headers:
        if name == b"authorization":
            bearers.append(value[7:] if value[:7].lower() == b"bearer " else b"")
        elif name == b"cookie" and COOKIE in value:
            pairs = (part.strip().partition(b"=") for part in value.split(b";"))
            sessions.extend(content for key, _, content in pairs if key == COOKIE)
    bearer = None if not bearers else bearers[0] if len(bearers) == 1 else b""
    session = None if not sessions else sessions[0] if len(sessions) == 1 else b""
    return bearer, session


def _scope_missing(caller: Caller, wanted: Scope) -> ApiError:
    had = ", ".join(sorted(caller.scopes)) or "nothing"
    challenge = {"WWW-Authenticate": f'Bearer realm="longstop", error="insufficient_scope", scope="{wanted}"'}
    return ApiError(SCOPE_MISSING, f"It needs the scope {wanted}; the token has {had}.", headers=challenge)


def _require_own_page(scope: Any, session: bytes) -> None:
    """A cookie is sent by browsers whoever asks them to: what changes something must come from our own page."""
    if scope["method"] in _SAFE:
        return
    given = {name.decode("latin-1"): value.decode("latin-1").strip() for name, value in scope["headers"]}
    said = foreign_page(given, ("http", "https"))
    if not said and not is_same(given.get(CSRF_HEADER, ""), session):
        said = f"Its {CSRF_HEADER} header is missing or not that of this login."
    if said:
        raise ApiError(NOT_FROM_HERE, said)


def too_many(verdict: Verdict, detail: str) -> ApiError:
    return ApiError(TOO_MANY, detail, headers={"Retry-After": str(max(1, verdict.reset_seconds))})
