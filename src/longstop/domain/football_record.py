"""What is kept of football before kickoff, as values: which match, who was told to play, how its captures went.

A team sheet is never changed: another one is another record, with the moment of its own capture. What a later fact says
of it, that it came after kickoff, is a flag that can only be set.
"""

from datetime import datetime
from typing import Any

import msgspec

from longstop.domain.capture import AttemptState, SnapshotType
from longstop.domain.football import Side


class FootballMatch(msgspec.Struct, frozen=True):
    """By our own number. Natural key: match_id; what was told last by `told_at` stays."""

    match_id: int
    source: str
    source_event_id: str
    home_team: str
    away_team: str
    kickoff_at: datetime
    told_at: datetime
    league_id: int | None = None
    season: int | None = None
    page: str = ""
    tournament: str = ""
    status: str = ""


class PlayerRecord(msgspec.Struct, frozen=True):
    """`key` is the source's own."""

    key: str
    name: str
    is_starter: bool
    position: str = ""
    shirt: int | None = None
    is_captain: bool = False
    rating: float | None = None


class LineUpRecord(msgspec.Struct, frozen=True):
    """One team sheet as it was captured. Natural key: (match_id, side, snapshot, captured_at).

    `kickoff_at` is the kickoff as it was known then. `sheet` is the normalised payload of this side, in the form that
    `schema_version` names; `payload_sha256` that of the raw one.
    """

    match_id: int
    side: Side
    snapshot: SnapshotType
    captured_at: datetime
    kickoff_at: datetime
    source: str
    source_event_id: str
    schema_version: str
    formation: str
    is_confirmed: bool
    players: tuple[PlayerRecord, ...]
    sheet: dict[str, Any]
    payload_sha256: str
    null_field_rate: float = 0.0
    starters_missing: int = 0
    flags: tuple[str, ...] = ()
    after_kickoff: bool = False

    def says_the_same_as(self, other: "LineUpRecord") -> bool:
        return (
            (self.side, self.snapshot, self.schema_version) == (other.side, other.snapshot, other.schema_version)
            and self.sheet == other.sheet
            and self.is_confirmed == other.is_confirmed
        )


class CaptureProgress(msgspec.Struct, frozen=True):
    """How far the captures of a match are. Natural key: match_id; the newest by `updated_at` stays.

    `status` is success, soft_fail, hard_fail or skipped, and `reason` one word; `next_at` None is never again.
    """

    match_id: int
    source: str
    updated_at: datetime
    state: AttemptState
    status: str
    reason: str = ""
    attempts: int = 0
    captures: int = 0
    bytes_in: int = 0
    exit_hash: str = ""
    schema_version: str = ""
    captured_at: datetime | None = None
    confirmed_at: datetime | None = None
    next_at: datetime | None = None


class Quarantined(msgspec.Struct, frozen=True):
    """A payload that broke its contract, and waits to be read again. Natural key: (match_id, captured_at, family).

    The payload itself is among the raw captures. It is released once.
    """

    match_id: int
    captured_at: datetime
    family: str
    sha256: str
    contract: str
    reason: str
    source_event_id: str = ""
    kickoff_at: datetime | None = None
    released_at: datetime | None = None
