"""The form in which truth and ledger meet: one ball, players and teams as codes."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from longstop_origin.fixture import MatchCodes
from longstop_origin.script import BallKey, Delivery, Replacement


class CanonicalWicket(Struct, frozen=True):
    player: str
    kind: str
    fielders: tuple[str, ...] = ()


class CanonicalReplacement(Struct, frozen=True, rename={"scope": "type", "player_in": "in", "player_out": "out"}):
    scope: str
    player_in: str
    player_out: str | None = None
    team: str | None = None
    reason: str = ""
    role: str | None = None


class CanonicalBall(Struct, frozen=True):
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
        """Plain data, ready for JSON."""
        return dict(msgspec.json.decode(msgspec.json.encode(self)))


def canonical_ball(key: BallKey, delivery: Delivery, codes: MatchCodes) -> CanonicalBall:
    players, extras = codes.players, delivery.extras
    return CanonicalBall(
        innings=key.innings,
        over=key.over,
        position=key.position,
        batter=players[delivery.batter],
        non_striker=players[delivery.non_striker],
        bowler=players[delivery.bowler],
        runs_batter=delivery.runs_batter,
        wides=extras.wides,
        noballs=extras.noballs,
        byes=extras.byes,
        legbyes=extras.legbyes,
        penalty=extras.penalty,
        wickets=tuple(
            CanonicalWicket(players[each.player], each.kind, tuple(players[name] for name in each.fielders))
            for each in delivery.wickets
        ),
        replacements=tuple(_replacement(each, codes) for each in delivery.replacements),
        non_boundary=delivery.non_boundary,
    )


def _replacement(replacement: Replacement, codes: MatchCodes) -> CanonicalReplacement:
    return CanonicalReplacement(
        scope=replacement.scope,
        player_in=codes.players[replacement.player_in],
        player_out=_code(replacement.player_out, codes.players),
        team=_code(replacement.team, codes.teams),
        reason=replacement.reason,
        role=replacement.role,
    )


def _code(name: str | None, codes: Mapping[str, str]) -> str | None:
    return None if name is None else codes[name]
