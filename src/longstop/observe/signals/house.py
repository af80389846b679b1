"""What happens to the process: up, down, failing, asked, reconfigured."""

from typing import Any

import msgspec

from longstop.observe.signals.bus import Signal


class EngineStarted(Signal, frozen=True, kw_only=True):
    instance: str
    version: str
    detail: str = ""


class EngineStopped(Signal, frozen=True, kw_only=True):
    instance: str
    reason: str
    duration_seconds: float


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
    context: dict[str, Any] = msgspec.field(default_factory=dict)


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
    """`outcome` is done, failed or refused; `detail` says why, `consumer` and `key_id` who asked. `subject` is what
    it was done to where that is no match: a source, an address."""

    verb: str
    outcome: str
    match_id: str | None = None
    reason: str = ""
    detail: str = ""
    request_id: str = ""
    consumer: str = ""
    key_id: str = ""
    subject: str = ""


class AlertRaised(Signal, frozen=True, kw_only=True):
    """`held_back` counts the same alert since it was raised last. `is_news`: no other line of the log says it."""

    alert: str
    severity: str
    message: str
    hint: str = ""
    match_id: str | None = None
    context: dict[str, Any] = msgspec.field(default_factory=dict)
    held_back: int = 0
    is_news: bool = False


class AlertDelivered(Signal, frozen=True, kw_only=True):
    alert: str
    match_id: str | None
    attempts: int
    duration_seconds: float


class AlertLost(Signal, frozen=True, kw_only=True):
    """`alert` is the last of `count`."""

    alert: str
    match_id: str | None
    reason: str
    count: int = 1


class ServiceRestarted(Signal, frozen=True, kw_only=True):
    service: str
    reason: str
    restarts: int


class CapturesPruned(Signal, frozen=True, kw_only=True):
    captures: int
    duration_seconds: float


class ResourcesMeasured(Signal, frozen=True, kw_only=True):
    rss_bytes: int
    cpu_percent: float
    tasks: int
    open_files: int
    cpu_seconds: float | None = None
    processes: int | None = None


class LoopLagged(Signal, frozen=True, kw_only=True):
    lag_seconds: float
