"""Captures of football before kickoff: how each attempt went, what it cost, and what the source's breaker does.

| signal | when | fields worth a metric |
|---|---|---|
| CaptureAttempted | an attempt ended | status, reason, bytes, requests |
| MatchCaptured | a capture was validated, and stored if there is a store | integrity |
| CaptureSkipped | a match is given up for now | reason |
| SchemaBroken, SchemaHealed | the site breaks a contract, keeps it again | contract |
| ChallengePersisted | every exit meets a challenge | |
| KickoffMoved | the kickoff is not when it was | rows flagged |
| FixturesListed | the lists of the days ahead were read | matches |
| CircuitOpened, CircuitHalfOpened, CircuitClosed | the breaker of a source | |
"""

from datetime import datetime

from longstop.domain.capture import CaptureIntegrity, ExitView, NetworkFigures
from longstop.observe.signals.bus import Signal


class CaptureAttempted(Signal, frozen=True, kw_only=True):
    """`state` is how far it came; `status` is success, soft_fail, hard_fail or skipped. `reason` is one of a table."""

    source: str
    run_id: str
    match_id: str
    source_event_id: str
    attempt: int
    state: str
    status: str
    reason: str = ""
    error_type: str = ""
    error_message: str = ""
    http_status: int | None = None
    rung: str = ""
    duration_seconds: float = 0.0
    exit: ExitView = ExitView()
    network: NetworkFigures = NetworkFigures()


class MatchCaptured(Signal, frozen=True, kw_only=True):
    source: str
    run_id: str
    match_id: str
    source_event_id: str
    schema_version: str
    captured_at: datetime
    kickoff_at: datetime
    integrity: CaptureIntegrity
    is_confirmed: bool
    is_news: bool
    league_id: int | None = None
    null_rate_max: float = 1.0

    @property
    def is_degraded(self) -> bool:
        """Before they are confirmed, line-ups are expected to have holes."""
        return self.is_confirmed and self.integrity.null_field_rate > self.null_rate_max


class CaptureSkipped(Signal, frozen=True, kw_only=True):
    source: str
    match_id: str
    reason: str
    message: str
    hint: str = ""


class SchemaBroken(Signal, frozen=True, kw_only=True):
    """Told once, until it heals."""

    source: str
    contract: str
    match_id: str
    message: str
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


class SchemaHealed(Signal, frozen=True, kw_only=True):
    source: str
    contract: str


class ChallengePersisted(Signal, frozen=True, kw_only=True):
    source: str
    match_id: str
    attempts: int


class KickoffMoved(Signal, frozen=True, kw_only=True):
    """`flagged` team sheets were captured after the new kickoff, and count no longer."""

    source: str
    match_id: str
    before: datetime
    after: datetime
    flagged: int


class FixturesListed(Signal, frozen=True, kw_only=True):
    source: str
    matches: int
    new: int
    duration_seconds: float


class CircuitOpened(Signal, frozen=True, kw_only=True):
    source: str
    open_seconds: float
    reason: str


class CircuitHalfOpened(Signal, frozen=True, kw_only=True):
    source: str
    probes: int


class CircuitClosed(Signal, frozen=True, kw_only=True):
    source: str
