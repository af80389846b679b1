"""What lets a client ask again cheaply: an entity tag on every answer, and a date on those of a match."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from hashlib import blake2b

from msgspec.structs import replace

from longstop_origin.board import MatchBoard
from longstop_origin.exchange import Reply, Request
from longstop_origin.fixture import Fixture


def dated(reply: Reply, fixture: Fixture, board: MatchBoard, at: float) -> Reply:
    """With the second of its last change, once that second is over: within it another change may come unseen."""
    if board.changed_seconds is None:
        return reply
    changed = fixture.milliseconds(board.changed_seconds) // 1000
    if changed >= int(at):
        return reply
    return replace(reply, headers={**reply.headers, "Last-Modified": _said(changed)})


@lru_cache(maxsize=1024)
def _said(seconds: int) -> str:
    return format_datetime(datetime.fromtimestamp(seconds, UTC), usegmt=True)


def finished(request: Request, reply: Reply) -> Reply:
    """The reply with its headers, or 304 when the caller has it already."""
    headers = {"Content-Type": reply.content_type, "Cache-Control": "no-cache", **reply.headers}
    if reply.status != 200 or reply.parts is not None:
        return replace(reply, headers=headers)
    headers["ETag"] = f'"{blake2b(reply.body, digest_size=8).hexdigest()}"'
    if reply.fault is None and _is_known(request, headers):
        return Reply(304, b"", reply.content_type, headers)
    return replace(reply, headers=headers)


def _is_known(request: Request, headers: Mapping[str, str]) -> bool:
    """A date counts only where no tag was sent."""
    if wanted := request.header("If-None-Match"):
        return headers["ETag"] in wanted or wanted.strip() == "*"
    since, changed = request.header("If-Modified-Since"), headers.get("Last-Modified")
    if not since or changed is None:
        return False
    try:
        return parsedate_to_datetime(changed) <= parsedate_to_datetime(since)
    except (ValueError, TypeError, OverflowError):
        return False
