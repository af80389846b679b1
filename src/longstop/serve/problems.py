"""Errors as problem details (RFC 9457): a stable type, what happened, what to do, and an id to ask about it.

No answer shows a stack, a file or a setting: what went wrong inside goes to the log under the same request id.
"""

import logging
import math
from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from longstop.domain.errors import (
    IllegalTransitionError,
    InputError,
    InsufficientMemoryError,
    LeaseLostError,
    PayloadError,
    SourceNotReadyError,
    StoreError,
    UnknownJobError,
    UnknownMatchError,
    UnknownSourceError,
)
from longstop.domain.match import MatchStatus
from longstop.domain.rounds import JobState

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = 5

_Request = Request[Any, Any, Any]


class Kind(msgspec.Struct, frozen=True):
    """One row of the catalogue; `/problems/<name>` is its type."""

    name: str
    status: int
    title: str
    hint: str

    @property
    def type(self) -> str:
        return f"/problems/{self.name}"


BAD_PARAMETER = Kind(
    "bad-parameter", 400, "A parameter is wrong", "Correct what `errors` lists; /schema has the limits."
)
UNKNOWN_MATCH = Kind("unknown-match", 404, "There is no such match", "GET /cricket-data/matches lists those there are.")
UNKNOWN_JOB = Kind("unknown-job", 404, "There is no such job", "GET /api/scrape/jobs lists those there are.")
UNKNOWN_SOURCE = Kind("unknown-source", 404, "There is no such source", "GET /admin/sources lists those there are.")
SOURCE_NOT_READY = Kind(
    "source-not-ready", 422, "The source cannot be switched on", "Set what `errors` lists, restart, and ask again."
)
NOT_FOUND = Kind("not-found", 404, "There is nothing at this address", "/schema lists every address.")
FOREIGN_CURSOR = Kind(
    "foreign-cursor",
    410,
    "The cursor is of another record",
    "Begin again with after=0: what was told before came from a record that is not here any more.",
)
METHOD = Kind("method-not-allowed", 405, "This address cannot do that", "Use one of the methods in the Allow header.")
NOT_ACCEPTABLE = Kind("not-acceptable", 406, "Only JSON is spoken here", "Send `Accept: application/json`, or none.")
TOO_LARGE = Kind(
    "too-large", 413, "The request is too large", "Reading needs no body, a verb a small one; push in smaller batches."
)
UNSUPPORTED_MEDIA = Kind(
    "unsupported-media-type", 415, "The body is of a kind that is not read here", "/schema has the kinds that are."
)
TOO_LONG = Kind("address-too-long", 414, "The address is too long", "Shorten the path or the query.")
INTERNAL = Kind(
    "internal", 500, "Something went wrong inside", "Try again; if it stays, look for the request id in the log."
)
STORE_UNAVAILABLE = Kind(
    "store-unavailable", 503, "The database does not answer", "Try again in a few seconds; scraping goes on meanwhile."
)
NO_TOKEN = Kind(
    "no-token",
    401,
    "A token is needed",
    "POST your API key to /token/generate-token and send the token as `Authorization: Bearer …`.",
)
BAD_TOKEN = Kind("bad-token", 401, "The token is not good", "Get a new one with your API key at /token/generate-token.")
NO_SUCH_TOKEN = Kind(
    "no-such-token",
    404,
    "There is no such token",
    "Send the `jti` that the token has, or the token itself.",
)
BAD_KEY = Kind("bad-key", 401, "The API key is not good", "Check it, or ask for a new one: `longstop keys create`.")
SCOPE_MISSING = Kind(
    "scope-missing", 403, "The token does not allow this", "Use a key that has the scope: `longstop keys list`."
)
TOO_MANY = Kind("too-many-requests", 429, "Too many requests", "Wait for as many seconds as Retry-After says.")
NOT_FROM_HERE = Kind(
    "not-from-here",
    403,
    "Without a token this is for this machine only",
    "Send a token, or ask directly on this machine, for example: curl http://127.0.0.1:8000/cricket-data/matches",
)
NO_RULE = Kind("no-rule", 403, "This address is shut", "That is a fault of ours; please report it.")
NOT_POSSIBLE_NOW = Kind(
    "not-possible-now", 409, "That cannot be done in this state", "Look at the match first, then ask again."
)
SETTINGS_REFUSED = Kind(
    "settings-refused", 422, "The new settings cannot be used", "The old ones stay. Correct what `errors` lists."
)
TOO_SLOW = Kind(
    "too-slow", 504, "It takes longer than expected", "It may still be done; look at the log before asking again."
)
INSUFFICIENT_MEMORY = Kind(
    "insufficient-memory",
    503,
    "Insufficient memory resources",
    "The start is tried again by itself; the log shows who has how much of the memory.",
)
NOT_INSTALLED = Kind(
    "not-installed", 501, "An optional part is not installed", "Ask for another format, or install the extra `parquet`."
)
TOO_MANY_STREAMS = Kind(
    "too-many-streams",
    503,
    "Too many streams are open",
    "Come again a little later, or ask for events with `wait`; api.streams says how many may be open.",
)
TOO_MANY_CONNECTIONS = Kind(
    "too-many-connections",
    503,
    "Too many connections are open",
    "Close what you do not need and come again; api.limits says how many there may be.",
)
REQUEST_TOO_SLOW = Kind("request-too-slow", 408, "The request came too slowly", "Send it again, in one piece.")
HEAD_TOO_LARGE = Kind("head-too-large", 431, "The headers are too large", "Send fewer or shorter headers.")
BAD_REQUEST = Kind("bad-request", 400, "That is no HTTP request", "Send HTTP/1.1 as RFC 9112 has it.")
TOO_MANY_PAGES = Kind(
    "too-many-pages", 503, "No more pages can be streamed to", "Ask GET /ops/board instead, or close another page."
)
PUSH_CONFLICT = Kind(
    "push-conflict", 409, "The key was used for another content", "Use a key once; the same content may be repeated."
)
PUSHES_FULL = Kind(
    "pushes-full", 503, "Too much waits to be read", "Push it again when Retry-After has passed; nothing was taken."
)
OTHER = Kind("other", 400, "The request cannot be served", "/schema describes what is understood.")

