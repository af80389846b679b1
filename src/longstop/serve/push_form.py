"""What somebody who pushes may send, and under which ids it is kept."""

import hashlib
from datetime import UTC, datetime
from typing import Final

import msgspec

from longstop.domain.push import BATCH_MAX, KEY_MAX, PushedBatch, PushedPayload
from longstop.serve.problems import bad_parameter
from longstop.store.pushes import NewItem, NewPush

BODY_BYTES_MAX: Final = 16 * 1024 * 1024
# Each payload is one; a few more may stand in what it quotes.
_OBJECTS_MAX: Final = BATCH_MAX * 64
_BEGIN, _END = datetime(1971, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


class _Peek(msgspec.Struct):
    """Whether it is a batch. Of all else that may stand beside it nothing is made."""

    payloads: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def payloads_of(body: bytes) -> tuple[PushedPayload, ...]:
    """One or several; an ApiError that says in a sentence what is wrong. Nothing is made of what is no payload, so
    that a body needs no more room than it has bytes."""
    if body.count(b"{") > _OBJECTS_MAX:
        raise bad_parameter("body", f"has more objects than {BATCH_MAX} payloads, the length of a batch, may have.")
    try:
        payloads = _decoded(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise bad_parameter("body", f"is not a payload or a batch of them: {str(error)[:300]}.") from None
    for payload in payloads:
        _require_moment("requested_at", payload.requested_at)
        _require_moment("captured_at", payload.captured_at)
    return payloads


def _decoded(body: bytes) -> tuple[PushedPayload, ...]:
    if msgspec.json.decode(body, type=_Peek).payloads is msgspec.UNSET:
        return (msgspec.json.decode(body, type=PushedPayload),)
    return msgspec.json.decode(body, type=PushedBatch).payloads


def _require_moment(field: str, moment: datetime) -> None:
    """Beyond these bounds lies no capture; beyond those of the calendar nobody can reckon."""
    if not _BEGIN <= moment < _END:
        raise bad_parameter(field, "must lie between 1971 and 2200.")


def push_of(payloads: tuple[PushedPayload, ...], consumer: str, header_key: str | None) -> NewPush:
    """The same push has the same ids. Keys are a consumer's own: nobody meets those of another."""
    if header_key is not None and not (0 < len(header_key) <= KEY_MAX and header_key.isprintable()):
        raise bad_parameter("Idempotency-Key", f"must be 1 to {KEY_MAX} characters.")
    items = tuple(_item(payload, consumer) for payload in payloads)
    said = _hash(*(f"{item.id}:{item.digest}" for item in items))
    named = ("push key", consumer, header_key) if header_key else ("push", consumer, said)
    return NewPush(_hash(*named)[:32], consumer, said, items)


def arrived(push: NewPush, now: datetime) -> NewPush:
    """The ids stay those of what was sent, so that the same push again is the same."""
    items = tuple(msgspec.structs.replace(item, payload=item.payload.arrived(now)) for item in push.items)
    return msgspec.structs.replace(push, items=items)


def _item(payload: PushedPayload, consumer: str) -> NewItem:
    digest = payload.digest()
    named = ("item key", payload.key) if payload.key else ("item", digest)
    return NewItem(_hash(consumer, *named)[:32], digest, payload)


def _hash(*parts: str) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
