"""What one Longstop pushes to another with `POST /cricket-data`: payloads of a source as they came.

Not what was made of them: whoever receives one reads, checks and keeps it as if it had fetched it, so nothing is
believed on the sender's word.
"""

from datetime import datetime

import msgspec


class PushedPayload(msgspec.Struct, frozen=True):
    """One payload. `key` is its idempotency key: what came under a key already is not stored once more.

    `body` is base64 in JSON. `asked` is what a call for missing balls asked for, as captures keep it.
    """

    key: str
    source: str
    match_key: str
    purpose: str
    url: str
    requested_at: datetime
    captured_at: datetime
    body: bytes
    rung: str = "replay"
    status: int = 200
    asked: str = ""


class PushedBatch(msgspec.Struct, frozen=True):
    """Several, in the order in which they were captured. A single payload may be pushed without this around it."""

    payloads: tuple[PushedPayload, ...]
