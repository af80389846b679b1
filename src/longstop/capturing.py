"""Append before parse: what a source says for the first time is durable as it came before anybody reads it.

A payload that is then held, or that nobody can read, waits there for whoever mends the reading.
"""

from collections.abc import Callable

import msgspec

from longstop.domain.errors import MalformedPayloadError
from longstop.fetch.snapshot import Snapshot
from longstop.sources.contract import Missing
from longstop.store.contract import Capture, Store
from longstop.watch import Watch


def _always() -> bool:
    return True


class Shelf:
    """Keeps a payload when it is not the one that was seen last for the same question about the same match."""

    def __init__(self, store: Store, is_on: Callable[[], bool] = _always) -> None:
        self._store = store
        self._is_on = is_on

    async def keep(self, watch: Watch, snapshot: Snapshot, asked: str = "") -> Snapshot:
        """Returns it with its hash, which is costly enough to be taken once. Raises StoreError when it did not hold."""
        sha256 = snapshot.sha256()
        question = (snapshot.request.purpose, asked)
        if self._is_on() and watch.kept.get(question) != sha256:
            await self._store.keep((capture_of(watch.ref.match_id, snapshot, sha256, asked),))
            watch.kept[question] = sha256
        return msgspec.structs.replace(snapshot, known_sha256=sha256)


def asked_of(missing: Missing) -> str:
    return msgspec.json.encode(missing).decode()


def missing_of(asked: str) -> Missing:
    try:
        return msgspec.json.decode(asked, type=Missing)
    except msgspec.DecodeError as error:
        raise MalformedPayloadError(f"Nobody can tell any more which overs were asked for: {asked[:80]!r}.") from error


def capture_of(match_id: str, snapshot: Snapshot, sha256: str, asked: str = "") -> Capture:
    return Capture(
        match_id=match_id,
        purpose=snapshot.request.purpose,
        sha256=sha256,
        captured_at=snapshot.fetched_at,
        requested_at=snapshot.requested_at,
        source=snapshot.request.source,
        rung=snapshot.rung,
        url=snapshot.request.url,
        status=snapshot.status,
        body=snapshot.body,
        asked=asked,
    )
