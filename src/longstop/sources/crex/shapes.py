"""The payloads as they come over the wire: only the keys that are used, everything else is let pass.

A key that real captures lack has a default here; a key whose type is wrong makes the payload malformed.
"""

import msgspec


class Wicket(msgspec.Struct, frozen=True):
    p: str
    k: str
    f: tuple[str, ...] = ()


class Substitution(msgspec.Struct, frozen=True):
    t: str
    player_in: str = msgspec.field(name="in")
    out: str | None = None
    tm: str | None = None
    y: str = ""
    ro: str | None = None


class Ball(msgspec.Struct, frozen=True):
    p: str
    np: str
    bf: str
    r: int
    u: str = ""
    e: str | None = None
    w: tuple[Wicket, ...] = ()
    x: tuple[Substitution, ...] = ()
    nbd: int = 0
    ts: int | None = None


class Over(msgspec.Struct, frozen=True):
    o: int
    b: tuple[Ball, ...]


class Innings(msgspec.Struct, frozen=True):
    c: str
    d: str
    ov: str = ""
    x: str = ""
    so: int = 0
    z: str = "live"
    pp: int = 0
    pq: int = 0
    ab: tuple[str, ...] = ()
    tg: int | None = None
    to: str | int | float | None = None


class Margin(msgspec.Struct, frozen=True):
    runs: int | None = None
    wickets: int | None = None
    innings: int | None = None


class Outcome(msgspec.Struct, frozen=True):
    w: str | None = None
    by: Margin = Margin()
    m: str | None = None
    res: str | None = None
    el: str | None = None
    bo: str | None = None


class State(msgspec.Struct, frozen=True):
    """`getSV3`."""

    a: str
    B: str | int = ""
    C: str = ""
    j: str = ""
    k: str = ""
    rb: tuple[Over, ...] = ()
    fo: str | int = ""
    ts: int | None = None
    sq: int | None = None
    ps: str = ""
    innings: tuple[Innings, ...] | None = msgspec.field(name="in", default=None)
    p1: str = ""
    p2: str = ""
    bw: str = ""
    bpo: int = 6
    ov: int | None = None
    tt: str = ""
    rs: Outcome | None = None


class Feed(msgspec.Struct, frozen=True):
    """`getBallFeeds`."""

    key: str
    inning: int
    rb: tuple[Over, ...]
    last: int = -1
    sq: int | None = None
    ts: int | None = None


class Listed(msgspec.Struct, frozen=True):
    """One item of `getFixture`."""

    key: str
    t1: str
    t2: str
    slug: str = ""
    s: str = ""
    fo: str = ""
    mn: str = ""
    v: str = ""
    ti: int | None = None
    st: int = 1


class Named(msgspec.Struct, frozen=True):
    f_key: str
    n: str
    sn: str = ""


class NameMap(msgspec.Struct, frozen=True):
    """`getHomeMapData`."""

    p: tuple[Named, ...] = ()
    t: tuple[Named, ...] = ()
    s: tuple[Named, ...] = ()


class CardInnings(msgspec.Struct, frozen=True):
    """One item of `getSC4`."""

    c: str
    d: str
    b: tuple[str, ...] = ()
    a: tuple[str, ...] = ()
    so: int = 0
    z: str = "live"
    ov: str = ""
    x: str = ""
    pp: int = 0
    pq: int = 0
