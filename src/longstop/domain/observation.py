"""What one source said, when, and from which payload."""

from datetime import datetime

import msgspec

from longstop.domain.cricket import (
    BatterFigures,
    BowlerFigures,
    InningsScore,
    OverReport,
    PlayState,
    Result,
    Toss,
)
from longstop.domain.match import MatchRef, MatchStatus


class Provenance(msgspec.Struct, frozen=True):
    """Where a statement comes from: enough to find the bytes again and to judge their age."""

    source: str
    rung: str
    payload_sha256: str
    captured_at: datetime
    source_at: datetime | None = None


class Observation(msgspec.Struct, frozen=True):
    """The state of one match as one payload tells it. Codes, not names.

    `headline` is the score as the source shows it a second time: runs and wickets, by team and innings;
    `headline_overs` are its overs. `told_winner` is who a source says has won while it says that play goes on.
    `matched` is, for what was read from a page, which of the fallback selectors found each field.
    """

    ref: MatchRef
    provenance: Provenance
    status: MatchStatus
    play: PlayState
    teams: tuple[str, str]
    innings: tuple[InningsScore, ...] = ()
    overs: tuple[OverReport, ...] = ()
    sequence: int | None = None
    batting: tuple[BatterFigures, ...] = ()
    bowling: BowlerFigures | None = None
    toss: Toss | None = None
    result: Result | None = None
    format: str = ""
    balls_per_over: int = 6
    overs_limit: int | None = None
    last_event: str = ""
    announcement: str = ""
    headline: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = ()
    headline_overs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    told_winner: str | None = None
    matched: tuple[tuple[str, int], ...] = ()

    @property
    def current_innings(self) -> InningsScore | None:
        return self.innings[-1] if self.innings else None
