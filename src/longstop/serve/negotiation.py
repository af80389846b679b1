"""What whoever asks understands, and whether what he sends can be read: settled before a route does anything."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from litestar import Request

from longstop.serve.problems import NOT_ACCEPTABLE, NOT_FOUND, UNSUPPORTED_MEDIA, ApiError, bad_parameter

JSON: Final = "application/json"
_WEIGHT: Final = re.compile(r"[0-9](\.[0-9]{0,20})?")
_DOCUMENTS: Final = frozenset({"/schema", "/schema/openapi.json", "/schema/openapi.yaml"})

_Request = Request[Any, Any, Any]


async def require_json_accepted(request: _Request) -> None:
    """Before every route but the page and files: whoever accepts something else only is told so."""
    told = _accept_of(request)
    if told is None or "text/" in request.route_handler.media_type:
        return
    if not accepts_json(told):
        raise ApiError(NOT_ACCEPTABLE, "This address answers in application/json.")


async def leave_to_route(_: _Request) -> None:
    """Before a route that answers in several types, and chooses by `best_of`."""


def best_of(request: _Request, offered: Sequence[str]) -> str:
    """The media type that whoever asks likes best; of those he likes as much the first."""
    ranges = _ranges_of(_accept_of(request) or "")
    best = max(offered, key=lambda media: _weight_of(media, ranges))
    if _weight_of(best, ranges) == 0:
        raise ApiError(NOT_ACCEPTABLE, f"This address answers in {' or '.join(offered)}.")
    return best


def accepts_json(told: str) -> bool:
    return _weight_of(JSON, _ranges_of(told)) > 0


def _accept_of(request: _Request) -> str | None:
    told = [value for name, value in request.scope["headers"] if name == b"accept"]
    return b",".join(told).decode("latin-1") if told else None


def _ranges_of(told: str) -> dict[str, float]:
    return dict(_range(part) for part in told.lower().split(",") if part.strip())


def _weight_of(media: str, ranges: Mapping[str, float]) -> float:
    """The most exact range decides (RFC 9110, 12.5.1), so that a type may be refused and all else taken."""
    exact_first = (media, f"{media.partition('/')[0]}/*", "*/*")
    return next((ranges[each] for each in exact_first if each in ranges), 0.0 if ranges else 1.0)


def _range(part: str) -> tuple[str, float]:
    media, *parameters = (piece.strip() for piece in part.split(";"))
    weights = [
        value.strip() for name, _, value in (piece.partition("=") for piece in parameters) if name.strip() == "q"
    ]
    return media, min(map(_weight, weights), default=1.0)


def _weight(text: str) -> float:
    return min(1.0, float(text)) if _WEIGHT.fullmatch(text) else 1.0


async def require_json_body(request: _Request) -> None:
    """Before routes that read a small body. The framework would stumble over what is no UTF-8, or nested too deeply."""
    await require_json_accepted(request)
    if "data" not in request.route_handler.parsed_fn_signature.parameters:
        return
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in {"", JSON}:
        raise ApiError(UNSUPPORTED_MEDIA, f"The body is {media[:60]}; it must be application/json.")
    try:
        msgspec.json.decode(await request.body())
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise bad_parameter("body", "is no JSON that can be read.") from None


async def require_document(request: _Request) -> None:
    """Below /schema there is the document, in two writings and nothing else."""
    if request.scope["path"].rstrip("/") not in _DOCUMENTS:
        raise ApiError(NOT_FOUND, "The document is at /schema, and as YAML at /schema/openapi.yaml.")
