"""The table of alerts: which signal is worth waking somebody for, and in what words."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from longstop.observe import signals as facts
from longstop.observe.capture_alerts import CAPTURE_RULES
from longstop.observe.signals import AlertRaised, troubles

Rule = Callable[[Any], AlertRaised | None]


def _on_error(error: facts.ErrorRaised) -> AlertRaised | None:
    if error.severity.upper() != "CRITICAL":
        return None
    context = {**error.context, "error_type": error.error_type, "operation": error.operation, "url": error.url}
    return AlertRaised(
        at=error.at,
        alert="critical error",
        severity="CRITICAL",
        match_id=error.match_id,
        message=error.error_message,
        hint=error.hint,
        context={name: value for name, value in context.items() if value not in ("", None)},
    )


def _on_refused(refused: facts.ConfigurationRefused) -> AlertRaised:
    return AlertRaised(
        at=refused.at,
        alert="settings refused",
        severity="ERROR",
        message=refused.message,
        hint=refused.hint,
        context={"faults": list(refused.faults), "reason": refused.reason},
    )


def _on_memory(rose: facts.MemoryRose) -> AlertRaised:
    who = rose.match_id or "the process"
    return AlertRaised(
        at=rose.at,
        alert="memory",
        severity={"high": "WARN", "soft": "ERROR"}.get(rose.level, "CRITICAL"),
        match_id=rose.match_id or None,
        message=f"The memory of {who} is above its {rose.level} bound.",
        hint="What passes soft or hard is replaced by itself; if it comes back, see docs/resources.md.",
        context={"memory_bytes": rose.memory_bytes, "limit_bytes": rose.limit_bytes},
    )


def _on_lost(lost: facts.StoreLost) -> AlertRaised:
    return AlertRaised(at=lost.at, alert="database away", severity="ERROR", message=lost.reason, hint=lost.hint)


def _on_filled(filled: facts.SpoolFilled) -> AlertRaised:
    level, is_full = filled.level_percent, filled.level_percent >= 100
    return AlertRaised(
        at=filled.at,
        alert="spool full" if is_full else "spool filled",
        severity="CRITICAL" if level >= 95 else "ERROR" if level >= 80 else "WARN",
        message="The spool takes no more." if is_full else f"The spool is {level:g} % full.",
        hint="Bring the database back, or raise storage.spool.max_size_mb and restart.",
        context={"bytes": filled.bytes, "bytes_max": filled.bytes_max},
    )


def _on_wal(grown: facts.WalGrew) -> AlertRaised:
    return AlertRaised(
        at=grown.at,
        alert="wal grows",
        severity="ERROR",
        message=f"The WAL of the database is {grown.bytes / 2**20:.0f} MB long.",
        hint="Some process holds a read of the database open: end it (fuser names it), and the WAL shrinks by itself.",
        context={"bytes": grown.bytes, "bytes_max": grown.bytes_max},
    )


def _on_bandwidth(used: facts.BandwidthUsed) -> AlertRaised:
    level = used.level_percent
    is_spent = level >= 100
    return AlertRaised(
        at=used.at,
        alert="bandwidth spent" if is_spent else "bandwidth short",
        severity="CRITICAL" if is_spent else "ERROR" if level >= 95 else "WARN",
        message="The month's traffic is spent: nothing is visited." if is_spent else f"{level} % of it has moved.",
        hint="scraper.proxy.bandwidth_budget_mb allows more; else it goes on with the next month.",
        context={"bytes": used.bytes, "bytes_max": used.bytes_max, "period": used.period},
    )


def _on_found(found: facts.SpoolFound) -> AlertRaised | None:
    if not found.damaged:
        return None
    return AlertRaised(
        at=found.at,
        alert="spool damaged",
        severity="CRITICAL",
        message=f"{found.damaged} records of the spool are damaged.",
        hint="Look at the disk; what could not be read lies in the spool's quarantine.",
        context={"damaged": found.damaged, "records": found.records},
    )


def _on_stale(stale: troubles.StalenessFound) -> AlertRaised:
    return AlertRaised(
        at=stale.at,
        alert="stale match",
        severity="ERROR",
        match_id=stale.match_id,
        message=f"The match is {stale.kind} for {stale.age_seconds:.0f} s; its scraper is: {stale.action}.",
        hint="It is restarted by itself. If it stays, look at the match's page and at the source.",
        context={"url": stale.url, "captured_at": stale.captured_at, "changed_at": stale.changed_at},
    )


def _on_grade(graded: troubles.HealthGraded) -> AlertRaised | None:
    if graded.after != "failing":
        return None
    return AlertRaised(
        at=graded.at,
        alert="failing",
        severity="CRITICAL",
        message=f"The instance is failing: the oldest live match is {graded.max_seconds:.0f} s old.",
        hint="Browsers and connections are replaced by themselves. See docs/runbook.md if it stays.",
        context={"p95_seconds": graded.p95_seconds, "stall_seconds": graded.stall_seconds},
    )


def _on_alarm(alarm: troubles.AlarmRaised) -> AlertRaised:
    return AlertRaised(
        at=alarm.at,
        alert="blind watchdog",
        severity="CRITICAL",
        message=f"{alarm.kind}: {alarm.detail}",
        hint=alarm.hint,
        context={"subject": alarm.subject},
    )


def _on_stall(stalled: troubles.LoopStalled) -> AlertRaised:
    return AlertRaised(
        at=stalled.at,
        alert="loop stalled",
        severity="CRITICAL",
        message=f"The event loop stood still for {stalled.duration_seconds:.1f} s.",
        hint="The log has the stack of that moment: please report it.",
    )


def _on_breaker(opened: facts.BreakerOpened) -> AlertRaised:
    return AlertRaised(
        at=opened.at,
        alert="breaker opened",
        severity="WARN",
        match_id=opened.match_id,
        message=f"The {opened.rung} rung is shut for {opened.open_seconds:g} s: {opened.reason}",
        hint="Another rung serves meanwhile, or the match rests. If it stays open, look at the source.",
    )


def _on_judged(judged: troubles.RecoveryJudged) -> AlertRaised | None:
    if judged.outcome != "failed":
        return None
    return AlertRaised(
        at=judged.at,
        alert="recovery failed",
        severity="ERROR",
        message=f"{judged.action} of {judged.subject} did not help.",
        hint="It is tried again later and more rarely. Look at the source, and at the log of the time before.",
        context={"entry_id": judged.entry_id},
    )


def _on_concluded(concluded: facts.MatchConcluded) -> AlertRaised | None:
    if concluded.is_verified:
        return None
    return AlertRaised(
        at=concluded.at,
        alert="match not whole",
        severity="ERROR",
        match_id=concluded.match_id,
        message=f"The match is over ({concluded.reason}), and not all that its board claimed is in the record.",
        hint="Its gaps say what is missing; `longstop rebuild` reads what was captured once more.",
    )


def _on_resumed(resumed: facts.ScraperResumed) -> AlertRaised | None:
    if not resumed.disagreements:
        return None
    return AlertRaised(
        at=resumed.at,
        alert="state lost",
        severity="CRITICAL",
        match_id=resumed.match_id,
        message=f"The record lacks what the last scraper knew: {'; '.join(resumed.disagreements)}.",
        hint="Every over is read once more. Look at the database: was it restored from an older copy?",
    )


def _on_keys(blind: facts.KeysUnreadable) -> AlertRaised:
    hint = blind.hint or "Bring the database back; until then what was read last goes on."
    return AlertRaised(at=blind.at, alert="keys unreadable", severity="ERROR", message=blind.reason, hint=hint)


def _on_log_lost(lost: facts.AccessLogLost) -> AlertRaised:
    return AlertRaised(
        at=lost.at,
        alert="access log lost",
        severity="ERROR",
        message=f"The access log cannot be written: {lost.reason}",
        hint=lost.hint or "Bring its database back; what waits is written then.",
        context={"waiting": lost.waiting, "dropped": lost.dropped},
    )


def _on_audit_lost(lost: facts.AdminAuditLost) -> AlertRaised:
    return AlertRaised(
        at=lost.at,
        alert="admin audit lost",
        severity="ERROR",
        message=f"The operators' audit cannot be written: {lost.reason}",
        hint=lost.hint or "Bring its database back; what waits is written then.",
        context={"waiting": lost.waiting, "dropped": lost.dropped},
    )


def _on_limits(lost: facts.LimitsLost) -> AlertRaised:
    return AlertRaised(
        at=lost.at,
        alert="limits alone",
        severity="WARN",
        message=f"Redis does not count requests any more ({lost.reason}).",
        hint="Bring Redis back. Until then each process keeps consumers to its share, see api.limits.workers.",
        context={"workers": lost.workers},
    )


def _on_degraded(degraded: facts.AccessDegraded) -> AlertRaised:
    return AlertRaised(
        at=degraded.at,
        alert="access degraded",
        severity="ERROR",
        message=f"For {degraded.seconds:.0f} s no token of {degraded.whose} could be had: {degraded.reason}",
        hint="Check its API key, and whether it answers. What is meant for it waits.",
        context={"subject": degraded.whose},
    )


def _on_round(settled: facts.RoundSettled) -> AlertRaised | None:
    if settled.state != "FAILED":
        return None
    return AlertRaised(
        at=settled.at,
        alert="round failed",
        severity="ERROR",
        message=f"{settled.round} has ended with dead letters.",
        hint="`longstop rounds dead` says why and where the evidence lies; then retry-failed, or reread after a fix.",
        context={"subject": settled.job_id, "job_id": settled.job_id, "source": settled.source},
    )


RULES: Final[Mapping[type[facts.Signal], Rule]] = {
    **CAPTURE_RULES,
    facts.ErrorRaised: _on_error,
    facts.ConfigurationRefused: _on_refused,
    facts.MemoryRose: _on_memory,
    facts.StoreLost: _on_lost,
    facts.SpoolFilled: _on_filled,
    facts.SpoolFound: _on_found,
    facts.WalGrew: _on_wal,
    facts.BandwidthUsed: _on_bandwidth,
    troubles.StalenessFound: _on_stale,
    troubles.HealthGraded: _on_grade,
    troubles.AlarmRaised: _on_alarm,
    troubles.LoopStalled: _on_stall,
    facts.BreakerOpened: _on_breaker,
    troubles.RecoveryJudged: _on_judged,
    facts.MatchConcluded: _on_concluded,
    facts.ScraperResumed: _on_resumed,
    facts.KeysUnreadable: _on_keys,
    facts.AccessLogLost: _on_log_lost,
    facts.AdminAuditLost: _on_audit_lost,
    facts.LimitsLost: _on_limits,
    facts.AccessDegraded: _on_degraded,
    facts.RoundSettled: _on_round,
}
