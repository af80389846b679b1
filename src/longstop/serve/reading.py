"""What serving reads, and nothing more: it cannot write, because nothing it is given can."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.events import DeliveryRecord, Gap, InningsRecord, MatchEvent
from longstop.domain.match import MatchStatus, Names
from longstop.domain.recovery import RecoveryAuditEntry
from longstop.domain.scraper_state import ScraperState
from longstop.observe.health import Watched
from longstop.observe.health_rules import Vitals
from longstop.observe.lookout.post import Lookout
from longstop.observe.signals import Signals
from longstop.observe.windows import PollTally
from longstop.serve.closing import Closing
from longstop.store.contract import FedEvent, FeedCursor, LiveRow, MatchPlace, MatchRow
from longstop.store.football_contract import FootballReads

# Twice the slowest pace of normal work, 30 s in a break: what is older is not just between two polls.
STALE_AFTER_SECONDS = 60.0


class MatchReader(Protocol):
    """The reading half of `longstop.store.contract.Store`."""

    async def matches(
        self,
        *,
        status: MatchStatus | None = None,
        source: str | None = None,
        limit: int = 1000,
        after: MatchPlace | None = None,
    ) -> Sequence[MatchRow]: ...

    async def match(self, match_id: str, *, as_of: datetime | None = None) -> MatchRow | None: ...

    async def live(self, match_ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, LiveRow]: ...

    async def events(
        self, match_id: str, *, after: int = 0, limit: int = 500, as_of: datetime | None = None
    ) -> Sequence[MatchEvent]: ...

    async def feed(self, after: FeedCursor, *, limit: int = 500) -> Sequence[FedEvent]: ...

    async def feed_end(self) -> FeedCursor: ...

    async def states(self, match_ids: Sequence[str]) -> dict[str, ScraperState]: ...

    async def deliveries(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[DeliveryRecord]: ...

    async def last_deliveries(
        self, match_id: str, *, limit: int, as_of: datetime | None = None
    ) -> Sequence[DeliveryRecord]: ...

    async def innings(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[InningsRecord]: ...

    async def gaps(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[Gap]: ...

    async def audits(self, *, limit: int = 100) -> Sequence[RecoveryAuditEntry]: ...

    async def ping(self) -> float: ...

    async def delivery_history(self, match_id: str) -> Sequence[DeliveryRecord]: ...


class BoardReader(Protocol):
    """The reading half of `longstop.observe.health.Board`."""

    @property
    def rss_bytes(self) -> int: ...

    @property
    def browser_bytes(self) -> int: ...

    @property
    def peak_bytes(self) -> int: ...

    @property
    def cpu_percent(self) -> float: ...

    @property
    def grade(self) -> str: ...

    @property
    def polls(self) -> PollTally: ...

    def ages_in_play(self, now: datetime) -> Iterator[float]: ...

    def match(self, match_id: str) -> Watched | None: ...

    def matches(self) -> list[Watched]: ...

    def active(self) -> list[Watched]: ...

    def vitals(self, now: datetime) -> Vitals: ...

    def errors_last_hour(self, now: datetime) -> int: ...

    def updates_per_minute(self, now: datetime) -> int: ...

    def latency_ms(self) -> tuple[float, float]: ...


class Approach(Protocol):
    """How each match is fetched, and why so."""

    def why(self, source: str, key: str) -> str:
        """Why the match is fetched the way it is; empty when it is not watched."""
        ...

    def shut(self, source: str, key: str) -> tuple[str, ...]:
        """The rungs of this match whose breaker is not closed, each with its state, as in `replay open`."""
        ...

    def breakers(self) -> list[dict[str, Any]]:
        """Every breaker that is not simply closed and unused."""
        ...


class NoApproach:
    """For those who serve what nobody fetches."""

    def why(self, source: str, key: str) -> str:  # noqa: ARG002 - it is the same for all
        return ""

    def shut(self, source: str, key: str) -> tuple[str, ...]:  # noqa: ARG002 - it is the same for all
        return ()

    def breakers(self) -> list[dict[str, Any]]:
        return []


NO_APPROACH = NoApproach()


class Progress(msgspec.Struct, frozen=True):
    """Tasks that wait for their turn, and those under way."""

    waiting: int = 0
    running: int = 0


class Operations(Protocol):
    """The instance as those see it who operate it."""

    @property
    def is_started(self) -> bool: ...

    def progress(self) -> Progress: ...

    def recoveries(self) -> Sequence[RecoveryAuditEntry]:
        """Those at hand, the newest first."""
        ...

    def thresholds(self) -> dict[str, Any]:
        """The settings by which it works, without secrets."""
        ...


class NoOperations:
    """For those who serve what nobody operates."""

    is_started = True

    def progress(self) -> Progress:
        return Progress()

    def recoveries(self) -> Sequence[RecoveryAuditEntry]:
        return ()

    def thresholds(self) -> dict[str, Any]:
        return {}


NO_OPERATIONS = NoOperations()


class Instance(msgspec.Struct, frozen=True):
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class ReadModel:
    """Everything that serving depends on. `names` looks up a source's names in memory; it must not block."""

    store: MatchReader
    board: BoardReader
    names: Callable[[str], Names]
    clock: Clock
    instance: Instance
    approach: Approach = NO_APPROACH
    operations: Operations = NO_OPERATIONS
    bus: Signals = field(default_factory=Signals)
    stale_after_seconds: float = STALE_AFTER_SECONDS
    lookout: Lookout = field(default_factory=Lookout)
    football: FootballReads | None = None
    closing: Closing = field(default_factory=Closing)
