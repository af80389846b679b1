"""The state that a page carries in a script: what getSV3 said when the page was loaded, and the names on it."""

import re

import msgspec

from longstop.domain.errors import MalformedPayloadError
from longstop.sources.crex import notation, parser, shapes

_ESCAPES = {"&q;": '"', "&s;": "'", "&l;": "<", "&g;": ">", "&a;": "&"}
_ESCAPED = re.compile("&[qslga];")
_STATE_KEYS = ("sv3", "getSV3")


class PageState(msgspec.Struct, frozen=True):
    """Empty where the page tells nothing, or nothing that can be read: what it shows may be whole all the same."""

    key: str = ""
    state: shapes.State | None = None
    teams: dict[str, str] = {}


class _Tables(msgspec.Struct, frozen=True):
    t: dict[str, str] = {}


def read_page_state(text: str) -> PageState:
    if not text.strip():
        return PageState()
    plain = _ESCAPED.sub(lambda found: _ESCAPES[found[0]], text).encode()
    parts = _read(plain, dict[str, msgspec.Raw])
    if parts is None:
        return PageState()
    live = next((value for name, value in parts.items() if name.endswith(_STATE_KEYS)), plain)
    tables = _read(parts["names"], _Tables) if "names" in parts else None
    key = _read(parts["key"], str) if "key" in parts else None
    return PageState(key or "", _read_state(live), tables.t if tables else {})


def _read_state(body: bytes | msgspec.Raw) -> shapes.State | None:
    """One whose own scores or teams cannot be read is none."""
    state = _read(body, shapes.State)
    if state is None:
        return None
    try:
        notation.read_pair(state.a)
        notation.read_team_scores(state.j)
        notation.read_team_scores(state.k)
    except MalformedPayloadError:
        return None
    return state


def _read(body: bytes | msgspec.Raw, shape: type[parser.T]) -> parser.T | None:
    try:
        return parser.decode(body, shape, "page's state")
    except MalformedPayloadError:
        return None
