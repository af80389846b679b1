"""What was asked and what came back, with the times of both."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

import msgspec

# The purpose of the calls that climb the ladder: the live state of a match.
STATE = "state"


class FetchRequest(msgspec.Struct, frozen=True):
    """One call to a source. `purpose` names the endpoint family, `key` the match it is about, if it is
    about one, and `page` is where a person would see the same.

    `is_conditional` is for a caller who still has what the last answer said: an unchanged one comes as a 304 without
    a body. Of an answer longer than `head_bytes_max` only so much is read, and the rest is not missed.
    """

    source: str
    url: str
    purpose: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    deadline_seconds: float | None = None
    key: str = ""
    page: str = ""
    is_conditional: bool = False
    head_bytes_max: int | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """A body with its provenance. Only successful answers become snapshots; the rest are errors.

    A 304 has no body; `known_sha256` is then the hash of the one that it confirms.
    """

    request: FetchRequest
    status: int
    body: bytes
    requested_at: datetime
    fetched_at: datetime
    rung: str = "replay"
    headers: Mapping[str, str] = {}
    known_sha256: str = ""

    @property
    def is_unchanged(self) -> bool:
        return self.status == 304

    def sha256(self) -> str:
        return self.known_sha256 or hashlib.sha256(self.body).hexdigest()


class Fetcher(Protocol):
    """Raises a FetchError of domain.errors for everything that is not a usable answer."""

    async def fetch(self, request: FetchRequest) -> Snapshot: ...

    async def close(self) -> None: ...
