"""Which signals are worth a line, and when.

What changes is told; what stays the same is not. Polls are DEBUG. A match that fails is told at its first failure, then
at each tenth and once a minute, and its recovery once. CRITICAL is always told.
"""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from longstop.observe import signals as facts
from longstop.observe.capture_lines import CAPTURE_TELLERS
from longstop.observe.lines import SEVERITIES
from longstop.observe.signals import troubles

_EVERY: Final = 10
_AT_LEAST_EACH: Final = timedelta(minutes=1)
# Streaks are kept per match and kind of error; both come from outside, so the number is bounded.
_STREAKS_MAX: Final = 5_000
_ALL_PERCENT = 100
_SPOOL_CRITICAL_PERCENT: Final = 95.0

Told = tuple[int, str, dict[str, Any]]


class _Streak(msgspec.Struct):
    first_at: datetime
    told_at: datetime
    count: int = 0


class Narrator:
    """Turns signals into log records. It holds what it needs to stay silent, and nothing else."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._streaks: dict[str, dict[str, _Streak]] = {}

    def tell(self, signal: facts.Signal) -> None:
        if isinstance(signal, facts.PollFinished):
            self._tell_poll(signal)
        elif isinstance(signal, facts.ErrorRaised):
            self._tell_error(signal)
        elif isinstance(signal, facts.ObservationRejected):
            self._tell_rejection(signal)
        elif isinstance(signal, facts.AdminVerbUsed):
            self._tell_verb(signal)
        elif isinstance(signal, facts.LoopLagged):
            self._tell_lag(signal)
        elif isinstance(signal, facts.WritesDropped):
            self._tell_dropped(signal)
        else:
            self._tell_fact(signal)
        if isinstance(signal, facts.ScraperStopped):
            self._streaks.pop(signal.match_id, None)

    def _tell_fact(self, signal: facts.Signal) -> None:
        teller = _TELLERS.get(type(signal)) or CAPTURE_TELLERS.get(type(signal))
        if teller is not None:
            level, event, fields = teller(signal)
            self._write(level, signal, event, fields)

    def _tell_poll(self, poll: facts.PollFinished) -> None:
        if poll.fresh_at is not None:
            self._tell_recovery(poll)
        if self._logger.isEnabledFor(logging.DEBUG):
            fields = _fields(poll, "match_id", "source", "rung", "outcome", "bytes_in", "is_changed")
            fields["duration_ms"] = round(poll.duration_seconds * 1000, 1)
            self._write(logging.DEBUG, poll, "poll finished", fields)

    def _tell_recovery(self, poll: facts.PollFinished) -> None:
        streaks = self._streaks.pop(poll.match_id, None)
        if not streaks:
            return
        since = min(streak.first_at for streak in streaks.values())
        fields = _fields(poll, "match_id", "source", "rung")
        fields["failures"] = sum(streak.count for streak in streaks.values())
        fields["down_seconds"] = round((poll.at - since).total_seconds(), 1)
        self._write(logging.INFO, poll, "match recovered", fields)

    def _tell_error(self, error: facts.ErrorRaised) -> None:
        level = SEVERITIES.get(error.severity.upper(), logging.ERROR)
        count = self._occurrence(error.match_id or "", f"{error.operation}:{error.error_type}", error.at)
        if count == 0 and level < logging.CRITICAL:
            return
        fields = _fields(error, "match_id", "scraper_id", "error_type", "error_message", "hint", "operation", "attempt")
        fields["stack_trace"] = error.stack_trace
        fields["context"] = {**error.context, "url": error.url or error.context.get("url")}
        if count > 1:
            fields["occurrences"] = count
        self._write(level, error, "error raised", fields)

    def _tell_rejection(self, rejection: facts.ObservationRejected) -> None:
        count = self._occurrence(rejection.match_id, "rejected", rejection.at)
        if count:
            fields = _fields(rejection, "match_id", "source", "reasons") | {"occurrences": count}
            self._write(logging.WARNING, rejection, "observation rejected", fields)

    def _tell_lag(self, lag: facts.LoopLagged) -> None:
        count = self._occurrence("", "loop lag", lag.at)
        if count:
            fields = {"lag_ms": round(lag.lag_seconds * 1000, 1), "occurrences": count}
            self._write(logging.WARNING, lag, "event loop lagged", fields)

    def _tell_verb(self, used: facts.AdminVerbUsed) -> None:
        """Whoever is refused may try as often as a page can; that must not fill the log."""
        fields = _fields(used, "verb", "outcome", "consumer", "match_id", "subject", "reason", "detail", "request_id")
        if used.outcome != "refused":
            self._write(logging.INFO if used.outcome == "done" else logging.WARNING, used, "admin verb used", fields)
        elif count := self._occurrence("", "admin refused", used.at):
            self._write(logging.WARNING, used, "admin verb refused", fields | {"occurrences": count})

    def _tell_dropped(self, dropped: facts.WritesDropped) -> None:
        count = self._occurrence("", "writes dropped", dropped.at)
        if count:
            fields = _fields(dropped, "items", "total", "reason") | {"occurrences": count}
            self._write(logging.WARNING, dropped, "writes dropped", fields)

    def _occurrence(self, match_id: str, kind: str, at: datetime) -> int:
        """How often this has happened now, or 0 when it is not to be told this time."""
        if match_id not in self._streaks and len(self._streaks) >= _STREAKS_MAX:
            self._streaks.pop(next(iter(self._streaks)))
        kinds = self._streaks.setdefault(match_id, {})
        if kind not in kinds and len(kinds) >= _EVERY:
            kind = "other"
        streak = kinds.setdefault(kind, _Streak(first_at=at, told_at=at))
        streak.count += 1
        is_due = streak.count == 1 or streak.count % _EVERY == 0 or at - streak.told_at >= _AT_LEAST_EACH
        if is_due:
            streak.told_at = at
        return streak.count if is_due else 0

    def _write(self, level: int, signal: facts.Signal, event: str, fields: Mapping[str, Any]) -> None:
        if self._logger.isEnabledFor(level):
            moment = signal.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            said = {name: value for name, value in fields.items() if value != ""}
            self._logger.log(level, {"event": event, "timestamp": moment} | said)


def _fields(signal: facts.Signal, *names: str) -> dict[str, Any]:
    return {name: getattr(signal, name) for name in names}


def _telling(level: int, event: str, *names: str) -> Callable[[Any], Told]:
    return lambda signal: (level, event, _fields(signal, *names))


def _tell_stored(stored: facts.EventsStored) -> Told:
    level = logging.INFO if stored.corrections else logging.DEBUG
    return level, "events stored", _fields(stored, "match_id", "source", "count", "corrections", "stored_seconds")


def _tell_reloaded(reloaded: facts.ConfigurationReloaded) -> Told:
    level = logging.WARNING if reloaded.needs_restart else logging.INFO
    fields = _fields(reloaded, "reason", "generation", "applied", "needs_restart")
    if reloaded.needs_restart:
        fields["hint"] = (
            "What stands under needs_restart has changed but needs a restart; until then the old values run."
        )
    return level, "configuration reloaded", fields


def _tell_refused(refused: facts.ConfigurationRefused) -> Told:
    fields = _fields(refused, "reason", "generation", "hint", "faults")
    return (
        logging.ERROR,
        "configuration refused",
        fields
        | {
            "error_type": "settings",
            "error_message": refused.message,
        },
    )


def _tell_resumed(resumed: facts.ScraperResumed) -> Told:
    level = logging.ERROR if resumed.disagreements else logging.INFO
    names = ("match_id", "scraper_id", "saved_seconds_ago", "reason", "disagreements")
    return level, "scraper resumed", _fields(resumed, *names)


def _tell_concluded(concluded: facts.MatchConcluded) -> Told:
    level = logging.INFO if concluded.is_verified else logging.WARNING
    return level, "match concluded", _fields(concluded, "match_id", "reason", "is_verified")


def _tell_grade(graded: troubles.HealthGraded) -> Told:
    level = {"degraded": logging.WARNING, "failing": logging.CRITICAL}.get(graded.after, logging.INFO)
    fields = ("before", "after", "event", "median_seconds", "p95_seconds", "max_seconds", "stall_seconds")
    told = _fields(graded, *fields)
    # "event" is the name of the line itself.
    return level, "health graded", {"step": told.pop("event"), **told}


def _tell_staleness(found: troubles.StalenessFound) -> Told:
    fields = _fields(found, "match_id", "url", "kind", "age_seconds", "action", "wait_seconds")
    moments = {"last_successful_update": found.captured_at, "last_change": found.changed_at}
    told = {name: moment.isoformat(timespec="milliseconds") for name, moment in moments.items() if moment is not None}
    return logging.WARNING, "data is stale", fields | told


def _tell_judged(judged: troubles.RecoveryJudged) -> Told:
    level = logging.INFO if judged.outcome == "success" else logging.WARNING
    return level, "recovery judged", _fields(judged, *troubles.RecoveryJudged.__struct_fields__[1:])


def _tell_memory(rose: facts.MemoryRose) -> Told:
    """What is near its bound warns; what is beyond the last one is critical."""
    level = {"high": logging.WARNING, "soft": logging.ERROR}.get(rose.level, logging.CRITICAL)
    fields = _fields(rose, "match_id", "scraper_id", "memory_bytes", "limit_bytes")
    return level, f"memory rose above its {rose.level} bound", fields


def _tell_alert(alert: facts.AlertRaised) -> Told:
    """Most alerts follow from something that has its own line."""
    level = SEVERITIES.get(alert.severity, logging.ERROR) if alert.is_news else logging.DEBUG
    fields = _fields(alert, "alert", "match_id", "hint", "context", "held_back")
    return level, "alert raised", fields | {"error_message": alert.message}


def _tell_filled(filled: facts.SpoolFilled) -> Told:
    level = logging.CRITICAL if filled.level_percent >= _SPOOL_CRITICAL_PERCENT else logging.WARNING
    return level, "spool filled", _fields(filled, "level_percent", "bytes", "bytes_max")


def _tell_bandwidth(used: facts.BandwidthUsed) -> Told:
    level = logging.CRITICAL if used.level_percent >= _ALL_PERCENT else logging.WARNING
    return level, "bandwidth used", _fields(used, "level_percent", "bytes", "bytes_max", "period")


def _tell_found(found: facts.SpoolFound) -> Told:
    level = logging.CRITICAL if found.damaged else logging.INFO
    return level, "spool found", _fields(found, "records", "damaged", "torn_bytes")


_ROUND_LEVELS: Final = {"dead": logging.ERROR, "again": logging.WARNING, "waits": logging.WARNING}


def _tell_worked(worked: facts.RoundWorked) -> Told:
    """Which job, which match, which attempt: on every line of a round."""
    level = _ROUND_LEVELS.get(worked.outcome, logging.INFO)
    names = ("source", "job_id", "match_id", "attempt", "outcome", "duration_seconds")
    failed = ("error_type", "error_message", "hint") if worked.error_type else ()
    return level, "round worked on", _fields(worked, *names, *failed)


def _tell_settled(settled: facts.RoundSettled) -> Told:
    level = logging.ERROR if settled.state == "FAILED" else logging.INFO
    return level, "round settled", _fields(settled, "source", "job_id", "round", "state")


_INFO, _WARN, _DEBUG, _CRITICAL = logging.INFO, logging.WARNING, logging.DEBUG, logging.CRITICAL
_BACKLOG: Final = facts.BacklogMeasured.__struct_fields__[1:]
_LOST: Final = facts.AccessLogLost.__struct_fields__[1:]
_TELLERS: Final[Mapping[type[facts.Signal], Callable[[Any], Told]]] = {
    facts.EngineStarted: _telling(_INFO, "engine started", "instance", "version", "detail"),
    facts.EngineStopped: _telling(_INFO, "engine stopped", "instance", "reason", "duration_seconds"),
    facts.SourceListed: _telling(_DEBUG, "source listed", "source", "matches", "live", "duration_seconds"),
    facts.MatchDiscovered: _telling(_INFO, "match discovered", "match_id", "source", "title"),
    facts.MatchStateChanged: _telling(_INFO, "match state changed", "match_id", "before", "after", "reason"),
    facts.EventsStored: _tell_stored,
    facts.GapOpened: _telling(
        _WARN,
        "gap opened",
        "match_id",
        "gap_id",
        "innings",
        "cause",
        "missing_runs",
        "missing_wickets",
        "missing_balls",
    ),
    facts.GapClosed: _telling(_INFO, "gap closed", "match_id", "gap_id", "innings", "state", "cause", "open_seconds"),
    facts.StreamEnded: _telling(_DEBUG, "stream ended", "subject", "reason", "duration_seconds"),
    facts.SelectorDrifted: _telling(_WARN, "selector drifted", "source", "field"),
    facts.RungChanged: _telling(_INFO, "rung changed", "match_id", "before", "after", "reason"),
    facts.BreakerOpened: _telling(_WARN, "breaker opened", "match_id", "rung", "open_seconds", "reason"),
    facts.RecipeLearnt: _telling(_INFO, "recipe learnt", "source", "purpose", "reason", "duration_seconds"),
    facts.BrowserStarted: _telling(_INFO, "browser started", "unit", "pid", "driver_pid", "duration_seconds"),
    facts.BrowserStopped: _telling(
        _INFO, "browser stopped", "unit", "reason", "pids_before", "pids_after", "duration_seconds"
    ),
    facts.BrowserLost: _telling(_WARN, "browser lost", "unit", "reason", "leases"),
    facts.BrowserRecycled: _telling(_INFO, "browser recycled", "unit", "subject", "reason", "action", "detail"),
    facts.LeaseLost: _telling(_INFO, "lease lost", *facts.LeaseLost.__struct_fields__[1:]),
    facts.StoreLost: _telling(logging.ERROR, "database lost", "reason", "hint"),
    facts.StoreRecovered: _telling(_INFO, "database recovered", "down_seconds", "records"),
    facts.BacklogMeasured: _telling(_DEBUG, "backlog measured", *_BACKLOG),
    facts.BacklogWaited: _telling(_WARN, "database still away", *_BACKLOG),
    facts.SpoolFilled: _tell_filled,
    facts.SpoolFound: _tell_found,
    facts.WalGrew: _telling(_WARN, "wal grew", "bytes", "bytes_max"),
    facts.WalShrank: _telling(_INFO, "wal is short again", "bytes"),
    facts.KeysUnreadable: _telling(logging.ERROR, "keys cannot be read", "reason", "hint"),
    facts.AccessLogLost: _telling(logging.ERROR, "access log cannot be written", *_LOST),
    facts.AccessLogRecovered: _telling(_INFO, "access log is written again", "written", "dropped"),
    facts.AdminAuditLost: _telling(logging.ERROR, "admin audit cannot be written", *_LOST),
    facts.AdminAuditRecovered: _telling(_INFO, "admin audit is written again", "written", "dropped"),
    facts.TokenFailed: _telling(_WARN, "no token", *facts.TokenFailed.__struct_fields__[1:]),
    facts.AccessDegraded: _telling(logging.ERROR, "access degraded", *facts.AccessDegraded.__struct_fields__[1:]),
    facts.AccessRegained: _telling(_INFO, "access regained", "whose", "duration_seconds"),
    facts.PushTaken: _telling(_DEBUG, "push taken", *facts.PushTaken.__struct_fields__[1:]),
    facts.PushRefused: _telling(_WARN, "push refused", *facts.PushRefused.__struct_fields__[1:]),
    facts.PushJudged: _telling(_DEBUG, "push judged", *facts.PushJudged.__struct_fields__[1:]),
    facts.SinkPushed: _telling(_DEBUG, "pushed", *facts.SinkPushed.__struct_fields__[1:]),
    facts.SinkFailed: _telling(_WARN, "not pushed", *facts.SinkFailed.__struct_fields__[1:]),
    facts.LimitsLost: _telling(_WARN, "shared limits away", "reason", "workers"),
    facts.LimitsRecovered: _telling(_INFO, "shared limits back", "duration_seconds"),
    facts.BrowsersMeasured: _telling(
        _DEBUG, "browsers measured", "pool", "browsers", "contexts", "pids", "pss_bytes", "waiting"
    ),
    facts.PagesTransferred: _telling(_DEBUG, "pages transferred", "source", "requests", "refused", "bytes_in"),
    facts.BandwidthUsed: _tell_bandwidth,
    facts.RoundAsked: _telling(_INFO, "round asked for", *facts.RoundAsked.__struct_fields__[1:]),
    facts.RoundWorked: _tell_worked,
    facts.RoundSettled: _tell_settled,
    facts.ExitRested: _telling(_INFO, "exit rests", *facts.ExitRested.__struct_fields__[1:]),
    facts.ExitsShort: _telling(_WARN, "exits are short", *facts.ExitsShort.__struct_fields__[1:]),
    facts.OrphanKilled: _telling(_WARN, "orphan killed", "pid", "name", "mark", "memory_bytes"),
    facts.ConfigurationReloaded: _tell_reloaded,
    facts.ConfigurationRefused: _tell_refused,
    troubles.HealthGraded: _tell_grade,
    troubles.StalenessFound: _tell_staleness,
    troubles.StalenessEnded: _telling(_INFO, "data is fresh again", "match_id", "kind", "duration_seconds"),
    troubles.RecoveryBegun: _telling(_WARN, "recovery begun", "entry_id", "action", "subject", "trigger"),
    troubles.RecoveryJudged: _tell_judged,
    troubles.RecoveryWithheld: _telling(_WARN, "recovery withheld", "subject", "reason", "attempts", "wait_seconds"),
    troubles.AlarmRaised: _telling(_CRITICAL, "alarm raised", "kind", "subject", "detail", "hint"),
    troubles.AlarmCleared: _telling(_INFO, "alarm cleared", "kind", "subject", "duration_seconds"),
    troubles.ClockSet: _telling(_WARN, "the clock of the day was set", "by_seconds"),
    troubles.LoopStalled: _telling(_WARN, "event loop turns again", "duration_seconds"),
    facts.AlertRaised: _tell_alert,
    facts.AlertDelivered: _telling(_DEBUG, "alert delivered", "alert", "match_id", "attempts", "duration_seconds"),
    facts.AlertLost: _telling(_WARN, "alert lost", "alert", "match_id", "reason", "count"),
    facts.MemoryRose: _tell_memory,
    facts.ReadingFailed: _telling(_WARN, "reading failed", "reading", "reason"),
    facts.ReplacementOrdered: _telling(
        _INFO, "replacement ordered", "match_id", "scraper_id", "action", "reason", "detail", "is_accepted"
    ),
    facts.StartRefused: _telling(
        _WARN, "start refused", "match_id", "available_bytes", "needed_bytes", "retry_seconds"
    ),
    facts.StartRetried: _telling(_INFO, "start retried", "match_id", "attempt", "waited_seconds"),
    facts.MemoryBrokenDown: _telling(_WARN, "memory broken down", *facts.MemoryBrokenDown.__struct_fields__[1:]),
    facts.ScraperIdled: _telling(
        _INFO, "scraper idled", "match_id", "scraper_id", "pid", "memory_bytes", "idle_seconds", "reason"
    ),
    facts.CapturesPruned: _telling(_INFO, "captures pruned", *facts.CapturesPruned.__struct_fields__[1:]),
    facts.CleanupFinished: _telling(_INFO, "cleanup finished", *facts.CleanupFinished.__struct_fields__[1:]),
    facts.ServiceRestarted: _telling(_WARN, "service restarted", "service", "reason", "restarts"),
    facts.ScraperStarted: _telling(_INFO, "scraper started", "match_id", "scraper_id", "source", "url"),
    facts.ScraperStopped: _telling(_INFO, "scraper stopped", "match_id", "scraper_id", "reason"),
    facts.ScraperResumed: _tell_resumed,
    facts.ScraperReplaced: _telling(_INFO, "scraper replaced", "match_id", "before", "after", "reason", "gap_seconds"),
    facts.ReplacementFailed: _telling(_WARN, "replacement failed", "match_id", "scraper_id", "reason", "attempts"),
    facts.PaceChanged: _telling(_INFO, "pace changed", "match_id", "before_seconds", "seconds", "reason"),
    facts.TaskAbandoned: _telling(
        _CRITICAL, "task abandoned", "match_id", "scraper_id", "attempts", "error_type", "error_message"
    ),
    facts.MatchPaused: _telling(_WARN, "match paused", "match_id", "scraper_id", "seconds", "reason"),
    facts.MatchConcluded: _tell_concluded,
    facts.ResourcesMeasured: _telling(_DEBUG, "resources measured", "rss_bytes", "cpu_percent", "tasks", "open_files"),
}
