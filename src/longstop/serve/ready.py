"""An answer that was written out before, headers and all: it goes out as it lies there.

The framework's own response takes its headers apart and puts them together again for each reader, which costs more
than all the rest of an answer from memory.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from litestar import Response

Pairs = tuple[tuple[bytes, bytes], ...]


def pairs_of(headers: Mapping[str, str], media_type: str, length: int) -> Pairs:
    """As they go out: names in small letters, and what every answer says of its body."""
    told = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    return (*told, (b"content-type", media_type.encode("latin-1")), (b"content-length", b"%d" % length))


class ReadyResponse(Response[bytes]):
    """For the framework a response like any other; only how it is sent is its own."""

    def __init__(self, body: bytes, pairs: Pairs, media_type: str) -> None:
        super().__init__(body, media_type=media_type, status_code=200)
        self._pairs = pairs

    def to_asgi_response(self, app: Any, request: Any, **_: Any) -> Any:  # noqa: ARG002 - the framework's own words
        return self._send

    async def _send(self, _: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self._all()})
        await send({"type": "http.response.body", "body": self.content, "more_body": False})

    def _all(self) -> Iterable[tuple[bytes, bytes]]:
        """With what a handler has added to this one answer."""
        return [*self._pairs, *((name.lower().encode(), str(value).encode()) for name, value in self.headers.items())]
