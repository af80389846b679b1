"""`GET /status`: the HealthSummary of the documents (S2), field by field. It reads memory and nothing else."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from longstop.domain.recovery import RecoveryAuditEntry
from longstop.serve.reading import ReadModel

_AUDIT_ENTRIES: Final = 10


class FreshnessStats(Struct, frozen=True):
    """Ages in seconds of the live matches in play, by the last good capture."""

    median: float
    p50: float
    p95: float
    max: float
    count: int
    samples: list[float]


class AuditEntry(Struct, frozen=True):
    entry_id: str
    timestamp: Annotated[float, Meta(description="Seconds since 1970, UTC.")]
    action_type: Annotated[str, Meta(description="browser_recycle, soft_restart, manual_trigger, context_pool_reset")]
    trigger_condition: str
    outcome: Annotated[str | None, Meta(description="success, partial or failed; null until it is judged.")]
    duration_seconds: float
    metadata: dict[str, Any]


class HealthSummary(Struct, frozen=True):
    grade: Annotated[str, Meta(description="healthy, degraded, failing or recovering")]
    freshness_stats: FreshnessStats
    queue_depth: int
    active_tasks: int
    failure_ratio: Annotated[float, Meta(description="Of the polls of the last ten minutes.")]
    paused_matches: list[str]
    last_success_time: Annotated[float | None, Meta(description="Seconds since 1970, UTC; null before the first.")]
    config_snapshot: dict[str, Any]
    audit_entries: Annotated[list[AuditEntry], Meta(description="The last ten, the newest first.")]
    generated_at: float


def health_summary(model: ReadModel) -> HealthSummary:
    now, board, operations = model.clock.now(), model.board, model.operations
    progress, succeeded_at = operations.progress(), board.polls.succeeded_at
    return HealthSummary(
        grade=board.grade,
        freshness_stats=_stats(sorted(board.ages_in_play(now))),
        queue_depth=progress.waiting,
        active_tasks=progress.running,
        failure_ratio=board.polls.failure_ratio(now),
        paused_matches=sorted(watched.match_id for watched in board.matches() if watched.paused_until is not None),
        last_success_time=None if succeeded_at is None else succeeded_at.timestamp(),
        config_snapshot=operations.thresholds(),
        audit_entries=[audit_entry(entry) for entry in operations.recoveries()[:_AUDIT_ENTRIES]],
        generated_at=now.timestamp(),
    )


def audit_entry(entry: RecoveryAuditEntry) -> AuditEntry:
    return AuditEntry(
        entry_id=entry.entry_id,
        timestamp=entry.at.timestamp(),
        action_type=entry.action.value,
        trigger_condition=entry.trigger,
        outcome=None if entry.outcome is None else entry.outcome.value,
        duration_seconds=entry.duration_seconds,
        metadata={"subject": entry.subject, **entry.metadata},
    )


def _stats(ages: Sequence[float]) -> FreshnessStats:
    samples = [round(age, 3) for age in ages]
    median = _nearest(samples, 0.5)
    return FreshnessStats(
        median=median,
        p50=median,
        p95=_nearest(samples, 0.95),
        max=samples[-1] if samples else 0.0,
        count=len(samples),
        samples=samples,
    )


def _nearest(ordered: Sequence[float], fraction: float) -> float:
    return ordered[max(0, math.ceil(len(ordered) * fraction) - 1)] if ordered else 0.0
