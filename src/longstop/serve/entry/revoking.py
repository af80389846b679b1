"""The end of one token, before its time: named by its `jti`, or shown as it is. The keys and other tokens stay."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from litestar import Request, Router, post
from litestar.di import NamedDependency, Provide
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody, SkipValidation
from msgspec import Meta, Struct

from longstop.clock import Clock
from longstop.domain.errors import InputError, StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.entry.audit import AdminAudit
from longstop.serve.entry.directory import Directory
from longstop.serve.entry.rules import ADMIN
from longstop.serve.entry.tokens import TOKEN_CHARS_MAX, Audience, NotBelieved, Tokens
from longstop.serve.entry.visit import visit_of
from longstop.serve.freshness import iso
from longstop.serve.negotiation import require_json_body
from longstop.serve.problems import MEDIA_TYPE, NO_SUCH_TOKEN, ApiError, Problem

VERB: Final = "revoke token"
# Longer than that no token lives; one that was given out under longer settings is believed to its end.
LIFE_MAX: Final = timedelta(hours=720)
_JTI: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_BODY_BYTES_MAX: Final = 4_096


class RevokeRequest(Struct, frozen=True):
    """One of `jti` and `token`."""

    jti: Annotated[str, Meta(max_length=64, examples=["5f0c6a1b5f0c6a1b5f0c6a1b5f0c6a1b"])] = ""
    token: Annotated[str, Meta(max_length=TOKEN_CHARS_MAX)] = ""
    reason: Annotated[str, Meta(max_length=200)] = ""


class TokenRevoked(Struct, frozen=True):
    """Until when it is remembered: by then it would have run out by itself."""

    jti: str
    until: str


@dataclass(frozen=True, slots=True)
class RevokingDesk:
    directory: Directory
    tokens: Tokens
    audit: AdminAudit
    clock: Clock
    bus: Signals

    async def revoke(self, request: Request[Any, Any, Any], asked: RevokeRequest) -> TokenRevoked:
        """Told whatever comes of it."""
        jti, until = self._named(asked)
        outcome, detail = "failed", "a fault of ours; the log has it under the same request id"
        try:
            await self.directory.revoke(jti, until)
            outcome, detail = "done", ""
        except StoreError as error:
            detail = error.message
            raise
        finally:
            self._tell(request, jti, asked.reason, outcome, detail)
            await self.audit.written()
        return TokenRevoked(jti, iso(until))

    def _named(self, asked: RevokeRequest) -> tuple[str, datetime]:
        if bool(asked.jti) == bool(asked.token):
            raise ApiError(NO_SUCH_TOKEN, "One of jti and token names it, and not both.")
        if asked.jti:
            return _known_form(asked.jti), self.clock.now() + LIFE_MAX
        for audience in Audience:
            try:
                claims = self.tokens.read(asked.token, audience)
                return claims.jti, claims.expires_at
            except NotBelieved:
                continue
        raise ApiError(NO_SUCH_TOKEN, "The token is none that is good here, or has run out.")

    def _tell(self, request: Request[Any, Any, Any], jti: str, reason: str, outcome: str, detail: str) -> None:
        visit = visit_of(request.scope)
        visit.is_told = True
        self.bus.emit(
            signals.AdminVerbUsed(
                at=self.clock.now(),
                verb=VERB,
                outcome=outcome,
                reason=reason,
                detail=detail,
                request_id=visit.request_id,
                consumer=visit.consumer,
                key_id=visit.key_id,
                subject=jti,
            )
        )


def _known_form(text: str) -> str:
    try:
        return require_jti(text)
    except InputError as error:
        raise ApiError(NO_SUCH_TOKEN, error.message) from None


def require_jti(text: str) -> str:
    if not _JTI.fullmatch(text):
        raise InputError(
            f"{text[:40]!r} is no jti.", hint="It is what the token has under `jti`: 32 digits of 0 to 9 and a to f."
        )
    return text


_Desk = NamedDependency[SkipValidation[RevokingDesk]]


def _problem(words: str) -> ResponseSpec:
    return ResponseSpec(Problem, generate_examples=False, description=words, media_type=MEDIA_TYPE)


@post(
    "/admin/tokens/revoke",
    opt=ADMIN,
    status_code=200,
    tags=["admin"],
    summary="End one token: here at once, everywhere within 5 s",
    responses={
        400: _problem("The body is not of its form."),
        404: _problem("It names no token."),
        401: _problem("A token is needed."),
        403: _problem("The token does not allow it."),
        503: _problem("The database does not answer: it has ended here only."),
    },
)
async def revoke_token(revoking: _Desk, request: Request[Any, Any, Any], data: JSONBody[RevokeRequest]) -> TokenRevoked:
    return await revoking.revoke(request, data)


def revoking_router(desk: RevokingDesk) -> Router:
    return Router(
        "/",
        route_handlers=[revoke_token],
        dependencies={"revoking": Provide(lambda: desk, sync_to_thread=False)},
        before_request=require_json_body,
        request_max_body_size=_BODY_BYTES_MAX,
    )
