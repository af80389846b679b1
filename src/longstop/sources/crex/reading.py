"""A saved payload, of whichever kind: what is it, and what does it say?"""

import re

import msgspec

from longstop.domain.errors import MalformedPayloadError
from longstop.domain.match import MatchRef, Names
from longstop.fetch.snapshot import Snapshot
from longstop.sources.contract import Reading
from longstop.sources.crex import parser

_PAGE_STATE = b'id="app-root-state"'
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PAGE_ESCAPES = ((b"&q;", b'"'), (b"&s;", b"'"), (b"&l;", b"<"), (b"&g;", b">"), (b"&a;", b"&"))
_STORED_NAME = re.compile(r"([pts])_([0-9A-Za-z]+)_(name|short)")
_STATE_KEYS = {"a", "j"}
_FEED_KEYS = {"inning", "rb"}
_NAME_KEYS = {"p", "t", "s"}


def read(base_url: str, snapshot: Snapshot) -> Reading:
    """Raises ForeignPayloadError when it is none of ours, MalformedPayloadError when it is ours and broken."""
    body = snapshot.body.removeprefix(_BYTE_ORDER_MARK)
    state = _page_state(body)
    if state is not None:
        return _read_page(base_url, snapshot, state)
    return _read_json(base_url, _with_body(snapshot, body))


def _read_json(base_url: str, snapshot: Snapshot) -> Reading:
    content = _load(snapshot.body)
    if isinstance(content, dict):
        return _read_object(snapshot, content)
    if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
        return _read_rows(base_url, snapshot, content)
    raise parser.refuse_foreign(snapshot.body)


def _load(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if body.lstrip()[:1] in (b"{", b"["):
            raise MalformedPayloadError(f"The payload is not whole JSON: {error}.") from error
        raise parser.refuse_foreign(body) from error


def _read_object(snapshot: Snapshot, content: dict[str, object]) -> Reading:
    keys = set(content)
    if keys >= _STATE_KEYS or ("a" in keys and "B" in keys and "k" in keys):
        return Reading("live_state", observation=parser.parse_state(_unnamed(), snapshot))
    if keys >= _FEED_KEYS:
        ref = MatchRef("crex", str(content.get("key", "")))
        feed = parser.parse_feed(ref, snapshot)
        return Reading("ball_feed", overs=tuple(parser.read_over(feed.inning, over) for over in feed.rb))
    if keys & _NAME_KEYS and keys <= {*_NAME_KEYS, "u", "v", "lc"}:
        return Reading("names", names=parser.parse_names(snapshot))
    stored = read_stored_names(content)
    if stored is not None:
        return Reading("names", names=stored)
    raise parser.refuse_foreign(snapshot.body)


def _read_rows(base_url: str, snapshot: Snapshot, rows: list[dict[str, object]]) -> Reading:
    keys = set.intersection(*(set(row) for row in rows))
    if keys >= {"key", "t1", "t2"}:
        return Reading("match_list", listings=parser.parse_list(base_url, snapshot))
    if keys >= {"c", "d"}:
        observed = parser.parse_scorecard(snapshot)
        return Reading("scorecard", innings=observed)
    dumps = [read_stored_names(data) for row in rows for data in _stored_dumps(row)]
    found = [names for names in dumps if names is not None]
    if found:
        return Reading("names", names=_join(found))
    raise parser.refuse_foreign(snapshot.body)


def _stored_dumps(row: dict[str, object]) -> list[dict[str, object]]:
    data = row.get("data")
    parts = data.values() if isinstance(data, dict) else ()
    return [part for part in parts if isinstance(part, dict)]


def read_stored_names(content: dict[str, object]) -> Names | None:
    """The page keeps names in its local storage as `p_XX_name`; a dump of it is names too."""
    tables: dict[tuple[str, str], dict[str, str]] = {}
    for key, value in content.items():
        found = _STORED_NAME.fullmatch(key)
        if found and isinstance(value, str) and value:
            tables.setdefault((found[1], found[3]), {})[found[2]] = value
    if not tables:
        return None
    return Names(
        players=tables.get(("p", "name"), {}),
        teams=tables.get(("t", "name"), {}),
        teams_short=tables.get(("t", "short"), {}),
        series=tables.get(("s", "name"), {}),
    )


def _join(found: list[Names]) -> Names:
    joined = Names(players={}, teams={}, teams_short={}, series={})
    for names in found:
        joined.players.update(names.players)
        joined.teams.update(names.teams)
        joined.teams_short.update(names.teams_short)
        joined.series.update(names.series)
    return joined


def _page_state(body: bytes) -> bytes | None:
    """Found by plain searching: a pattern would take minutes on a page made of half-open tags."""
    _, found, rest = body.partition(_PAGE_STATE)
    _, opened, rest = rest.partition(b">")
    state, closed, _ = rest.partition(b"</script>")
    return state if found and opened and closed else None


def _read_page(base_url: str, snapshot: Snapshot, state: bytes) -> Reading:
    for escape, character in _PAGE_ESCAPES:
        state = state.replace(escape, character)
    parts = parser.decode(state, dict[str, msgspec.Raw], "page's state")
    live = next((bytes(value) for key, value in parts.items() if key.endswith(("getSV3", "sv3"))), state)
    return _read_json(base_url, _with_body(snapshot, live))


def _with_body(snapshot: Snapshot, body: bytes) -> Snapshot:
    return msgspec.structs.replace(snapshot, body=body)


def _unnamed() -> MatchRef:
    return MatchRef("crex", "")
