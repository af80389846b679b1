"""The routes of getting in: a token for a key, a login for the page, and the log of who came."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final

from litestar import Request, Response, Router, get, post
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency, Provide
from litestar.openapi import ResponseSpec
from litestar.openapi.spec import Example, OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import JSONBody, QueryParameter, SkipValidation
from msgspec import Struct

from longstop.clock import Clock
from longstop.domain.access import AccessEntry, require_consumer
from longstop.serve.doorkeeper import foreign_page
from longstop.serve.entry.giving import TokenDesk
from longstop.serve.entry.rules import ADMIN, PUBLIC, READ
from longstop.serve.entry.sessions import COOKIE, cookie, csrf_of
from longstop.serve.entry.token_form import asked_of
from longstop.serve.entry.tokens import Audience
from longstop.serve.entry.visit import visit_of
from longstop.serve.freshness import iso
from longstop.serve.negotiation import require_json_body
from longstop.serve.problems import MEDIA_TYPE, NO_TOKEN, NOT_FROM_HERE, ApiError, Problem, bad_parameter
from longstop.store.entry.access import AccessStore

BODY_BYTES_MAX: Final = 4_096
_ENTRIES_MAX: Final = 1_000
_Request = Request[Any, Any, Any]
Desk = NamedDependency[SkipValidation[TokenDesk]]
Log = NamedDependency[SkipValidation[AccessStore]]
Time = NamedDependency[SkipValidation[Clock]]


class TokenGiven(Struct, frozen=True):
    """As OAuth 2.0 has it; `token` is the same once more, `expires_at` the same moment as `expires_in`."""

    access_token: str
    token: str
    token_type: str
    expires_in: int
    expires_at: str
    scope: str


class LoginRequest(Struct, frozen=True):
    api_key: str


class Session(Struct, frozen=True):
    """Send `csrf_token` back as X-CSRF-Token with whatever changes something."""

    consumer: str
    scopes: list[str]
    csrf_token: str
    expires_at: str


class AccessRow(Struct, frozen=True):
    at: str
    consumer: str
    key_id: str
    method: str
    endpoint: str
    status: int
    duration_ms: float
    data_age_seconds: float | None
    request_id: str


class AccessList(Struct, frozen=True):
    entries: list[AccessRow]
    count: int


def _problem(words: str) -> ResponseSpec:
    return ResponseSpec(Problem, generate_examples=False, description=words, media_type=MEDIA_TYPE)


_REFUSALS: Final = {
    400: _problem("It cannot be read."),
    401: _problem("The key is not good."),
    403: _problem("The key does not allow this."),
    413: _problem("The body is too large."),
    429: _problem("Too many requests."),
}


@dataclass
class TokenOperation(Operation):
    """The body is read by hand, since it may be a form, so it is described by hand."""

    def __post_init__(self) -> None:
        text = Schema(type=OpenAPIType.STRING)
        json = Schema(type=OpenAPIType.OBJECT, properties={"api_key": text, "scope": text})
        grant = Schema(type=OpenAPIType.STRING, enum=["client_credentials"])
        form = Schema(
            type=OpenAPIType.OBJECT,
            properties={"grant_type": grant, "client_id": text, "client_secret": text, "scope": text},
            required=["grant_type"],
        )
        shown = Example(value={"api_key": "lsk_k7f3q2ab_…", "scope": "read"})
        self.request_body = RequestBody(
            content={
                "application/json": OpenAPIMediaType(schema=json, examples={"key": shown}),
                "application/x-www-form-urlencoded": OpenAPIMediaType(schema=form),
            },
            description="The key, in JSON or as OAuth's client credentials; or none, and the key in X-API-Key.",
        )


@post(
    "/token/generate-token",
    opt=PUBLIC,
    status_code=200,
    tags=["token"],
    summary="A token for an API key",
    responses=_REFUSALS,
    operation_class=TokenOperation,
    response_headers=[ResponseHeader(name="RateLimit", description="What is left.", documentation_only=True)],
)
async def generate_token(desk: Desk, request: _Request) -> Response[TokenGiven]:
    headers = request.headers
    asked = asked_of(
        headers.get("content-type", ""),
        await request.body(),
        headers.get("x-api-key"),
        headers.get("authorization"),
    )
    given = await desk.give(request.scope, asked.plain, asked.scope)
    claims = given.claims
    body = TokenGiven(
        access_token=given.token,
        token=given.token,
        token_type="Bearer",  # noqa: S106 - the name of a kind of token
        expires_in=int((claims.expires_at - claims.issued_at).total_seconds()),
        expires_at=iso(claims.expires_at),
        scope=" ".join(sorted(claims.scopes)),
    )
    return Response(body, headers={"Cache-Control": "no-store", "Pragma": "no-cache"})


@post("/console/login", opt=PUBLIC, status_code=200, responses=_REFUSALS)
async def login(desk: Desk, request: _Request, data: JSONBody[LoginRequest]) -> Response[Session]:
    # Nobody shall be logged in as somebody else by a page that he happens to look at.
    said = foreign_page(dict(request.headers.items()), ("http", "https"))
    if said:
        raise ApiError(NOT_FROM_HERE, said)
    given = await desk.give(request.scope, data.api_key.strip(), audience=Audience.CONSOLE)
    claims = given.claims
    seconds = int((claims.expires_at - claims.issued_at).total_seconds())
    is_secure = desk.door.addresses.is_secure(request.scope)
    body = Session(given.key.consumer, sorted(claims.scopes), csrf_of(given.token.encode()), iso(claims.expires_at))
    return Response(body, headers={"Set-Cookie": cookie(given.token, seconds, is_secure=is_secure)})


@get("/console/session", opt=READ)
async def session(request: _Request) -> Session:
    """Who is logged in; the page asks this when it is loaded."""
    caller = visit_of(request.scope).caller
    given = request.cookies.get(COOKIE.decode(), "")
    if caller is None or caller.until is None or not given:
        raise ApiError(NO_TOKEN, "Nobody is logged in here.")
    return Session(caller.consumer, sorted(caller.scopes), csrf_of(given.encode()), iso(caller.until))


@post("/console/logout", opt=READ, status_code=200)
async def logout(desk: Desk, request: _Request) -> Response[dict[str, bool]]:
    """The login ends here at once, and everywhere else within seconds."""
    caller = visit_of(request.scope).caller
    if caller is not None and caller.until is not None and caller.jti:
        await desk.directory.revoke(caller.jti, caller.until)
    is_secure = desk.door.addresses.is_secure(request.scope)
    return Response({"is_logged_in": False}, headers={"Set-Cookie": cookie("", 0, is_secure=is_secure)})


@get(
    "/admin/access",
    opt=ADMIN,
    tags=["admin"],
    summary="Who asked for what, by consumer and day, newest first",
    responses={400: _problem("A parameter is wrong."), 503: _problem("The database does not answer.")},
)
async def access_log(
    log: Log,
    time: Time,
    consumer: Annotated[str | None, QueryParameter(max_length=64, description="Only this one's.")] = None,
    day: Annotated[str | None, QueryParameter(max_length=10, description="As 2026-01-31, in UTC; else today.")] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=_ENTRIES_MAX, description="At most this many.")] = 100,
) -> AccessList:
    who = None if consumer is None else require_consumer(consumer)
    found = await log.entries(day_of(day, time.now()), consumer=who, limit=limit)
    return AccessList([row_of(entry) for entry in found], len(found))


def day_of(text: str | None, now: datetime) -> date:
    try:
        return now.date() if text is None else date.fromisoformat(text)
    except ValueError:
        raise bad_parameter("day", "must be a day, for example 2026-01-31.") from None


def row_of(entry: AccessEntry) -> AccessRow:
    return AccessRow(
        iso(entry.at),
        entry.consumer,
        entry.key_id,
        entry.method,
        entry.endpoint,
        entry.status,
        round(entry.duration_ms, 2),
        entry.data_age_seconds,
        entry.request_id,
    )


def entry_routers(desk: TokenDesk, log: AccessStore, clock: Clock) -> list[Router]:
    provided = {
        "desk": Provide(lambda: desk, sync_to_thread=False),
        "log": Provide(lambda: log, sync_to_thread=False),
        "time": Provide(lambda: clock, sync_to_thread=False),
    }
    most = BODY_BYTES_MAX
    public = Router("/", route_handlers=[generate_token, access_log], dependencies=provided, request_max_body_size=most)
    page = Router(
        "/",
        route_handlers=[login, session, logout],
        dependencies=provided,
        include_in_schema=False,
        before_request=require_json_body,
        request_max_body_size=most,
    )
    return [public, page]
