"""Facts about the machine, typed. Logic emits them; logs, metrics and health subscribe.

| signal | when | fields worth a metric |
|---|---|---|
| EngineStarted, EngineStopped | the service came up, went down | |
| SourceListed | a source's list of matches was read | source, matches, live |
| MatchDiscovered | a source listed a match for the first time | source |
| MatchStateChanged | a step of the match lifecycle | from, to |
| PollFinished | one poll ended, whatever its outcome | outcome, rung, duration, bytes |
| RungChanged | a match is fetched another way | from, to |
| RecipeLearnt | a browser showed how a call is made | duration |
| SelectorDrifted | a page is read by fallback selectors only | source, field |
| EventsStored | critical events became durable | count, extraction to stored |
| ScoreStored | a changed state of a match became durable; what the page shows | |
| ObservationRejected | a payload was not believed | reason |
| GapOpened, GapClosed | the balls and the board disagree, agree again | missing balls and runs |
| ErrorRaised | something failed; has the documents' log fields | error_type |
| ConfigurationReloaded, ConfigurationRefused | the settings were read again while running | |
| AdminVerbUsed | somebody asked for something under /admin, whatever came of it | |
| ServiceRestarted | supervision restarted a child | service, reason |
| ScraperStarted, ScraperStopped | a match is watched, no longer watched | |
| ResourcesMeasured | memory and CPU were read | memory, cpu |
| LoopLagged | the event loop was late | lag |
| BrowserStarted, BrowserStopped | a browser came up, is gone with all its processes | reason, duration, pids left |
| BrowserLost | a browser died, hung, or grew too large | reason, leases |
| BrowserRecycled | a browser or a context is replaced before it spoils | subject, reason, action |
| LeaseLost | a lease was taken away from who held it | source, reason |
| OrphanKilled | a process that an earlier run left behind was ended | memory |
"""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from longstop.domain.events import Gap, GapState
from longstop.domain.match import MatchListing
from longstop.domain.observation import Observation

SignalT = TypeVar("SignalT", bound="Signal")


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    at: datetime


class EngineStarted(Signal, frozen=True, kw_only=True):
    instance: str
    version: str
    detail: str = ""


class EngineStopped(Signal, frozen=True, kw_only=True):
    instance: str
    reason: str
    duration_seconds: float


class SourceListed(Signal, frozen=True, kw_only=True):
    """Tells "nothing is live" from "we do not know what is live"."""

    source: str
    matches: int
    live: int
    duration_seconds: float = 0.0


class MatchDiscovered(Signal, frozen=True, kw_only=True):
    match_id: str
    source: str
    title: str
    listing: MatchListing | None = None


class MatchStateChanged(Signal, frozen=True, kw_only=True):
    match_id: str
    before: str
    after: str
    reason: str


# Outcomes after which the state on record is the source's state of that moment.
FRESH_OUTCOMES = frozenset({"updated", "unchanged"})


class PollFinished(Signal, frozen=True, kw_only=True):
    """`captured_at` is when the payload came; without it the end of the poll is taken. `interval_seconds` is the wait
    until the next one."""

    match_id: str
    source: str
    rung: str
    outcome: str
    duration_seconds: float
    bytes_in: int = 0
    is_changed: bool = False
    captured_at: datetime | None = None
    interval_seconds: float | None = None

    @property
    def fresh_at(self) -> datetime | None:
        """From when the state is that this poll saw and believed; None when it saw none."""
        return (self.captured_at or self.at) if self.outcome in FRESH_OUTCOMES else None


class RungChanged(Signal, frozen=True, kw_only=True):
    """A match is fetched another way from now on."""

    match_id: str
    before: str
    after: str
    reason: str


class RecipeLearnt(Signal, frozen=True, kw_only=True):
    """A browser showed how a call is made; `reason` is why it was asked."""

    source: str
    purpose: str
    reason: str
    duration_seconds: float


class SelectorDrifted(Signal, frozen=True, kw_only=True):
    """A page's usual selector finds nothing any more, and a fallback does: the list wants mending soon."""

    source: str
    field: str


class EventsStored(Signal, frozen=True, kw_only=True):
    match_id: str
    source: str
    count: int
    corrections: int
    stored_seconds: float
    delay_seconds: float | None = None


class ScoreStored(Signal, frozen=True, kw_only=True):
    """The state as it is now believed and stored, with the recent overs of its payload."""

    match_id: str
    scraper_id: str
    sequence: int
    observation: Observation


class ObservationRejected(Signal, frozen=True, kw_only=True):
    match_id: str
    source: str
    reasons: tuple[str, ...]


