"""What whoever asks understands, and whether what he sends can be read: settled before a route does anything."""

from typing import Any, Final

import msgspec
from litestar import Request

from longstop.serve.problems import NOT_ACCEPTABLE, NOT_FOUND, UNSUPPORTED_MEDIA, ApiError, bad_parameter

JSON: Final = "application/json"
# The more exactly a range names it, the more it counts.
_RANGES: Final = ("*/*", "application/*", JSON)
_DOCUMENTS: Final = frozenset({"/schema", "/schema/openapi.json", "/schema/openapi.yaml"})

_Request = Request[Any, Any, Any]


async def require_json_accepted(request: _Request) -> None:
    """Before every route but the page and files: whoever accepts something else only is told so."""
    told = [value for name, value in request.scope["headers"] if name == b"accept"]
    if not told or "text/" in request.route_handler.media_type:
        return
    if not accepts_json(b",".join(told).decode("latin-1")):
        raise ApiError(NOT_ACCEPTABLE, "This address answers in application/json.")


def accepts_json(told: str) -> bool:
    """The most exact range decides (RFC 9110, 12.5.1), so that JSON may be refused and all else taken."""
    ranges = dict(_range(part) for part in told.lower().split(",") if part.strip())
    return next((ranges[each] for each in reversed(_RANGES) if each in ranges), not ranges)


def _range(part: str) -> tuple[str, bool]:
    media, *parameters = (piece.strip() for piece in part.split(";"))
    weights = [
        value.strip() for name, _, value in (piece.partition("=") for piece in parameters) if name.strip() == "q"
    ]
    return media, not any(_is_nothing(weight) for weight in weights)


def _is_nothing(weight: str) -> bool:
    return weight.startswith("0") and not weight.strip("0.")


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
