"""Server-sent events, as bytes. Facts have no name, so that a browser's `onmessage` gets them; all else has one."""

from typing import Any, Final

import msgspec

MEDIA_TYPE: Final = "text/event-stream"
RETRY_MILLIS: Final = 2_000
_encode = msgspec.json.Encoder().encode


def opening() -> bytes:
    """How soon a browser comes again by itself."""
    return b"retry: %d\n\n" % RETRY_MILLIS


def fact(cursor: str, data: Any) -> bytes:
    """Its id is the cursor after it: what a reader brings back as `Last-Event-ID`."""
    return b"id: %b\ndata: %b\n\n" % (cursor.encode(), _encode(data))


def note(name: str, data: Any, cursor: str | None = None) -> bytes:
    """JSON never holds a line break, so one data line is enough."""
    head = b"" if cursor is None else b"id: %b\n" % cursor.encode()
    return b"%bevent: %b\ndata: %b\n\n" % (head, name.encode(), _encode(data))
