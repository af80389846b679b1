"""The payloads as they come over the wire: only the keys that are used, everything else is let pass.

A key that real captures lack has a default here; a key whose type is wrong makes the payload malformed. So does a
number or a code that no match could have: it would reach clocks, ranges and databases that cannot hold it.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

Code = Annotated[str, Meta(max_length=64)]
Count = Annotated[int, Meta(ge=-99_999, le=99_999)]
OverNumber = Annotated[int, Meta(ge=0, le=999)]
LastOver = Annotated[int, Meta(ge=-1, le=999)]
BallsPerOver = Annotated[int, Meta(ge=1, le=20)]
Sequence = Annotated[int, Meta(ge=0, le=2**53)]
# To the end of the year 9999, where the calendar of the machine ends.
Millis = Annotated[int, Meta(ge=0, le=253_402_300_799_999)]


class Wicket(msgspec.Struct, frozen=True):
    p: Code
    k: str
    f: tuple[Code, ...] = ()


class Substitution(msgspec.Struct, frozen=True):
    t: str
    player_in: Code = msgspec.field(name="in")
    out: Code | None = None
    tm: Code | None = None
    y: str = ""
    ro: str | None = None


class Ball(msgspec.Struct, frozen=True):
    p: Code
    np: Code
    bf: Code
    r: Count
    u: str = ""
    e: str | None = None
    w: tuple[Wicket, ...] = ()
    x: tuple[Substitution, ...] = ()
    nbd: int = 0
    ts: Millis | None = None


class Over(msgspec.Struct, frozen=True):
    o: OverNumber
    b: tuple[Ball, ...]


class Innings(msgspec.Struct, frozen=True):
    c: Code
    d: str
    ov: str = ""
    x: str = ""
    so: int = 0
    z: str = "live"
    pp: Count = 0
    pq: Count = 0
    ab: tuple[Code, ...] = ()
    tg: Count | None = None
    to: str | int | float | None = None


class Margin(msgspec.Struct, frozen=True):
    runs: Count | None = None
    wickets: Count | None = None
    innings: Count | None = None


class Outcome(msgspec.Struct, frozen=True):
    w: Code | None = None
    by: Margin = Margin()
    m: str | None = None
    res: str | None = None
    el: Code | None = None
    bo: Code | None = None


class State(msgspec.Struct, frozen=True):
    """`getSV3`."""

    a: str
    B: str | int = ""
    C: str = ""
    j: str = ""
    k: str = ""
    rb: tuple[Over, ...] = ()
    fo: str | int = ""
    ts: Millis | None = None
    sq: Sequence | None = None
    ps: str = ""
    innings: tuple[Innings, ...] | None = msgspec.field(name="in", default=None)
    p1: str = ""
    p2: str = ""
    bw: str = ""
    bpo: BallsPerOver = 6
    ov: OverNumber | None = None
    tt: str = ""
    rs: Outcome | None = None


class Feed(msgspec.Struct, frozen=True):
    """`getBallFeeds`."""

    key: str
    inning: OverNumber
    rb: tuple[Over, ...]
    last: LastOver = -1
    sq: Sequence | None = None
    ts: Millis | None = None


class Listed(msgspec.Struct, frozen=True):
    """One item of `getFixture`."""

    key: str
    t1: Code
    t2: Code
    slug: str = ""
    s: Code = ""
    fo: str = ""
    mn: str = ""
    v: str = ""
    ti: Millis | None = None
    st: int = 1


class Named(msgspec.Struct, frozen=True):
    f_key: Code
    n: str
    sn: str = ""


class NameMap(msgspec.Struct, frozen=True):
    """`getHomeMapData`."""

    p: tuple[Named, ...] = ()
    t: tuple[Named, ...] = ()
    s: tuple[Named, ...] = ()


class CardInnings(msgspec.Struct, frozen=True):
    """One item of `getSC4`."""

    c: Code
    d: str
    b: tuple[str, ...] = ()
    a: tuple[str, ...] = ()
    so: int = 0
    z: str = "live"
    ov: str = ""
    x: str = ""
    pp: Count = 0
    pq: Count = 0
