"""The door: what every request passes before the application, and every answer after it.

Length limits, a request id, security headers, and HEAD answered like GET without its body.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from secrets import token_hex
from typing import Any

import msgspec

from longstop.serve.problems import MEDIA_TYPE, TOO_LONG, problem_of

# ASGI as it is on the wire; every server and framework has its own stricter words for it.
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

PATH_BYTES_MAX = 1_024
QUERY_BYTES_MAX = 2_048
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


class Gate:
    """Plain ASGI around the application, so that its errors pass here as well."""

    def __init__(self, app: App, make_id: Callable[[], str] = lambda: token_hex(8)) -> None:
        self.app = app
        self._make_id = make_id
        self._headers = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = self._request_id(scope)
        answer = self._dressed(send, request_id)
        if len(scope["raw_path"]) > PATH_BYTES_MAX or len(scope["query_string"]) > QUERY_BYTES_MAX:
            await _refuse(answer, request_id)
            return
        inner = dict(scope)
        inner["state"] = {**scope.get("state", {}), "request_id": request_id}
        if scope["method"] == "HEAD":
            inner["method"] = "GET"
            inner["state"]["is_head"] = True  # for who would never end his answer
            answer = _without_body(answer)
        await self.app(inner, receive, answer)

    def _request_id(self, scope: Scope) -> str:
        """The caller's own, when it is harmless; it reaches the log."""
        for name, value in scope["headers"]:
            if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
                return str(value, "ascii")
        return self._make_id()

    def _dressed(self, send: Send, request_id: str) -> Send:
        added = [*self._headers, (b"x-request-id", request_id.encode("ascii"))]

        async def dress(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [_with_head(*each) for each in message["headers"]]
                present = {name.lower() for name, _ in message["headers"]}
                default = [] if b"cache-control" in present else [(b"cache-control", b"no-store")]
                message["headers"] = [*message["headers"], *added, *default]
            await send(message)

        return dress


def _with_head(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """The application does not know that we answer HEAD wherever it answers GET."""
    if name.lower() == b"allow" and b"GET" in value and b"HEAD" not in value:
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
