"""Answers that do harm to who takes them as they come: below /_trap/, or in place of the calls of a match."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from urllib.parse import urlencode

from longstop_origin import bombs
from longstop_origin.exchange import HTML, JSON, Part, Reply, Request, error
from longstop_origin.hostile import hostile_page

PREFIX = "/_trap/"
PIECE_BYTES = 64 * 1024
HEADER_BYTES = 4096
DRIP = b'{"drip":"'


class TrapError(ValueError):
    """The trap was asked for in a way that makes none."""


def trap(request: Request) -> Reply:
    """Answers a request below /_trap/."""
    made = TRAPS.get(request.path.removeprefix(PREFIX))
    if made is None:
        return error(404, f"no such trap. Choose from {', '.join(TRAPS)}.")
    try:
        return made(request.query)
    except TrapError as wrong:
        return error(400, str(wrong))


def _redirect(query: Mapping[str, str]) -> Reply:
    """First as often to itself as `hops` says, then to `to`."""
    hops, to = _whole(query, "hops", 0, 0, 1000), query.get("to", "/")
    if any(ord(sign) < 32 for sign in to):
        raise TrapError("to holds a control character")
    if hops:
        to = f"{PREFIX}redirect?{urlencode({'to': to, 'hops': hops - 1, 'status': query.get('status', '302')})}"
    return Reply(_whole(query, "status", 302, 301, 308), b"", HTML, {"Location": to})


def _drip(query: Mapping[str, str]) -> Reply:
    seconds, rate = _number(query, "seconds", 30), _number(query, "bytes_per_second", 1)
    if rate <= 0:
        raise TrapError("bytes_per_second is above 0")
    pieces: Iterator[Part] = ((1 / rate, b" ") for _ in range(int(seconds * rate)))
    return _streamed(_following((0.0, DRIP), pieces))


def _bomb(query: Mapping[str, str]) -> Reply:
    kind, megabytes = query.get("kind", "gzip"), _whole(query, "mb", 100, 1, 100_000)
    made = bombs.bomb(kind, megabytes)
    if made is None:
        raise TrapError(f"kind is one of {', '.join(bombs.KINDS)}")
    encoding, pieces = made
    return _streamed(((0.0, piece) for piece in pieces), {"Content-Encoding": query.get("encoding", encoding)})


def _endless(query: Mapping[str, str]) -> Reply:
    wait = _number(query, "wait", 0)
    return _streamed(_following((0.0, b"["), repeat((wait, b" " * PIECE_BYTES))))


def _headers(query: Mapping[str, str]) -> Reply:
    """As many kilobytes of headers as `kb` says, in lines of four or in a single one."""
    kilobytes = _whole(query, "kb", 256, 1, 65_536)
    if query.get("lines") == "one":
        return Reply(200, b"{}", headers={"X-Long": "x" * 1024 * kilobytes})
    return Reply(200, b"{}", headers={f"X-Long-{number}": "x" * HEADER_BYTES for number in range((kilobytes + 3) // 4)})


def _slow_close(query: Mapping[str, str]) -> Reply:
    """All that there is at once, and then no end of it."""
    parts: list[Part] = [(0.0, b'{"whole":true}'), (_number(query, "seconds", 30), b"")]
    return _streamed(parts)


def _json(query: Mapping[str, str]) -> Reply:
    depth, keys = _whole(query, "depth", 0, 0, 5_000_000), _whole(query, "keys", 0, 0, 5_000_000)
    if depth:
        return Reply(200, b"[" * depth + b"]" * depth)
    if keys:
        return _streamed((0.0, piece) for piece in _many_keys(keys))
    digits = _whole(query, "digits", 100_000, 1, 5_000_000)
    return Reply(200, b'{"a":' + b"9" * digits + b"}")


def _many_keys(count: int) -> Iterator[bytes]:
    yield b'{"first":0'
    for start in range(0, count - 1, 1000):
        yield "".join(f',"k{number}":0' for number in range(start, min(start + 1000, count - 1))).encode()
    yield b"}"


def _page(query: Mapping[str, str]) -> Reply:
    return Reply(200, hostile_page(query.get("canary", "/")), HTML)


def _streamed(parts: Iterable[Part], headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(200, b"", JSON, headers or {}, parts=parts)


def _following(first: Part, rest: Iterator[Part]) -> Iterator[Part]:
    yield first
    yield from rest


def _number(query: Mapping[str, str], name: str, default: float) -> float:
    try:
        number = float(query.get(name, default))
    except ValueError:
        number = float("nan")
    if not 0 <= number <= 1_000_000:
        raise TrapError(f"{name} is a number from 0 to 1000000")
    return number


def _whole(query: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = query.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) < 12 and least <= int(text) <= most):
        raise TrapError(f"{name} is a whole number from {least} to {most}")
    return int(text)


TRAPS: Mapping[str, Callable[[Mapping[str, str]], Reply]] = {
    "redirect": _redirect,
    "drip": _drip,
    "bomb": _bomb,
    "endless": _endless,
    "headers": _headers,
    "slow-close": _slow_close,
    "json": _json,
    "page": _page,
}
