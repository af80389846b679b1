"""What was asked and what came back, with the times of both."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

import msgspec


class FetchRequest(msgspec.Struct, frozen=True):
    """One call to a source. `purpose` names the endpoint family, `key` the match it is about, if it is about one."""

    source: str
    url: str
    purpose: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    deadline_seconds: float | None = None
    key: str = ""


class Snapshot(msgspec.Struct, frozen=True):
    """A body with its provenance. Only successful answers become snapshots; the rest are errors."""

    request: FetchRequest
    status: int
    body: bytes
    requested_at: datetime
    fetched_at: datetime
    rung: str = "replay"
    headers: Mapping[str, str] = {}

    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


class Fetcher(Protocol):
    """Raises a FetchError of domain.errors for everything that is not a usable answer."""

    async def fetch(self, request: FetchRequest) -> Snapshot: ...

    async def close(self) -> None: ...
