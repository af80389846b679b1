"""The watchdogs of an engine, with the thread beside the loop and the places where their audit lasts."""

from pathlib import Path

from longstop.settings import Settings
from longstop.supervise.engine import Engine
from longstop.supervise.watchdogs.audit_log import AuditLog, StoredAudit
from longstop.supervise.watchdogs.engine_patient import EnginePatient, Recycle
from longstop.supervise.watchdogs.limits import Limits, loop_limits_of
from longstop.supervise.watchdogs.loop import StallWatcher, tell_in_log
from longstop.supervise.watchdogs.pack import Watchdogs
from longstop.supervise.watchdogs.recoveries import AuditKeeping

# What the watchdogs take while they look. What the loop's thread goes by stays as it was at the start.
WATCHDOG_SETTINGS = (
    "scraper.health.check_interval",
    "scraper.health.degraded_age",
    "scraper.health.failing_age",
    "scraper.health.stall",
    "scraper.lifecycle.staleness_threshold",
    "scraper.watchdog.clock_jump",
    "scraper.watchdog.interval",
    "scraper.watchdog.progress_timeout",
    "scraper.watchdog.recovery_window",
    "scraper.watchdog.recycle_deadline",
    "scraper.watchdog.retry_waits",
)


def watchdogs_of(engine: Engine, settings: Settings, limits: Limits, recycle: Recycle) -> Watchdogs:
    """For an engine in real time; on virtual time there is no thread."""
    parts, storage = engine.parts, settings.storage
    audit_bytes = storage.retention.audit_max_mb * 1024 * 1024
    return Watchdogs(
        EnginePatient(engine, parts.clock, recycle),
        limits,
        parts.clock,
        parts.bus,
        beats=engine.beats,
        keeping=AuditKeeping(
            (AuditLog(Path(storage.root), audit_bytes), StoredAudit(parts.store)), storage.retention.audit_entries
        ),
        watcher=StallWatcher(tell_in_log, loop_limits_of(settings)),
    )