CATALOGUE: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        BAD_PARAMETER,
        UNKNOWN_MATCH,
        UNKNOWN_SOURCE,
        UNKNOWN_JOB,
        SOURCE_NOT_READY,
        NOT_FOUND,
        FOREIGN_CURSOR,
        METHOD,
        NOT_ACCEPTABLE,
        TOO_LARGE,
        UNSUPPORTED_MEDIA,
        TOO_LONG,
        INTERNAL,
        STORE_UNAVAILABLE,
        NO_TOKEN,
        BAD_TOKEN,
        NO_SUCH_TOKEN,
        BAD_KEY,
        SCOPE_MISSING,
        TOO_MANY,
        NOT_FROM_HERE,
        NO_RULE,
        NOT_POSSIBLE_NOW,
        SETTINGS_REFUSED,
        TOO_SLOW,
        INSUFFICIENT_MEMORY,
        NOT_INSTALLED,
        TOO_MANY_STREAMS,
        TOO_MANY_CONNECTIONS,
        REQUEST_TOO_SLOW,
        HEAD_TOO_LARGE,
        BAD_REQUEST,
        TOO_MANY_PAGES,
        PUSH_CONFLICT,
        PUSHES_FULL,
        OTHER,
    )
}
_BY_STATUS: Mapping[int, Kind] = {
    400: BAD_PARAMETER,
    404: NOT_FOUND,
    405: METHOD,
    406: NOT_ACCEPTABLE,
    413: TOO_LARGE,
    415: UNSUPPORTED_MEDIA,
}


class Fault(msgspec.Struct, frozen=True):
    parameter: str
    detail: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """application/problem+json"""

    type: str
    title: str
    status: int
    detail: str
    hint: str
    request_id: str
    errors: tuple[Fault, ...] = ()


class ApiError(Exception):
    """Raised by our own handlers; becomes a problem."""

    def __init__(self, kind: Kind, detail: str, *faults: Fault, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.headers = headers
        self.kind = kind
        self.detail = detail
        self.faults = faults


def bad_parameter(parameter: str, detail: str) -> ApiError:
    return ApiError(BAD_PARAMETER, f"{parameter}: {detail}", Fault(parameter, detail))


def problem_of(kind: Kind, detail: str, request_id: str, faults: tuple[Fault, ...] = ()) -> Problem:
    return Problem(kind.type, kind.title, kind.status, detail, kind.hint, request_id, faults)


def _answer(
    request: _Request, kind: Kind, detail: str, faults: tuple[Fault, ...] = (), headers: Mapping[str, str] | None = None
) -> Response[bytes]:
    problem = problem_of(kind, detail, request_id_of(request), faults)
    body = msgspec.json.encode(problem)
    return Response(body, status_code=kind.status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


def request_id_of(request: _Request) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))


def on_api_error(request: _Request, error: ApiError) -> Response[bytes]:
    return _answer(request, error.kind, error.detail, error.faults, error.headers)


def on_input_error(request: _Request, error: InputError) -> Response[bytes]:
    return _answer(request, BAD_PARAMETER, str(error))


def on_unknown_match(request: _Request, error: UnknownMatchError) -> Response[bytes]:
    return _answer(request, UNKNOWN_MATCH, str(error))


