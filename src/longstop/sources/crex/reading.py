"""A saved payload, of whichever kind: what is it, and what does it say?"""

import re

import msgspec

from longstop.domain.errors import MalformedPayloadError
from longstop.domain.match import MatchRef, Names
from longstop.fetch.snapshot import Snapshot
from longstop.sources.contract import Reading
from longstop.sources.crex import parser

_PAGE_STATE = re.compile(rb'<script[^>]*id="app-root-state"[^>]*>(.*?)</script>', re.DOTALL)
_PAGE_ESCAPES = ((b"&q;", b'"'), (b"&s;", b"'"), (b"&l;", b"<"), (b"&g;", b">"), (b"&a;", b"&"))
_STORED_NAME = re.compile(r"([pts])_([0-9A-Za-z]+)_(name|short)")
_STATE_KEYS = {"a", "j"}
_FEED_KEYS = {"inning", "rb"}
_NAME_KEYS = {"p", "t", "s"}


def read(base_url: str, snapshot: Snapshot) -> Reading:
    """Raises ForeignPayloadError when it is none of ours, MalformedPayloadError when it is ours and broken."""
    page = _PAGE_STATE.search(snapshot.body)
    if page:
        return _read_page(base_url, snapshot, page[1])
    return _read_json(base_url, snapshot)


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


def _read_page(base_url: str, snapshot: Snapshot, state: bytes) -> Reading:
    for escape, character in _PAGE_ESCAPES:
        state = state.replace(escape, character)
    content = _load(state)
    if not isinstance(content, dict):
        raise MalformedPayloadError("The page's state is not an object.")
    live = next((value for key, value in content.items() if key.endswith("getSV3") and isinstance(value, dict)), content)
    inner = msgspec.structs.replace(snapshot, body=msgspec.json.encode(live))
    return _read_json(base_url, inner)


def _unnamed() -> MatchRef:
    return MatchRef("crex", "")
