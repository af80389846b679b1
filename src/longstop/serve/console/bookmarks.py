"""How far a page has come: it says so when it comes back, as `Last-Event-ID` or in the query."""

import re
from typing import Final

from msgspec import Struct

BOOKMARK_CHARS_MAX: Final = 64
_BOOKMARK: Final = re.compile(r"(?P<epoch>[A-Za-z0-9-]{1,32})\.(?P<revision>[0-9]{1,15})\.(?P<news>[0-9]{1,15})")


class Bookmark(Struct, frozen=True):
    """`epoch` tells a page that what it knows is from another life."""

    epoch: str = ""
    revision: int = 0
    news: int = 0

    def __str__(self) -> str:
        return f"{self.epoch}.{self.revision}.{self.news}"


def bookmark_of(text: str) -> Bookmark:
    """What is no mark is the beginning: a page that asks so gets everything."""
    found = _BOOKMARK.fullmatch(text)
    return Bookmark(found["epoch"], int(found["revision"]), int(found["news"])) if found else Bookmark()
