"""What comes in and what goes out: a request and a reply as values, apart from any socket."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from longstop_origin import wire

JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"

# A wait in seconds, and what is sent after it.
Part = tuple[float, bytes]


class Request(Struct, frozen=True):
    method: str
    path: str
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: bytes = b""

    def header(self, name: str) -> str:
        """Its value, empty when it was not sent. The case of names does not count."""
        wanted = name.lower()
        return next((value for each, value in self.headers.items() if each.lower() == wanted), "")

    def cookie(self, name: str) -> str:
        pairs = (pair.strip().partition("=") for pair in self.header("Cookie").split(";"))
        return next((value for each, _, value in pairs if each == name), "")


class Reply(Struct, frozen=True):
    """What goes out. `broken` is reset or hang when nothing does; `cut_at` is where a truncated body ends.

    A hang waits `delay_seconds` and is cut then. `fault` names what the plan did, None when nothing. With `parts` the
    body is sent bit by bit and `body` is not looked at; there may be no end of them.
    """

    status: int
    body: bytes = b""
    content_type: str = JSON
    headers: Mapping[str, str] = {}
    delay_seconds: float = 0.0
    broken: str | None = None
    cut_at: int | None = None
    fault: str | None = None
    parts: Iterable[Part] | None = None

    @property
    def is_hung(self) -> bool:
        return self.broken == "hang"

    @property
    def is_reset(self) -> bool:
        return self.broken == "reset"


def error(status: int, message: str, **headers: str) -> Reply:
    """Header names are written with _ for -."""
    return Reply(
        status,
        wire.encode({"error": message}),
        headers={name.replace("_", "-"): text for name, text in headers.items()},
    )
