"""All that makes a page heavy and brings no fact: style sheets, fonts, pictures, advertisements. Noise from a seed."""

import struct
import zlib
from base64 import b64encode
from functools import cache
from random import Random

from longstop_origin.exchange import PLAIN, Reply
from longstop_origin.football.page_script import MATCH_SCRIPT

CSS, SCRIPT, FONT, PICTURE = "text/css; charset=utf-8", "text/javascript; charset=utf-8", "font/woff2", "image/png"
PAGE_CSS = ("_next/static/css/app.css", "_next/static/css/match.css", "_next/static/css/theme.css")
PAGE_FONTS = ("static/fonts/Pitch-Regular.woff2", "static/fonts/Pitch-Medium.woff2", "static/fonts/Pitch-Bold.woff2")
FRAMEWORK, MATCH = "_next/static/chunks/framework.js", "_next/static/chunks/pages/match.js"
TRACKERS = ("gtm/gtag.js", "ads/prebid.js")
PIXELS = ("pixel/collect.gif", "ads/impression.gif")
KILOBYTES = {CSS: 64, FONT: 68, PICTURE: 28, SCRIPT: 40}
TRACKER_KILOBYTES, HERO_KILOBYTES, ROW_BYTES = 14, 320, 3000
PIXEL = bytes.fromhex("47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b")
HEADERS = {"Cache-Control": "public, max-age=3600"}


def asset(name: str) -> Reply:
    """Told by the end of its name; nothing of it depends on a match."""
    path = name.partition("?")[0]
    if path.endswith(".gif"):
        return Reply(200, PIXEL, "image/gif", {"Cache-Control": "no-store"})
    kind = next((kind for end, kind in _ENDS.items() if path.endswith(end)), None)
    if kind is None:
        return Reply(404, b"", PLAIN)
    return Reply(200, _body(path, kind), kind, HEADERS)


_ENDS = {".css": CSS, ".js": SCRIPT, ".woff2": FONT, ".png": PICTURE, "/image": PICTURE}


@cache
def _body(path: str, kind: str) -> bytes:
    size = 1024 * _kilobytes(path, kind)
    if kind == PICTURE:
        return _picture(path, size)
    if kind == CSS:
        return _style(path, size)
    if kind == SCRIPT:
        return MATCH_SCRIPT.encode() if path.endswith("match.js") else _filler_script(path, size)
    return b"wOF2" + _noise(path, size)


def _kilobytes(path: str, kind: str) -> int:
    if "hero" in path:
        return HERO_KILOBYTES
    is_tracker = kind == SCRIPT and "chunks" not in path
    return TRACKER_KILOBYTES if is_tracker else KILOBYTES[kind]


def _noise(path: str, size: int) -> bytes:
    return Random(path).randbytes(size)


def _text(path: str, size: int) -> str:
    return b64encode(_noise(path, size * 3 // 4)).decode()


def _style(path: str, size: int) -> bytes:
    text = _text(path, size - 200)
    rules = (f".c{place}{{--x:'{text[place : place + 120]}'}}" for place in range(0, len(text), 140))
    return "\n".join(rules).encode()


def _filler_script(path: str, size: int) -> bytes:
    return f'(window.__parts = window.__parts || []).push("{_text(path, size - 60)}");\n'.encode()


def _picture(path: str, size: int) -> bytes:
    """A real picture of noise, so that a browser takes the whole of it."""
    rows = max(size // ROW_BYTES, 1)
    noise = _noise(path, rows * ROW_BYTES)
    lines = b"".join(b"\0" + noise[place : place + ROW_BYTES] for place in range(0, len(noise), ROW_BYTES))
    head = struct.pack(">IIBBBBB", ROW_BYTES // 3, rows, 8, 2, 0, 0, 0)
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in parts)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
