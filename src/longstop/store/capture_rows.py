"""Captures as rows, and back: bodies packed, hashes checked on both ways, secrets left out of addresses.

The order of a row is the order of its columns in `tables.py`. Times are the only thing the two databases keep
differently, so whoever calls hands in how a time is written or read.
"""

import hashlib
import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from longstop.store.cells import Moments, Row, key_text
from longstop.store.contract import Capture

BODY_BYTES_MAX: Final = 32 << 20

# Level 3 costs what level 1 does on the payloads we know, and makes them a seventh smaller.
_LEVEL: Final = 3
_ZLIB: Final = "zlib"
_PLAIN: Final = "plain"
_CODECS: Final = (_ZLIB, _PLAIN)

_USER: Final = re.compile(r"^([a-z][a-z0-9+.-]*://)[^/?#@]*@", re.IGNORECASE)
_SECRET: Final = re.compile(
    r"([?&;][^=&;#]*(?:token|secret|passw|pwd|auth|sess|cookie|credential|jwt|sign|sig|hmac|api-?_?key)[^=&;#]*)"
    r"=[^&;#]*",
    re.IGNORECASE,
)


def body_values(capture: Capture) -> Row:
    """A body that does not get smaller is kept as it is."""
    body = capture.body
    if type(body) is not bytes:
        raise TypeError(f"the body of a capture is {type(body).__name__}, not bytes")
    if len(body) > BODY_BYTES_MAX:
        raise ValueError(f"a capture has {len(body)} bytes, at most {BODY_BYTES_MAX} are kept")
    if hashlib.sha256(body).hexdigest() != capture.sha256:
        raise ValueError(f"the hash of a capture of {capture.match_id} is not that of its body")
    codec, packed = _ZLIB, zlib.compress(body, _LEVEL)
    if len(packed) >= len(body):
        codec, packed = _PLAIN, body
    return (capture.sha256, codec, len(body), len(packed), packed)


def capture_values(capture: Capture, moment: Moments) -> Row:
    return (
        key_text(capture.match_id),
        moment(capture.captured_at),
        key_text(capture.purpose),
        capture.sha256,
        moment(capture.requested_at),
        capture.source,
        capture.rung,
        without_secrets(capture.url),
        capture.status,
        capture.asked,
    )


def captures_from(rows: Sequence[Row], moment: Moments) -> list[Capture]:
    return [_capture(row, moment) for row in rows]


def _capture(row: Row, moment: Moments) -> Capture:
    """One that is damaged costs itself, not the page that it stands in."""
    match_id, captured_at, purpose, sha256, requested_at, source, rung, url, status, asked, codec, raw_bytes, body = row
    whole = _unpacked(sha256, codec, raw_bytes, bytes(body))
    return Capture(
        match_id=match_id,
        purpose=purpose,
        sha256=sha256,
        captured_at=moment(captured_at),
        requested_at=moment(requested_at),
        source=source,
        rung=rung,
        url=url,
        status=status,
        body=whole or b"",
        asked=asked,
        damage="" if whole is not None else _why(sha256, codec),
    )


def _unpacked(sha256: str, codec: str, raw_bytes: int, packed: bytes) -> bytes | None:
    """Never more than was said when it was packed, whatever the bytes on disk have become since."""
    if codec not in _CODECS:
        return None
    try:
        body = packed if codec == _PLAIN else _inflated(min(raw_bytes, BODY_BYTES_MAX), packed)
    except zlib.error:
        return None
    return body if hashlib.sha256(body).hexdigest() == sha256 else None


def _inflated(bytes_max: int, packed: bytes) -> bytes:
    return zlib.decompressobj().decompress(packed, bytes_max + 1)


def _why(sha256: str, codec: str) -> str:
    if codec not in _CODECS:
        return f"the kept body {sha256} is packed as {codec[:20]!r}, which this Longstop does not know"
    return f"the kept body {sha256} is damaged"


@lru_cache(maxsize=4096)
def without_secrets(url: str) -> str:
    """Who asks, and what only he may know, is no part of what was asked for."""
    return _SECRET.sub(r"\1=…", _USER.sub(r"\1", url.partition("#")[0]))
