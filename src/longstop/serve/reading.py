"""What serving reads, and nothing more: it cannot write, because nothing it is given can."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.events import DeliveryRecord, Gap, MatchEvent
from longstop.domain.match import MatchStatus, Names
from longstop.observe.health import Vitals, Watched
from longstop.store.contract import LiveRow, MatchRow

# Twice the slowest pace of normal work, 30 s in a break: what is older is not just between two polls.
STALE_AFTER_SECONDS = 60.0


class MatchReader(Protocol):
    """The reading half of `longstop.store.contract.Store`."""

    async def matches(
        self, *, status: MatchStatus | None = None, source: str | None = None, limit: int = 1000
    ) -> Sequence[MatchRow]: ...

    async def match(self, match_id: str) -> MatchRow | None: ...

    async def live(self, match_ids: Sequence[str]) -> dict[str, LiveRow]: ...

    async def events(self, match_id: str, *, after: int = 0, limit: int = 500) -> Sequence[MatchEvent]: ...

    async def deliveries(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[DeliveryRecord]: ...

    async def gaps(self, match_id: str) -> Sequence[Gap]: ...


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

    def breakers(self) -> list[dict[str, Any]]:
        """Every breaker that is not simply closed and unused."""
        ...


class NoApproach:
    """For those who serve what nobody fetches."""

    def why(self, source: str, key: str) -> str:  # noqa: ARG002 - it is the same for all
        return ""

    def breakers(self) -> list[dict[str, Any]]:
        return []


NO_APPROACH = NoApproach()


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
    stale_after_seconds: float = STALE_AFTER_SECONDS
