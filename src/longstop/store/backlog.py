"""What must survive, as the spool keeps it, and how several records become one again.

Critical is a batch with something that happened in a match, or with what a restart goes on from. Its match row and live
state go with it, so that what is brought is whole. The rest (names, errors, health, recipes) can be told or learnt
again.
"""

import zlib
from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final

import msgspec

from longstop.domain.errors import RecordRefusedError
from longstop.store.cells import moment_as_text
from longstop.store.contract import Capture, WriteBatch
from longstop.store.writes import prepare, prepare_captures, unkeepable

_FIELDS: Final = WriteBatch.__struct_fields__
# A batch with one of these is critical, and all of it is but for what comes after.
_HAPPENED: Final = ("deliveries", "innings", "events", "gaps", "states", "audits")
_FOOTBALL: Final = ("football", "lineups", "progress", "quarantined")
_REPLACEABLE: Final = ("names", "errors", "health", "recipes")


class Waiting(msgspec.Struct, frozen=True):
    """One record of the spool. Raw payloads lie in it packed: there are many of them, and they pack well."""

    batch: WriteBatch = WriteBatch()
    captures: bytes = b""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Waiting).decode
_decode_captures = msgspec.msgpack.Decoder(tuple[Capture, ...]).decode


def is_empty(batch: WriteBatch) -> bool:
    return not any(getattr(batch, name) for name in _FIELDS)


def is_critical(batch: WriteBatch) -> bool:
    return any(getattr(batch, name) for name in (*_HAPPENED, *_FOOTBALL))


def divided(batch: WriteBatch) -> tuple[WriteBatch, WriteBatch]:
    """What must survive, and what may wait in memory; either may be empty."""
    if not is_critical(batch):
        return WriteBatch(), batch
    rest = {name: getattr(batch, name) for name in _REPLACEABLE}
    return msgspec.structs.replace(batch, **dict.fromkeys(_REPLACEABLE, ())), WriteBatch(**rest)


def merged(batches: Sequence[WriteBatch]) -> WriteBatch:
    """One transaction for all, in their order."""
    if len(batches) == 1:
        return batches[0]
    return WriteBatch(**{name: tuple(chain.from_iterable(getattr(each, name) for each in batches)) for name in _FIELDS})


def packed(batch: WriteBatch, now: datetime) -> bytes:
    """Refuses now what no database could hold later: nobody would be there to be told."""
    prepare(batch, moment_as_text, now)
    return _bytes_of(Waiting(batch=batch))


def packed_captures(captures: Sequence[Capture]) -> bytes:
    prepare_captures(captures, moment_as_text)
    return _bytes_of(Waiting(captures=zlib.compress(_bytes_of(captures), level=1)))


def size_of(batch: WriteBatch) -> int:
    return len(_bytes_of(batch))


def unpacked(payload: bytes) -> tuple[WriteBatch, tuple[Capture, ...]]:
    try:
        waiting = _decode(payload)
        captures = _decode_captures(zlib.decompress(waiting.captures)) if waiting.captures else ()
    except (msgspec.DecodeError, zlib.error) as error:
        raise RecordRefusedError(f"A record of the spool cannot be read: {error}.") from error
    return waiting.batch, captures


def _bytes_of(value: Any) -> bytes:
    try:
        return _encode(value)
    except (OverflowError, ValueError, TypeError) as error:
        raise unkeepable(error) from error
