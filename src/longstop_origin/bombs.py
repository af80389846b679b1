"""Bodies that are small on the wire and huge when they are unpacked. All zeros, made as they are sent."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat

KINDS = ("gzip", "gzip2", "deflate", "br")
MEGABYTE = 1024 * 1024
GZIP_WINDOW, ZLIB_WINDOW = 31, 15


def bomb(kind: str, megabytes: int) -> tuple[str, Iterable[bytes]] | None:
    """Its Content-Encoding and its pieces, None for a kind that there is not."""
    makers: dict[str, tuple[str, Callable[[int], Iterable[bytes]]]] = {
        "gzip": ("gzip", lambda size: _packed(_zeros(size), GZIP_WINDOW)),
        "gzip2": ("gzip, gzip", lambda size: _packed(_packed(_zeros(size), GZIP_WINDOW), GZIP_WINDOW)),
        "deflate": ("deflate", lambda size: _packed(_zeros(size), ZLIB_WINDOW)),
        "br": ("br", _brotli),
    }
    if kind not in makers:
        return None
    encoding, made = makers[kind]
    return encoding, made(megabytes)


def _zeros(megabytes: int) -> Iterator[bytes]:
    return repeat(bytes(MEGABYTE), megabytes)


def _packed(pieces: Iterable[bytes], window: int) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


# The parts of a brotli meta-block of one megabyte, each as a value and its width in bits: five nibbles of length, one
# block type of each kind, one tree of each kind with a single symbol in it, and one command that sets a byte and copies
# it over the rest.
COPY_LEAST = 2118
BLOCK_HEADER = ((0, 1), (1, 2), (MEGABYTE - 1, 20), (0, 1), (0, 3), (0, 6), (0, 2), (0, 2))
ONE_LITERAL = ((1, 2), (0, 2), (0, 8))
ONE_COMMAND = ((1, 2), (0, 2), (399, 10))
ONE_DISTANCE = ((1, 2), (0, 2), (16, 6))
COMMAND = ((MEGABYTE - 1 - COPY_LEAST, 24), (0, 1))
WINDOW, END = ((0, 1),), ((3, 2),)


def _brotli(megabytes: int) -> Iterator[bytes]:
    """Written by hand, bit by bit, the lowest first: the standard library has none."""
    bits, width = _joined(WINDOW, 0, 0)
    for _ in range(megabytes):
        for part in (BLOCK_HEADER, ONE_LITERAL, ONE_COMMAND, ONE_DISTANCE, COMMAND):
            bits, width = _joined(part, bits, width)
        whole = width // 8
        yield (bits & ((1 << whole * 8) - 1)).to_bytes(whole, "little")
        bits, width = bits >> whole * 8, width - whole * 8
    bits, width = _joined(END, bits, width)
    yield bits.to_bytes((width + 7) // 8, "little")


def _joined(parts: Iterable[tuple[int, int]], bits: int, width: int) -> tuple[int, int]:
    for value, size in parts:
        bits |= value << width
        width += size
    return bits, width
