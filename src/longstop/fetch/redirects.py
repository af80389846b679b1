"""Where an answer sends us, and what of the call may go along. Pure; whether we may go there, the guard says."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

import msgspec

from longstop.domain.errors import EgressRefusedError, SentAwayError, SourceRefusedError, UnexpectedStatusError
from longstop.fetch.egress.guard import CheckedUrl, EgressRules, check_url, is_login
from longstop.fetch.snapshot import FetchRequest

STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD: Final = frozenset({307, 308})
# What a stranger may see of our call. Tokens travel in headers of any name, so the list says what stays.
_HARMLESS: Final = frozenset({"accept", "accept-language", "user-agent"})
_CONNECTION_HEADERS: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
     "transfer-encoding", "upgrade"}
)  # fmt: skip
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NO_VALUE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_SAFE: Final = "%/:=&?~#+!$,;'@()*[]"


class Hop(msgspec.Struct, frozen=True):
    """One call on the way: the request as it is sent, at an address that was checked."""

    request: FetchRequest
    at: CheckedUrl


def first_hop(request: FetchRequest, rules: EgressRules) -> Hop:
    return Hop(request, check_url(request.url, rules))


def headers_to_send(request: FetchRequest, more: Mapping[str, str]) -> dict[str, str]:
    """A recipe holds what a browser sent; what belongs to its connection and not to the call stays behind."""
    is_plain = _TOKEN.fullmatch(request.method) and all(
        _TOKEN.fullmatch(name) and not _NO_VALUE.search(value) for name, value in request.headers
    )
    if not is_plain:
        raise EgressRefusedError(
            f"The {request.purpose} call has a method or a header that is none.",
            reason="spelling",
            hint="If it comes from a recipe, remove that recipe; it is learnt anew.",
        )
    kept = {name: value for name, value in request.headers if not _of_the_connection(name.lower())}
    return {**kept, **more}


def _of_the_connection(name: str) -> bool:
    return name in _CONNECTION_HEADERS or name.startswith("proxy-")


def next_hop(hop: Hop, status: int, location: str | None, rules: EgressRules) -> Hop:
    """A login page is told before the question whether its host is allowed: it is what the operator must know."""
    if not location:
        raise UnexpectedStatusError(f"The source answered {status} without saying where to.")
    target = _joined(hop.at.url, location)
    if is_login(_path_of(target), rules):
        raise SourceRefusedError(f"The source sent the {hop.request.purpose} call to its login page.")
    there = _checked(target, rules)
    return Hop(_carried_over(hop, status, there), there)


def _checked(target: str, rules: EgressRules) -> CheckedUrl:
    try:
        return check_url(target, rules)
    except EgressRefusedError as error:
        raise sent_away(error) from error


def sent_away(error: EgressRefusedError) -> SentAwayError:
    return SentAwayError(f"{error.message} It was redirected there.", reason=error.reason, hint=error.hint)


def _carried_over(hop: Hop, status: int, there: CheckedUrl) -> FetchRequest:
    request = hop.request
    keeps_method = status in _KEEPS_METHOD or request.method in ("GET", "HEAD")
    method, body = (request.method, request.body) if keeps_method else ("GET", None)
    headers = request.headers
    if body is None:
        headers = tuple(each for each in headers if not each[0].lower().startswith("content-"))
    if there.origin != hop.at.origin:
        if body is not None:
            raise UnexpectedStatusError(f"The source answered {status} and wants the call's body sent to another host.")
        headers = tuple(each for each in headers if each[0].lower() in _HARMLESS)
    return msgspec.structs.replace(request, url=there.url, method=method, body=body, headers=headers)


def _joined(at: str, location: str) -> str:
    """Sites send raw letters and spaces in paths; in a host they stay as they are, and are refused there."""
    try:
        target = urljoin(at, location)
        parts = urlsplit(target)
    except ValueError:  # half a bracket
        return location
    if any(letter in location for letter in "\\\r\n\t\0"):
        return location
    return parts._replace(
        path=quote(parts.path, safe=_SAFE), query=quote(parts.query, safe=_SAFE), fragment=""
    ).geturl()


def _path_of(target: str) -> str:
    try:
        return urlsplit(target).path
    except ValueError:
        return ""
