"""Knows the truth and judges what was kept.

It adds up the script itself and shares no sum with the boards that the site shows, so that a fault in one is seen in
the other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, to_builtins

from longstop_origin.codes import base36
from longstop_origin.fixture import Fixture, MatchCodes
from longstop_origin.script import (
    BallKey,
    Delivery,
    Extras,
    MatchScript,
    Replacement,
    ScriptBall,
    ScriptInnings,
    Wicket,
    result_text,
)

__all__ = ["CanonicalBall", "Counts", "MatchTruth", "base36", "compare", "truth_of", "versions_of"]
EXTRA_KINDS = ("wides", "noballs", "byes", "legbyes", "penalty")


class CanonicalWicket(Struct, frozen=True):
    player: str
    kind: str
    fielders: tuple[str, ...] = ()


class CanonicalReplacement(Struct, frozen=True, rename={"kind": "type", "player_in": "in", "player_out": "out"}):
    """`kind` is match or role. What the site does not say is null."""

    kind: str
    player_in: str
    player_out: str | None = None
    team: str | None = None
    reason: str | None = None
    role: str | None = None


class CanonicalBall(Struct, frozen=True):
    """One ball in the form in which truth and ledger meet. Players and teams are codes."""

    innings: int
    over: int
    position: int
    batter: str
    non_striker: str
    bowler: str
    runs_batter: int = 0
    wides: int = 0
    noballs: int = 0
    byes: int = 0
    legbyes: int = 0
    penalty: int = 0
    wickets: tuple[CanonicalWicket, ...] = ()
    replacements: tuple[CanonicalReplacement, ...] = ()
    non_boundary: bool = False

    @property
    def key(self) -> BallKey:
        return BallKey(self.innings, self.over, self.position)

    def to_dict(self) -> dict[str, Any]:
        built: dict[str, Any] = to_builtins(self)
        return built
