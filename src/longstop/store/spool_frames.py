"""How a record lies in the spool: a header of 32 bytes, then the payload.

| bytes | what |
|---|---|
| 4 | magic |
| 1 | version of this layout |
| 1 | kind of the payload |
| 2 | zero |
| 4 | length of the payload |
| 8 | sequence number, counted without a hole |
| 8 | milliseconds since 1970, when it was handed in |
| 4 | CRC-32 of all of the above and the payload |

A reader believes a frame only if all of it is right, so a torn or flipped one is found wherever it was hit. Behind a
damaged one the next right one is searched for by its magic; what lies between is a span of damage.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Final

import msgspec

MAGIC: Final = b"\x89LSP"
VERSION: Final = 1
KIND_BATCH: Final = 1
PAYLOAD_BYTES_MAX: Final = 64 * 2**20
# No spool ever counts so far; what claims to is none of ours, and would leave no number for what follows.
SEQUENCE_MAX: Final = 2**62
_HEAD: Final = struct.Struct(">4sBBHIQQ")
_SUM: Final = struct.Struct(">I")
HEADER_BYTES: Final = _HEAD.size + _SUM.size


class Frame(msgspec.Struct, frozen=True):
    """One whole record, and where it lies in what was read."""

    sequence: int
    written_millis: int
    payload: bytes
    start: int
    end: int


class Span(msgspec.Struct, frozen=True):
    """Bytes that are no record."""

    start: int
    end: int


def frame_of(sequence: int, written_millis: int, payload: bytes) -> bytes:
    head = _HEAD.pack(MAGIC, VERSION, KIND_BATCH, 0, len(payload), sequence, written_millis)
    return head + _SUM.pack(_checksum(head, payload)) + payload


def _checksum(head: bytes, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(head))


def peek(header: bytes) -> int | None:
    """When a record was handed in, by its unchecked header."""
    if len(header) < HEADER_BYTES or not header.startswith(MAGIC):
        return None
    millis: int = _HEAD.unpack_from(header)[-1]
    return millis


def scan(data: bytes, after: int = -1) -> Iterator[Frame | Span]:
    """Frames and damage, in order, without a byte left out. A sequence number that is not above `after` and all before
    it is none of this file: what was left from another life of the same blocks."""
    start = 0
    while start < len(data):
        found = _frame_at(data, start, after)
        if found is None:
            end = _next_frame(data, start + 1, after)
            yield Span(start, end)
            start = end
        else:
            yield found
            start, after = found.end, found.sequence


def _frame_at(data: bytes, start: int, after: int) -> Frame | None:
    if len(data) - start < HEADER_BYTES:
        return None
    magic, version, kind, zero, length, sequence, millis = _HEAD.unpack_from(data, start)
    if (magic, version, kind, zero) != (MAGIC, VERSION, KIND_BATCH, 0) or not after < sequence <= SEQUENCE_MAX:
        return None
    begin, end = start + HEADER_BYTES, start + HEADER_BYTES + length
    if end > len(data):
        return None
    payload = data[begin:end]
    (expected,) = _SUM.unpack_from(data, start + _HEAD.size)
    if _checksum(data[start : start + _HEAD.size], payload) != expected:
        return None
    return Frame(sequence, millis, payload, start, end)


def _next_frame(data: bytes, start: int, after: int) -> int:
    """Where the next whole frame begins, or the end."""
    found = data.find(MAGIC, start)
    while found >= 0:
        if _frame_at(data, found, after) is not None:
            return found
        found = data.find(MAGIC, found + 1)
    return len(data)
