"""The door: what every request passes before the application, and every answer after it.

Length limits, a request id, security headers, and HEAD answered like GET without its body.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from itertools import count
from secrets import token_hex
from typing import Any, NamedTuple

import msgspec

from longstop.clock import Clock
from longstop.serve.entry.visit import KEY, Visit
from longstop.serve.freshness import AGE_HEADER
from longstop.serve.problems import MEDIA_TYPE, TOO_LONG, problem_of

# ASGI as it is on the wire; every server and framework has its own stricter words for it.
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

PATH_BYTES_MAX = 1_024
QUERY_BYTES_MAX = 2_048
HTTP_REFUSED = 400
# As proxies write it: whoever asked was gone before there was an answer.
CLIENT_GONE, NOT_MODIFIED = 499, 304
_AGE = AGE_HEADER.lower().encode()
# To OPTIONS, and to a method that there is not.
_TELLING_METHODS = frozenset({204, 405})
_NOT_KEPT = (b"cache-control", b"no-store")
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


# What says nothing about data, and is left out where no page is: each header costs as much as reading a field.
_OF_PAGES = frozenset({"content-security-policy", "cross-origin-opener-policy", "permissions-policy"})
DATA_HEADERS: Mapping[str, str] = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    **{name: value for name, value in SECURITY_HEADERS.items() if name not in _OF_PAGES},
}
# A browser takes the headers of "unchanged" for those of what it has: what stands in them would replace a page's own.
UNCHANGED_HEADERS: Mapping[str, str] = {
    name: value for name, value in SECURITY_HEADERS.items() if name not in _OF_PAGES
}
Note = Callable[[Visit, str, int, float, float | None], None]


class Gate:
    """Plain ASGI around the application, so that its errors pass here as well. `note` is told of each answer."""

    def __init__(
        self, app: App, clock: Clock, note: Note | None = None, make_id: Callable[[], str] | None = None
    ) -> None:
        self.app = app
        self._clock = clock
        self._note = note
        self._make_id = make_id or _numbered()
        self._headers = Dress(_encoded(SECURITY_HEADERS), _encoded(DATA_HEADERS), _encoded(UNCHANGED_HEADERS))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = self._clock.monotonic()
        visit = Visit(self._request_id(scope))
        answer = _Answer(send, visit, self._headers)
        try:
            await self._pass_on(scope, receive, answer, visit)
        finally:
            if self._note is not None and (visit.is_logged or answer.status >= HTTP_REFUSED):
                self._note(visit, scope["method"], answer.status, began, answer.age_seconds)

    async def _pass_on(self, scope: Scope, receive: Receive, answer: "_Answer", visit: Visit) -> None:
        if len(scope["raw_path"]) > PATH_BYTES_MAX or len(scope["query_string"]) > QUERY_BYTES_MAX:
            await _refuse(answer.send, visit.request_id)
            return
        inner = dict(scope)
        inner["state"] = {**scope.get("state", {}), "request_id": visit.request_id, KEY: visit}
        if scope["method"] == "HEAD":
            inner["method"] = "GET"
            inner["state"]["is_head"] = True  # for who would never end his answer
            await self.app(inner, receive, _without_body(answer.send))
        else:
            await self.app(inner, receive, answer.send)

    def _request_id(self, scope: Scope) -> str:
        """The caller's own, when it is harmless; it reaches the log."""
        for name, value in scope["headers"]:
            if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
                return str(value, "ascii")
        return self._make_id()


def _numbered() -> Callable[[], str]:
    """Ids that nobody else has: what is made by chance once, and a number."""
    beginning, numbers = token_hex(6), count(1)
    return lambda: f"{beginning}-{next(numbers):x}"


class Dress(NamedTuple):
    """What is added to every answer: to pages, to data, and to the word that nothing has changed."""

    page: list[tuple[bytes, bytes]]
    data: list[tuple[bytes, bytes]]
    unchanged: list[tuple[bytes, bytes]]


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


class _Answer:
    """What goes out, with the headers that every answer has; and what is remembered of it."""

    __slots__ = ("_added", "_send", "_visit", "age_seconds", "status")

    def __init__(self, send: Send, visit: Visit, added: Dress) -> None:
        self._send = send
        self._visit = visit
        self._added = added
        self.status = CLIENT_GONE
        self.age_seconds: float | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = self._dressed(message["headers"])
        await self._send(message)

    def _dressed(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Names are in small letters already, as ASGI wants them."""
        if self.status in _TELLING_METHODS:
            headers = [_with_head(name, value) for name, value in headers]
        is_kept, added = False, self._added.unchanged if self.status == NOT_MODIFIED else self._added.data
        for name, value in headers:
            if name == b"cache-control":
                is_kept = True
            elif name == _AGE:
                self.age_seconds = float(value)
            elif name == b"content-type" and value.startswith(b"text/html"):
                added = self._added.page
        dressed = [*headers, *added, (b"x-request-id", self._visit.request_id.encode("ascii")), *self._visit.headers]
        if not is_kept:
            dressed.append(_NOT_KEPT)
        return dressed


def _with_head(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """The application does not know that we answer HEAD wherever it answers GET."""
    if name == b"allow" and b"GET" in value and b"HEAD" not in value:
        return name, value.replace(b"GET", b"GET, HEAD", 1)
    return name, value


def _without_body(send: Send) -> Send:
    async def drop(message: Message) -> None:
        if message["type"] == "http.response.body":
            message["body"] = b""
        await send(message)

    return drop


async def _refuse(send: Send, request_id: str) -> None:
    detail = f"A path may have {PATH_BYTES_MAX} bytes and a query {QUERY_BYTES_MAX}."
    body = msgspec.json.encode(problem_of(TOO_LONG, detail, request_id))
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": TOO_LONG.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