def on_unknown_source(request: _Request, error: UnknownSourceError) -> Response[bytes]:
    return _answer(request, UNKNOWN_SOURCE, str(error))


def on_unknown_job(request: _Request, error: UnknownJobError) -> Response[bytes]:
    return _answer(request, UNKNOWN_JOB, str(error))


def on_not_possible(request: _Request, error: LeaseLostError | PayloadError) -> Response[bytes]:
    """Of what is stored: nobody asks a source while somebody waits for an answer."""
    return _answer(request, NOT_POSSIBLE_NOW, f"{error.message} {error.hint}".strip())


def on_source_not_ready(request: _Request, error: SourceNotReadyError) -> Response[bytes]:
    faults = tuple(Fault(setting, remedy) for setting, remedy in error.needs)
    return _answer(request, SOURCE_NOT_READY, error.message, faults)


def on_illegal_transition(request: _Request, error: IllegalTransitionError) -> Response[bytes]:
    return _answer(request, NOT_POSSIBLE_NOW, error.message)


def on_store_error(request: _Request, error: StoreError) -> Response[bytes]:
    """The words of a database may hold its address; they go to the log only."""
    logging.getLogger("longstop.serve").warning(
        {"event": "store unavailable for a request", "error_type": error.kind, "error_message": str(error)}
        | {"request_id": request_id_of(request), "context": {"request": request.url.path}}
    )
    return _answer(
        request,
        STORE_UNAVAILABLE,
        "The record cannot be read at the moment. /health and the page keep working.",
        headers={"Retry-After": str(_RETRY_SECONDS)},
    )


def on_short_memory(request: _Request, error: InsufficientMemoryError) -> Response[bytes]:
    """When it is tried again by itself is also when asking again is of use."""
    later = error.retry_after_seconds
    headers = {} if later is None else {"Retry-After": str(math.ceil(later))}
    return _answer(request, INSUFFICIENT_MEMORY, error.message, headers=headers)


def on_validation_error(request: _Request, error: ValidationException) -> Response[bytes]:
    faults = tuple(_faults(error.extra))
    detail = "; ".join(f"{fault.parameter}: {fault.detail}" for fault in faults) or "A parameter is wrong."
    return _answer(request, BAD_PARAMETER, detail, faults)


def _faults(extra: Any) -> list[Fault]:
    listed = extra if isinstance(extra, list) else []
    return [_fault(str(item.get("key", "")), str(item.get("message", ""))) for item in listed]


def _fault(key: str, message: str) -> Fault:
    """What may stand there is told by the parameter: msgspec names only what may not."""
    name, words = _CHOICES.get(key, (key, ""))
    if message.startswith("Invalid enum value") and words:
        return Fault(name, f"must be one of {words}")
    return Fault(name, _plain(message))


# By their names in the code: as they are sent, and what may be sent.
_CHOICES: Mapping[str, tuple[str, str]] = {
    "status": ("status", ", ".join(status.value for status in MatchStatus)),
    "told": ("format", "cricsheet, csv, parquet"),
    "stage": ("state", ", ".join(state.value for state in JobState)),
}


_PLAIN_WORDS = (
    ("`int`", "a whole number"),
    ("`str`", "text"),
    ("`float`", "a number"),
    ("Expected", "must be"),
    ("`", ""),
)


def _plain(message: str) -> str:
    """msgspec speaks of types; a consumer thinks of numbers and words."""
    for technical, plain in _PLAIN_WORDS:
        message = message.replace(technical, plain)
    return message


def on_http_error(request: _Request, error: HTTPException) -> Response[bytes]:
    kind = _BY_STATUS.get(error.status_code, OTHER if error.status_code < 500 else INTERNAL)
    headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    return _answer(request, kind, kind.title + ".", headers=headers)


def on_unexpected(request: _Request, error: Exception) -> Response[bytes]:
    logging.getLogger("longstop.serve").error(
        {"event": "request failed", "request_id": request_id_of(request), "context": {"request": request.url.path}},
        exc_info=error,
    )
    return _answer(request, INTERNAL, "The request could not be answered.")


HANDLERS: Mapping[int | type[Exception], Any] = {
    ApiError: on_api_error,
    InputError: on_input_error,
    UnknownMatchError: on_unknown_match,
    UnknownSourceError: on_unknown_source,
    UnknownJobError: on_unknown_job,
    LeaseLostError: on_not_possible,
    PayloadError: on_not_possible,
    SourceNotReadyError: on_source_not_ready,
    IllegalTransitionError: on_illegal_transition,
    StoreError: on_store_error,
    InsufficientMemoryError: on_short_memory,
    ValidationException: on_validation_error,
    HTTPException: on_http_error,
    Exception: on_unexpected,
}
