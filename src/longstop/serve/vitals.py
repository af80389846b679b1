"""`GET /health` in the documents' shape (S1, with S0 FR-012's fields). It reads the board and nothing else.

One process watches all matches. The memory of one is its share of the process by what it holds, with that of its pages
in a browser; null is not known, and never means little. CPU is shared equally. The totals are process and browsers.
"""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from longstop.observe.health import Watched
from longstop.observe.health_rules import overall_health
from longstop.serve.reading import ReadModel

_MEGABYTE = 1024 * 1024
PAGE_SECONDS = 0.25
_encode = msgspec.json.Encoder().encode


class ScraperReport(Struct, frozen=True):
    scraper_id: str
    match_id: str
    url: str
    start_time: datetime
    last_update: datetime | None
    uptime_seconds: int
    error_count: int
    total_errors: int
    total_updates: int
    health_status: str
    memory_mb: float | None
    cpu_percent: float
    polling_interval: float


class ResourceReport(Struct, frozen=True):
    total_memory_mb: float
    average_memory_mb: float
    peak_memory_mb: float
    total_cpu_percent: float


class ErrorReport(Struct, frozen=True):
    last_minute: int
    last_hour: int
    circuit_breakers: list[dict[str, Any]]


class PerformanceReport(Struct, frozen=True):
    average_latency_ms: float
    p95_latency_ms: float
    updates_per_minute: int


class MatchReport(Struct, frozen=True):
    match_id: str
    url: str
    last_update_iso8601: datetime | None
    error_count: int
    memory_mb: float | None


class HealthReport(Struct, frozen=True):
    status: str
    timestamp: datetime
    active_scraper_count: int
    total_matches_scraping: int
    scrapers: list[ScraperReport]
    resources: ResourceReport
    errors: ErrorReport
    performance: PerformanceReport
    per_match_status: list[MatchReport]
    total_memory_mb: float
    uptime_seconds: int
    instance: str
    version: str


class HealthPage:
    """The report as bytes. With a thousand matches it takes milliseconds to write, so that those who ask within a
    quarter of a second get the same."""

    def __init__(self, model: ReadModel) -> None:
        self._model = model
        self._written_at = float("-inf")
        self._kept = (b"", 200)

    def now(self) -> tuple[bytes, int]:
        moment = self._model.clock.monotonic()
        if moment - self._written_at >= PAGE_SECONDS:
            report = health_report(self._model)
            self._kept = (_encode(report), 503 if report.status == "down" else 200)
            self._written_at = moment
        return self._kept


def health_report(model: ReadModel) -> HealthReport:
    now, board = model.clock.now(), model.board
    vitals = board.vitals(now)
    active = board.active()
    scrapers = max(1, len(active))
    cpu_percent = round(board.cpu_percent / scrapers, 2)
    total_bytes = board.rss_bytes + board.browser_bytes
    total_mb = round(total_bytes / _MEGABYTE, 1)
    average_ms, p95_ms = board.latency_ms()
    return HealthReport(
        status=overall_health(vitals),
        timestamp=now,
        active_scraper_count=len(active),
        total_matches_scraping=len(active) + vitals.unwatched,
        scrapers=[_scraper(watched, cpu_percent, now) for watched in active],
        resources=ResourceReport(
            total_memory_mb=total_mb,
            average_memory_mb=round(total_bytes / _MEGABYTE / scrapers, 2),
            peak_memory_mb=round(board.peak_bytes / _MEGABYTE, 1),
            total_cpu_percent=round(board.cpu_percent, 1),
        ),
        errors=ErrorReport(
            vitals.errors_last_minute, board.errors_last_hour(now), circuit_breakers=model.approach.breakers()
        ),
        performance=PerformanceReport(average_ms, p95_ms, board.updates_per_minute(now)),
        per_match_status=[_match(watched) for watched in active],
        total_memory_mb=total_mb,
        uptime_seconds=int(vitals.uptime_seconds),
        instance=model.instance.name,
        version=model.instance.version,
    )


def _scraper(watched: Watched, cpu_percent: float, now: datetime) -> ScraperReport:
    return ScraperReport(
        scraper_id=watched.scraper_id,
        match_id=watched.match_id,
        url=watched.url,
        start_time=watched.started_at,
        last_update=watched.captured_at,
        uptime_seconds=int((now - watched.started_at).total_seconds()),
        error_count=watched.error_count,
        total_errors=watched.total_errors,
        total_updates=watched.total_updates,
        health_status=watched.health(now),
        memory_mb=megabytes(watched.memory_bytes),
        cpu_percent=cpu_percent,
        polling_interval=watched.interval_seconds,
    )


def _match(watched: Watched) -> MatchReport:
    memory_mb = megabytes(watched.memory_bytes)
    return MatchReport(watched.match_id, watched.url, watched.captured_at, watched.error_count, memory_mb)


def megabytes(size: int | None) -> float | None:
    """What was not measured stays unknown."""
    return None if not size else round(size / _MEGABYTE, 2)
