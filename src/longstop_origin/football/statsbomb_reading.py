"""The two files of a StatsBomb match as values: who was there, and what happened."""

from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")
EVENT, LINEUP = "_event", "_lineup"


class StatsBombError(ValueError):
    """One sentence about a file that is no StatsBomb match, and what to do."""


class Named(Struct, frozen=True):
    id: int
    name: str


class Foul(Struct, frozen=True):
    card: Named | None = None


class Shot(Struct, frozen=True):
    outcome: Named
    type: Named
    key_pass_id: str | None = None


class Change(Struct, frozen=True):
    replacement: Named


class Chosen(Struct, frozen=True):
    player: Named
    position: Named
    jersey_number: int


class Tactics(Struct, frozen=True):
    formation: int
    lineup: list[Chosen]


class Row(Struct, frozen=True):
    """One row of the file of events. Its `timestamp` counts from the start of its period."""

    id: str
    period: int
    timestamp: str
    type: Named
    team: Named
    player: Named | None = None
    tactics: Tactics | None = None
    shot: Shot | None = None
    substitution: Change | None = None
    foul_committed: Foul | None = None
    bad_behaviour: Foul | None = None

    @property
    def second(self) -> int:
        hours, minutes, seconds = self.timestamp.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + int(float(seconds))


class Spell(Struct, frozen=True):
    position: str


class Listed(Struct, frozen=True):
    player_id: int
    player_name: str
    jersey_number: int
    country: Named | None = None
    player_nickname: str | None = None
    positions: list[Spell] = []


class Team(Struct, frozen=True):
    team_id: int
    team_name: str
    lineup: list[Listed]


class MatchFiles(Struct, frozen=True):
    """`number` is the match's own, from the name of its files."""

    number: int
    rows: list[Row]
    teams: dict[int, Team]


def read_files(path: Path) -> MatchFiles:
    """Either of the two is given; the other lies beside it."""
    kind = next((kind for kind in (EVENT, LINEUP) if path.stem.endswith(kind)), None)
    if kind is None:
        raise StatsBombError(f"{path.name} is no StatsBomb file: its name ends in {EVENT}.json or {LINEUP}.json.")
    name = path.stem.removesuffix(kind)
    rows = _read(path.with_name(f"{name}{EVENT}.json"), list[Row])
    teams = _read(path.with_name(f"{name}{LINEUP}.json"), list[Team])
    digits = "".join(filter(str.isdecimal, name))[-12:]
    return MatchFiles(int(digits or "1"), rows, {team.team_id: team for team in teams})


def _read(path: Path, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except msgspec.DecodeError as error:
        raise StatsBombError(f"{path.name} is no StatsBomb file: {error}.") from error
