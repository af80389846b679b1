"""What one Longstop pushes to another with `POST /cricket-data`: payloads of a source as they came.

Not what was made of them: whoever receives one reads, checks and keeps it as if it had fetched it, so nothing is
believed on the sender's word.
"""

import hashlib
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

BATCH_MAX: Final = 100
KEY_MAX: Final = 200
# Clocks differ; what claims to be of later than this can be of no use for anybody's age.
AHEAD_MAX: Final = timedelta(minutes=5)

_Moment = Annotated[datetime, Meta(tz=True)]
_Word = Annotated[str, Meta(min_length=1, max_length=32)]


class PushedPayload(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One payload. `key` is its idempotency key: what came under a key already is not stored once more. Without one
    its content is its key.

    `body` is base64 in JSON. `asked` is what a call for missing balls asked for, as captures keep it.
    """

    source: _Word
    match_key: Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*\Z")]
    purpose: _Word
    url: Annotated[str, Meta(max_length=2048)]
    requested_at: _Moment
    captured_at: _Moment
    body: bytes
    key: Annotated[str, Meta(max_length=KEY_MAX)] = ""
    rung: _Word = "replay"
    status: Annotated[int, Meta(ge=200, le=299)] = 200
    asked: Annotated[str, Meta(max_length=1024)] = ""

    @property
    def match_id(self) -> str:
        return f"{self.source}_{self.match_key}"

    def arrived(self, now: datetime) -> "PushedPayload":
        """Nothing was captured after it came: a clock that is a little ahead would make old data young. One that is far
        ahead is of no use, and is left as it is for whoever refuses it."""
        if not now < self.captured_at <= now + AHEAD_MAX:
            return self
        return msgspec.structs.replace(self, captured_at=now, requested_at=min(self.requested_at, now))

    def digest(self) -> str:
        """Of all that it says, but for the key."""
        said = msgspec.msgpack.encode(msgspec.structs.replace(self, key=""))
        return hashlib.sha256(said).hexdigest()


class PushedBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several, in the order in which they were captured. A single payload may be pushed without this around it."""

    payloads: Annotated[tuple[PushedPayload, ...], Meta(min_length=1, max_length=BATCH_MAX)]


class PushVerdict(StrEnum):
    """What became of a payload. Only a waiting one changes."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    UNCHANGED = "unchanged"
    OLDER = "older"
    HELD = "held"
    REJECTED = "rejected"


class PushedItem(msgspec.Struct, frozen=True):
    id: str
    verdict: PushVerdict
    reasons: tuple[str, ...] = ()


class KeptPush(msgspec.Struct, frozen=True):
    """A push that is durable here, with what became of each of its payloads so far."""

    id: str
    received_at: datetime
    items: tuple[PushedItem, ...]


class WaitingPayload(msgspec.Struct, frozen=True):
    id: str
    payload: PushedPayload
