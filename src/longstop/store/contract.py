"""What a store must do, whichever database stands behind it.

`save` is one transaction. When it returns, the batch is durable; when it raises, it may or may not be, so every row
has a natural key and the same batch may be saved again without changing anything.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from longstop.domain.cricket import BatterFigures, BowlerFigures, InningsScore, PlayState, Result, Toss
from longstop.domain.events import DeliveryRecord, Gap, InningsRecord, MatchEvent
from longstop.domain.football_record import CaptureProgress, FootballMatch, LineUpRecord, Quarantined
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchPriority, MatchRef, MatchStatus, Names
from longstop.domain.recovery import RecoveryAuditEntry
from longstop.domain.scraper_state import ScraperState
from longstop.store.football_contract import FootballReads
from longstop.store.scripts import Transacting


class MatchRow(msgspec.Struct, frozen=True):
    """One row of `matches`: facts from the list, plus the freshness columns of the data model.

    Natural key: match_id. State and status only move forward, facts are not overwritten by empty ones, and the first
    `discovered_at` stays. Between active and paused a match may go back and forth: there the later of two rows counts,
    by `state_at`, or by `last_scraper_update` where that is not told, and of the same moment the pause.
    """

    ref: MatchRef
    title: str
    teams: tuple[str, str]
    status: MatchStatus
    state: MatchState
    format: str = ""
    series: str = ""
    venue: str = ""
    starts_at: datetime | None = None
    discovered_at: datetime | None = None
    last_scraper_update: datetime | None = None
    scraper_status: str = "unknown"
    priority: MatchPriority = MatchPriority.LIVE
    result: Result | None = None
    state_at: datetime | None = None


class MatchPlace(msgspec.Struct, frozen=True):
    """Where a match stands in the order of `matches`."""

    priority: MatchPriority
    starts_at: datetime | None
    match_id: str

    @classmethod
    def of(cls, row: MatchRow) -> "MatchPlace":
        return cls(row.priority, row.starts_at, row.ref.match_id)


class LiveRow(msgspec.Struct, frozen=True):
    """The latest believed state of a match, one row each (`live_match_data`).

    A row that is not newer than the stored one by (sequence, captured_at) changes nothing.
    """

    match_id: str
    sequence: int
    captured_at: datetime
    source_at: datetime | None
    scraper_id: str
    source: str
    rung: str
    payload_sha256: str
    update_latency_ms: int
    play: PlayState
    balls_per_over: int = 6
    innings: tuple[InningsScore, ...] = ()
    batting: tuple[BatterFigures, ...] = ()
    bowling: BowlerFigures | None = None
    toss: Toss | None = None
    result: Result | None = None
    last_event: str = ""
    announcement: str = ""
    complete_through: str | None = None


class ErrorRow(msgspec.Struct, frozen=True):
    """One row of `scraper_errors`. Natural key: error_id (a UUID made where the error happened)."""

    error_id: str
    scraper_id: str
    match_id: str | None
    at: datetime
    error_type: str
    error_message: str
    stack_trace: str | None = None
    url: str = ""
    operation: str = ""
    retry_attempt: int = 0
    resolved: bool = False
    resolved_at: datetime | None = None
    resolution_method: str | None = None


class HealthRow(msgspec.Struct, frozen=True):
    """One row of `scraper_health_log`. Natural key: (scraper_id, at)."""

    scraper_id: str
    match_id: str | None
    at: datetime
    health_status: str
    error_count: int
    memory_mb: float
    cpu_percent: float
    update_latency_ms: int
    polling_interval_seconds: float
    uptime_seconds: int
    last_update_age_seconds: int


class NamesRow(msgspec.Struct, frozen=True):
    source: str
    names: Names


class RecipeRow(msgspec.Struct, frozen=True):
    """A call that was learnt, as whoever learnt it wrote it down. Natural key: (source, purpose); the newest stays.

    The payload holds tokens and cookies, so it is never shown.
    """

    source: str
    purpose: str
    payload: bytes
    learnt_at: datetime
    expires_at: datetime | None = None

    def __repr__(self) -> str:
        return f"RecipeRow({self.source} {self.purpose}, {len(self.payload)} bytes, learnt at {self.learnt_at})"


class Capture(msgspec.Struct, frozen=True):
    """A payload as it came, kept before anything is derived from it: one for each time that a changed one was seen.

    Natural key: (match_id, purpose, captured_at, sha256). The body is kept once for all captures of the same hash, so
    the hash must be that of the body. `asked` is for whoever reads it again: which overs it is about, say. Secrets in
    the URL are left out when it is kept. Where the kept body is not what it was, `damage` tells so, and there is none.
    """

    match_id: str
    purpose: str
    sha256: str
    captured_at: datetime
    requested_at: datetime
    source: str
    rung: str
    url: str
    status: int
    body: bytes
    asked: str = ""
    damage: str = ""

    def __repr__(self) -> str:
        return f"Capture({self.match_id} {self.purpose}, {len(self.body)} bytes, captured at {self.captured_at})"


class WriteBatch(msgspec.Struct, frozen=True):
    """Everything that belongs together. All of it is written, or none.

    `states`: natural key match_id, the newest by `saved_at` stays. `audits`: natural key entry_id, a judged entry
    replaces its unjudged self, and never the other way.
    """

    matches: tuple[MatchRow, ...] = ()
    live: tuple[LiveRow, ...] = ()
    deliveries: tuple[DeliveryRecord, ...] = ()
    innings: tuple[InningsRecord, ...] = ()
    events: tuple[MatchEvent, ...] = ()
    gaps: tuple[Gap, ...] = ()
    names: tuple[NamesRow, ...] = ()
    errors: tuple[ErrorRow, ...] = ()
    health: tuple[HealthRow, ...] = ()
    recipes: tuple[RecipeRow, ...] = ()
    states: tuple[ScraperState, ...] = ()
    audits: tuple[RecoveryAuditEntry, ...] = ()
    football: tuple[FootballMatch, ...] = ()
    lineups: tuple[LineUpRecord, ...] = ()
    progress: tuple[CaptureProgress, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()


class FeedCursor(msgspec.Struct, frozen=True, order=True):
    """A place in the order over the events of all matches; before every other one without figures.

    Its text is what a consumer keeps. A place is never given twice, and nothing appears before a place that was told.
    """

    transaction: int = 0
    position: int = 0

    def __str__(self) -> str:
        return f"{self.transaction}.{self.position}"


class FedEvent(msgspec.Struct, frozen=True):
    cursor: FeedCursor
    event: MatchEvent


class LedgerPage(msgspec.Struct, frozen=True):
    """All that a ledger needs to go on where it stopped: the current revision of every ball and innings.

    A withdrawn ball is among them, with no delivery: should it come back, it does so with a higher revision.
    """

    deliveries: tuple[DeliveryRecord, ...]
    innings: tuple[InningsRecord, ...]
    gaps: tuple[Gap, ...]
    last_seq: int
    live: LiveRow | None


class Store(FootballReads, Transacting, Protocol):
    async def open(self) -> None:
        """Connects and checks the schema: StoreUnavailableError, or StoreError for a schema that is not the current."""
        ...

    async def close(self) -> None:
        """Writes what is queued, then closes. Closing twice is legal."""
        ...

    async def save(self, batch: WriteBatch) -> None: ...

    async def ledger(self, match_id: str) -> LedgerPage: ...

    async def matches(
        self,
        *,
        status: MatchStatus | None = None,
        source: str | None = None,
        state: MatchState | None = None,
        limit: int = 1000,
        after: MatchPlace | None = None,
    ) -> Sequence[MatchRow]:
        """The most urgent first, then by their start, those without one last."""
        ...

    async def match(self, match_id: str, *, as_of: datetime | None = None) -> MatchRow | None:
        """With `as_of`: status, result and last update as they were known then; None while nothing was.

        State and priority follow the status, and the facts of the listing are those of today: they have no history.
        """
        ...

    async def live(self, match_ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, LiveRow]:
        """The last believed state of each, or the last that was captured until `as_of`."""
        ...

    async def events(
        self, match_id: str, *, after: int = 0, limit: int = 500, as_of: datetime | None = None
    ) -> Sequence[MatchEvent]:
        """In the order of `seq`; with `as_of`, those captured until then."""
        ...

    async def feed(self, after: FeedCursor, *, limit: int = 500) -> Sequence[FedEvent]:
        """The events of all matches in the order in which they became durable."""
        ...

    async def feed_end(self) -> FeedCursor:
        """After the newest event that `feed` tells."""
        ...

    async def deliveries(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[DeliveryRecord]:
        """The revision of each ball that was current at `as_of` (by captured_at), in order of place.

        Balls withdrawn by then are left out.
        """
        ...

    async def last_deliveries(
        self, match_id: str, *, limit: int, as_of: datetime | None = None
    ) -> Sequence[DeliveryRecord]:
        """The last of `deliveries`, in their order: a match may have thousands."""
        ...

    async def delivery_history(self, match_id: str) -> Sequence[DeliveryRecord]:
        """Every revision of every ball, withdrawals included."""
        ...

    async def innings(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[InningsRecord]:
        """The revision of each innings that was current at `as_of` (by captured_at), in order of number.

        The runs of an innings that goes on are told by its balls and by the live row, not here.
        """
        ...

    async def gaps(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[Gap]:
        """Each gap in the state in which it stands, or stood at `as_of`, with the cause and the times told for it."""
        ...

    async def gap_history(self, match_id: str) -> Sequence[Gap]:
        """Every state that each gap went through: open, unrecoverable, repaired."""
        ...

    async def names(self, source: str) -> Names: ...

    async def recipes(self, source: str) -> Sequence[RecipeRow]:
        """By purpose; also those that have run out, which is for the caller to judge."""
        ...

    async def states(self, match_ids: Sequence[str]) -> dict[str, ScraperState]:
        """The newest state of each, by match id; a match without one is left out."""
        ...

    async def audits(self, *, limit: int = 100) -> Sequence[RecoveryAuditEntry]:
        """Newest first."""
        ...

    async def errors(
        self, *, match_id: str | None = None, scraper_id: str | None = None, limit: int = 100
    ) -> Sequence[ErrorRow]:
        """Newest first."""
        ...

    async def health(
        self, *, match_id: str | None = None, scraper_id: str | None = None, limit: int = 100
    ) -> Sequence[HealthRow]:
        """Newest first."""
        ...

    async def keep(self, captures: Sequence[Capture]) -> None:
        """A transaction of its own, durable when it returns. The same captures may be kept again."""
        ...

    async def captures(self, match_id: str, *, after: datetime | None = None, limit: int = 100) -> Sequence[Capture]:
        """In the order of time. To go on, hand in the last `captured_at`: what was captured at one moment is never
        parted, so a page may be a little longer than `limit`."""
        ...

    async def prune_captures(self, bytes_max: int, older_than: datetime | None = None) -> int:
        """Removes the oldest captures until the bodies take at most `bytes_max`, and tells how many that were.

        What is older than `older_than` goes in any case, unless its match still lives. Matches that live lose theirs
        last, and only to the bound.
        """
        ...

    async def ping(self) -> float:
        """Seconds a trivial read took; raises StoreUnavailableError when there is no answer."""
        ...
