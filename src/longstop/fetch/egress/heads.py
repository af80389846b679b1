"""The heads of HTTP messages as a proxy must read them: strictly, so that two readers never see two requests. Pure."""

import base64
import binascii
import hmac
import re
from typing import Final

import msgspec

from longstop.fetch.egress.guard import CheckedUrl

HEADERS_MAX: Final = 200
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_STATUS: Final = re.compile(r"HTTP/1\.[01] (?P<status>[1-5][0-9]{2})(?: .*)?")
_VALUE_OF_NONE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# These speak of one connection only, and ours to the browser is another than ours to the site.
_OF_ONE_HOP: Final = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "upgrade"}
)
# What the proxy says of itself. No site can say it: its own headers of such names are left out.
_OWN_PREFIX: Final = "x-longstop-"
REFUSED: Final = "X-Longstop-Refused"
UNREACHABLE: Final = "X-Longstop-Unreachable"
EXIT_FAILED: Final = "X-Longstop-Exit-Failed"
Headers = tuple[tuple[str, str], ...]


class Head(msgspec.Struct, frozen=True):
    """The first line in its three parts, and the headers in their order."""

    first: str
    second: str
    third: str
    headers: Headers

    def all(self, name: str) -> list[str]:
        return [value for known, value in self.headers if known.lower() == name]

    def get(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    @property
    def asks_to_upgrade(self) -> bool:
        return self.get("upgrade").lower() == "websocket"


def read_request(raw: bytes) -> Head | None:
    """None for what is no request of HTTP/1."""
    head = _read(raw)
    if head is None or not _TOKEN.fullmatch(head.first) or head.third not in ("HTTP/1.1", "HTTP/1.0"):
        return None
    return head


def read_response(raw: bytes) -> Head | None:
    head = _read(raw)
    if head is None or not _STATUS.fullmatch(f"{head.first} {head.second} {head.third}"):
        return None
    return head


def body_length(head: Head) -> int | None:
    """How many bytes of body follow. None when it cannot be said for sure: lengths that differ, or chunks."""
    lengths = head.all("content-length")
    if head.all("transfer-encoding") or len(lengths) > 1:
        return None
    if not lengths:
        return 0
    return int(lengths[0]) if re.fullmatch(r"[0-9]{1,15}", lengths[0], re.ASCII) else None


def request_to_send(head: Head, to: CheckedUrl) -> bytes:
    """To the site itself, under the name that was checked, for one answer and no more."""
    kept = [each for each in head.headers if each[0].lower() not in _OF_ONE_HOP and each[0].lower() != "host"]
    ending = (
        [("Connection", "Upgrade"), ("Upgrade", "websocket")] if head.asks_to_upgrade else [("Connection", "close")]
    )
    return _write(f"{head.first} {to.target} HTTP/1.1", [("Host", to.authority), *kept, *ending])


def response_to_send(head: Head) -> bytes:
    is_upgrade = head.second == "101"
    kept = [each for each in head.headers if is_upgrade or each[0].lower() not in _OF_ONE_HOP]
    kept = [each for each in kept if not each[0].lower().startswith(_OWN_PREFIX)]
    ending = [] if is_upgrade else [("Connection", "close")]
    return _write(f"{head.first} {head.second} {head.third}".rstrip(), [*kept, *ending])


def own_answer(status: str, said: str, *more: tuple[str, str]) -> bytes:
    """An answer of the proxy itself, in plain text that no page can run."""
    body = said.encode("ascii", "replace")
    headers = [
        ("Content-Type", "text/plain; charset=us-ascii"),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
    ]
    return _write(f"HTTP/1.1 {status}", [*headers, *more]) + body


def has_password(head: Head, username: str, password: str) -> bool:
    kind, _, packed = head.get("proxy-authorization").partition(" ")
    try:
        given = base64.b64decode(packed.strip(), validate=True)
    except (binascii.Error, ValueError):
        return False
    return kind.lower() == "basic" and hmac.compare_digest(given, f"{username}:{password}".encode())


def _read(raw: bytes) -> Head | None:
    lines = raw.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    first_line = lines[0].split(" ", 2)
    headers = [_header(line) for line in lines[1:]]
    if len(first_line) < 2 or len(headers) > HEADERS_MAX or any(_VALUE_OF_NONE.search(part) for part in first_line):
        return None
    if any(each is None for each in headers):
        return None
    third = first_line[2] if len(first_line) == 3 else ""
    return Head(first_line[0], first_line[1], third, tuple(each for each in headers if each is not None))


def _header(line: str) -> tuple[str, str] | None:
    name, colon, value = line.partition(":")
    if not colon or not _TOKEN.fullmatch(name) or _VALUE_OF_NONE.search(value):
        return None
    return name, value.strip(" \t")


def _write(first_line: str, headers: list[tuple[str, str]]) -> bytes:
    lines = [first_line, *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")
