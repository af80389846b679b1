"""What somebody who pushes may send, and under which ids it is kept."""

import hashlib
from datetime import datetime
from typing import Final

import msgspec

from longstop.domain.push import KEY_MAX, PushedBatch, PushedPayload
from longstop.serve.problems import bad_parameter
from longstop.store.pushes import NewItem, NewPush

BODY_BYTES_MAX: Final = 16 * 1024 * 1024


def payloads_of(body: bytes) -> tuple[PushedPayload, ...]:
    """One or several; an ApiError that says in a sentence what is wrong."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        if "payloads" in fields:
            return msgspec.json.decode(body, type=PushedBatch).payloads
        return (msgspec.json.decode(body, type=PushedPayload),)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise bad_parameter("body", f"is not a payload or a batch of them: {str(error)[:300]}.") from None


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
