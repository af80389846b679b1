"""How far the sink has been told of each match: one small file, replaced as a whole."""

import os
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

MATCHES_MAX: Final = 5_000


class _Content(msgspec.Struct):
    """For another sink nothing of it holds."""

    sink: str
    after: dict[str, datetime]


class Cursors:
    def __init__(self, path: Path, sink: str) -> None:
        self._path = path
        self._sink = sink
        self._after: dict[str, datetime] = {}

    def load(self) -> None:
        """A file that is not there or cannot be read begins anew: the other side knows what it has by its key."""
        try:
            content = msgspec.json.decode(self._path.read_bytes(), type=_Content)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return
        if content.sink == self._sink:
            self._after = dict(content.after)

    def of(self, match_id: str) -> datetime | None:
        return self._after.get(match_id)

    def advance(self, match_id: str, after: datetime) -> None:
        """Raises an OSError when it cannot be written; what was remembered stays."""
        self._after.pop(match_id, None)
        self._after[match_id] = after
        while len(self._after) > MATCHES_MAX:
            self._after.pop(next(iter(self._after)))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside = self._path.with_name(f"{self._path.name}.new")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(_Content(self._sink, self._after)))
        beside.replace(self._path)
