"""Payloads of the CREX-like site for tests, in full: every key that docs/sources/crex.md names."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import msgspec

from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import FetchRequest, Snapshot

NOW = datetime(2024, 9, 18, 15, 0, tzinfo=UTC)
MILLIS = 1_726_653_464_849
REF = MatchRef("crex", "QUY", "http://127.0.0.1/cricket-live-score/usa-vs-uae-match-updates-QUY")
Item = dict[str, Any]

BALL: Item = {"u": "1", "p": "XX", "np": "6A5", "bf": "F7", "r": 1, "ts": MILLIS}
RICH_BALL: Item = {
    "u": "w",
    "p": "XX",
    "np": "6A5",
    "bf": "F7",
    "r": 0,
    "e": "nb1.b4",
    "w": [{"p": "XX", "k": "run out", "f": ["6WQ", "3DX"]}, {"p": "6A5", "k": "retired hurt"}],
    "x": [
        {"t": "match", "in": "7B", "out": "XX", "tm": "CD", "y": "concussion_substitute"},
        {"t": "role", "in": "8C", "ro": "bowler", "y": "injury"},
    ],
    "nbd": 1,
    "ts": MILLIS + 30_000,
}
OVER: Item = {"o": 31, "b": [BALL, RICH_BALL]}
INNINGS: Item = {
    "c": "CD",
    "d": "106/9(187",
    "ov": "31.1",
    "x": "wd5.nb1.b2.lb4.pn0",
    "so": 0,
    "z": "live",
    "pp": 0,
    "pq": 0,
    "ab": [],
    "tg": None,
    "to": None,
}
STATE: Item = {
    "a": "CD.11",
    "j": "106/9(31.1",
    "k": "0/0(0.0",
    "B": "4",
    "C": "Match reduced to 38 overs",
    "A": "4.0.2",
    "l": "43:0.0.0.1.0.0",
    "n": "",
    "m": "",
    "i": "5/1.2*",
    "g": "6WQ.3DX",
    "rb": [{"o": 30, "b": [BALL] * 6}, OVER],
    "fo": "ODI",
    "ts": MILLIS,
    "sq": 312,
    "ps": "P",
    "in": [INNINGS],
    "p1": "XX.11.33.0.0*",
    "p2": "6A5.6.21.1.0",
    "bw": "F7.24.17.0.2",
    "bpo": 6,
    "ov": 50,
    "tt": "CD.bat",
}
FEED: Item = {
    "key": "QUY",
    "inning": 1,
    "from": 30,
    "to": 31,
    "last": 31,
    "sq": 312,
    "ts": MILLIS,
    "rb": [{"o": 30, "b": [BALL] * 6}, OVER],
}
LISTED: Item = {
    "key": "QUY",
    "slug": "usa-vs-uae-32nd-match-cwc-league-2",
    "t1": "CD",
    "t2": "11",
    "s": "1JK",
    "fo": "ODI",
    "mn": "32nd Match",
    "v": "Central Broward Park, Lauderhill",
    "ti": MILLIS,
    "st": 1,
}
NAMES: Item = {
    "p": [{"f_key": "XX", "n": "Lorcan Tucker"}, {"f_key": "6A5", "n": "Stephen Doheny"}],
    "t": [{"f_key": "CD", "n": "United States", "sn": "USA"}],
    "s": [{"f_key": "1JK", "n": "Men's CWC League-II 2023-27", "sn": "CWC League-II"}],
}
CARD: Item = {
    **INNINGS,
    "st": 1,
    "b": ["XX.11.33.0.0/c 6WQ b F7", "6A5.2.21.0.0/"],
    "a": ["F7.24.60.0.2"],
}


def state(**changes: Any) -> Item:
    """A full live state; a change to None takes the key away, one to `...` makes it null."""
    return changed(STATE, **changes)


def capture(**changes: Any) -> Item:
    """Only what real captures have: no key of ours."""
    bare = {key: value for key, value in STATE.items() if key in set("aBCAlnmijkg")}
    return changed(bare, **changes)


def changed(item: Item, **changes: Any) -> Item:
    made = deepcopy(item)
    for key, value in changes.items():
        made[key] = None if value is ... else value
        if value is None:
            del made[key]
    return made


def snapshot(content: Any, *, purpose: str = "state", at: datetime = NOW) -> Snapshot:
    """Bytes stay as they are, everything else becomes JSON."""
    body = content if isinstance(content, bytes) else msgspec.json.encode(content)
    request = FetchRequest("crex", f"http://127.0.0.1/{purpose}", purpose)
    return Snapshot(request, 200, body, at, at)