class GapOpened(Signal, frozen=True, kw_only=True):
    match_id: str
    gap_id: str
    innings: int
    cause: str
    missing_runs: int
    missing_wickets: int
    missing_balls: int


class GapClosed(Signal, frozen=True, kw_only=True):
    match_id: str
    gap_id: str
    innings: int
    open_seconds: float


def about_gap(gap: Gap, now: datetime) -> GapOpened | GapClosed:
    if gap.state is GapState.OPEN:
        return GapOpened(
            at=now,
            match_id=gap.match_id,
            gap_id=gap.gap_id,
            innings=gap.innings,
            cause=gap.cause,
            missing_runs=gap.missing_runs,
            missing_wickets=gap.missing_wickets,
            missing_balls=gap.missing_balls,
        )
    open_seconds = (now - gap.opened_at).total_seconds()
    return GapClosed(at=now, match_id=gap.match_id, gap_id=gap.gap_id, innings=gap.innings, open_seconds=open_seconds)


class ErrorRaised(Signal, frozen=True, kw_only=True):
    """Fields of the documents' structured error log (FR-014)."""

    severity: str
    error_type: str
    error_message: str
    hint: str = ""
    match_id: str | None = None
    scraper_id: str | None = None
    operation: str = ""
    url: str = ""
    attempt: int = 0
    stack_trace: str | None = None
    context: dict[str, Any] = {}


class ConfigurationReloaded(Signal, frozen=True, kw_only=True):
    """`applied` and `needs_restart` are lines "path: before → after", without secrets."""

    reason: str
    generation: int
    applied: tuple[str, ...] = ()
    needs_restart: tuple[str, ...] = ()


class ConfigurationRefused(Signal, frozen=True, kw_only=True):
    """`generation` is that of the settings which stay."""

    reason: str
    generation: int
    message: str
    hint: str = ""
    faults: tuple[str, ...] = ()


class AdminVerbUsed(Signal, frozen=True, kw_only=True):
    """`outcome` is done, failed or refused; `detail` says why."""

    verb: str
    outcome: str
    match_id: str | None = None
    reason: str = ""
    detail: str = ""
    request_id: str = ""


class ServiceRestarted(Signal, frozen=True, kw_only=True):
    service: str
    reason: str
    restarts: int


class ScraperStarted(Signal, frozen=True, kw_only=True):
    match_id: str
    scraper_id: str
    source: str
    url: str = ""
    interval_seconds: float = 2.5


class ScraperStopped(Signal, frozen=True, kw_only=True):
    match_id: str
    scraper_id: str
    reason: str


class ResourcesMeasured(Signal, frozen=True, kw_only=True):
    rss_bytes: int
    cpu_percent: float
    tasks: int
    open_files: int


class LoopLagged(Signal, frozen=True, kw_only=True):
    lag_seconds: float


class BrowserStarted(Signal, frozen=True, kw_only=True):
    unit: str
    pid: int
    driver_pid: int
    duration_seconds: float


class BrowserStopped(Signal, frozen=True, kw_only=True):
    """`pids_after` should be 0: it is counted, not believed."""

    unit: str
    reason: str
    pids_before: int
    pids_after: int
    duration_seconds: float


class BrowserLost(Signal, frozen=True, kw_only=True):
    unit: str
    reason: str
    leases: int


class BrowserRecycled(Signal, frozen=True, kw_only=True):
    """`subject` is browser or context; `action` is replace or kill; `detail` gives the figure and its limit."""

    unit: str
    subject: str
    reason: str
    action: str
    detail: str = ""


class LeaseLost(Signal, frozen=True, kw_only=True):
    unit: str
    source: str
    reason: str


class OrphanKilled(Signal, frozen=True, kw_only=True):
    pid: int
    name: str
    mark: str
    memory_bytes: int


Handler = Callable[[Any], None]


class Signals:
    """A synchronous bus. Handlers are ours, short, and do no I/O that can block."""

    def __init__(self) -> None:
        self._handlers: dict[type[Signal], list[Handler]] = defaultdict(list)
        self._every: list[Callable[[Signal], None]] = []

    def subscribe(self, kind: type[SignalT], handler: Callable[[SignalT], None]) -> None:
        self._handlers[kind].append(handler)

    def subscribe_all(self, handler: Callable[[Signal], None]) -> None:
        self._every.append(handler)

    def emit(self, signal: Signal) -> None:
        for handler in self._handlers.get(type(signal), ()):
            handler(signal)
        for handler in self._every:
            handler(signal)
