"""How the settings become the engine's options, and which of them it takes while it runs."""

from longstop.ledger.match_ledger import LedgerLimits
from longstop.resilience.failures import PauseLimits
from longstop.resilience.pace import PaceLimits
from longstop.resilience.retry import RetryPolicy
from longstop.settings import Settings
from longstop.supervise.budget import RestartBudget
from longstop.supervise.options import EngineOptions
from longstop.supervise.scheduler import SchedulerLimits

DAY_SECONDS = 86400.0
# What the engine takes while it runs.
ENGINE_SETTINGS = (
    "scraper.adaptive.break_after_cycles",
    "scraper.adaptive.break_interval",
    "scraper.adaptive.busy_interval",
    "scraper.adaptive.calm_period",
    "scraper.adaptive.error_intervals",
    "scraper.adaptive.important",
    "scraper.adaptive.match_state_detection",
    "scraper.adaptive.polling",
    "scraper.lifecycle.archive_ttl",
    "scraper.lifecycle.completed_interval",
    "scraper.lifecycle.imminent_window",
    "scraper.lifecycle.polling_interval",
    "scraper.lifecycle.shutdown_timeout",
    "scraper.resilience.parse_failures",
    "scraper.resilience.pause",
    "scraper.resilience.supervision",
    "scraper.scheduling.base_delay",
    "scraper.scheduling.concurrency_cap",
    "scraper.scheduling.max_attempts",
    "scraper.scheduling.total_timeout",
    "sources.discovery_interval",
    "sources.not_found_ttl",
    "storage.keep_captures",
    "storage.retention.captures_max_days",
    "storage.retention.captures_max_mb",
)


def ledger_limits(settings: Settings) -> LedgerLimits:
    repair = settings.scraper.repair
    return LedgerLimits(
        overs_per_call=repair.overs_per_call,
        calls_per_poll=repair.calls_per_poll,
        # A poll has until then to fill it; who keeps the gaps looks each second, so it is told before the deadline.
        gap_after_seconds=max(0.1, repair.gap_deadline - settings.scraper.lifecycle.polling_interval),
    )


def engine_options(settings: Settings) -> EngineOptions:
    scraper = settings.scraper
    lifecycle, supervision = scraper.lifecycle, scraper.resilience.supervision
    return EngineOptions(
        pace=pace_limits(settings),
        ledger=ledger_limits(settings),
        retry=RetryPolicy(scraper.scheduling.max_attempts, scraper.scheduling.base_delay),
        pause=pause_limits(settings),
        scheduler=SchedulerLimits(scraper.scheduling.concurrency_cap, scraper.scheduling.total_timeout),
        top_budget=RestartBudget(supervision.top_restarts, supervision.top_window),
        scraper_budget=RestartBudget(supervision.scraper_restarts, supervision.scraper_window),
        discovery_seconds=settings.sources.discovery_interval,
        imminent_seconds=lifecycle.imminent_window,
        not_found_seconds=settings.sources.not_found_ttl,
        archive_seconds=lifecycle.archive_ttl,
        shutdown_seconds=lifecycle.shutdown_timeout,
        important=scraper.adaptive.important,
        has_captures=settings.storage.keep_captures,
        captures_bytes=settings.storage.retention.captures_max_mb << 20,
        captures_seconds=settings.storage.retention.captures_max_days * DAY_SECONDS,
    )


def pace_limits(settings: Settings) -> PaceLimits:
    lifecycle, adaptive = settings.scraper.lifecycle, settings.scraper.adaptive
    return PaceLimits(
        baseline_seconds=lifecycle.polling_interval,
        completed_seconds=lifecycle.completed_interval,
        busy_seconds=adaptive.busy_interval,
        break_seconds=adaptive.break_interval,
        break_after_polls=adaptive.break_after_cycles,
        error_seconds=adaptive.error_intervals,
        calm_seconds=adaptive.calm_period,
        is_adaptive=adaptive.polling,
        detects_play=adaptive.match_state_detection,
    )


def pause_limits(settings: Settings) -> PauseLimits:
    pause, parsing = settings.scraper.resilience.pause, settings.scraper.resilience.parse_failures
    return PauseLimits(
        failures=pause.threshold,
        window_seconds=pause.window,
        pause_seconds=pause.duration,
        unreadable=parsing.threshold,
        unreadable_seconds=parsing.retry_interval,
    )
