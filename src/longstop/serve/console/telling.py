"""Happenings as the page is told them."""

from typing import Final

from msgspec import Struct

from longstop.clock import to_millis
from longstop.observe.lookout.happenings import Happening, Happenings

FIRST_SIGHT: Final = 120


class News(Struct, frozen=True, omit_defaults=True):
    """The same `id` again is the same line, counted once more."""

    id: int
    at: int
    kind: str
    level: str
    what: str
    text: str
    match: str = ""
    hint: str = ""
    count: int = 1


def news_after(happenings: Happenings, seq: int) -> list[News]:
    """Whoever comes first sees the newest of them."""
    return [news_of(each) for each in happenings.after(seq)[-FIRST_SIGHT:]]


def news_of(each: Happening) -> News:
    return News(
        id=each.id,
        at=to_millis(each.at),
        kind=each.kind,
        level=each.level,
        what=each.what,
        text=each.text,
        match=each.match_id,
        hint=each.hint,
        count=each.count,
    )
