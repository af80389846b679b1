"""The instance, in a few figures: how well, how fresh, what waits, what it holds."""

import math
from datetime import datetime
from typing import Final

from msgspec import Struct

from longstop.clock import age_seconds
from longstop.observe.health import Watched
from longstop.observe.health_rules import overall_health
from longstop.observe.lookout.holdings import Pool
from longstop.serve.reading import Progress, ReadModel

_MEGABYTE: Final = 1024 * 1024


class Ages(Struct, frozen=True):
    """Of the matches that are watched and in play; `late` are those beyond 10 s."""

    p50: float
    p95: float
    max: float
    late: int


class Backlog(Struct, frozen=True):
    """What waits for the database, on disk and in memory."""

    spooled: int
    spool_percent: float
    buffered: int
    oldest_seconds: float
    down_seconds: float


class Head(Struct, frozen=True):
    """`status` is S1's word for now, `grade` S2's for the last minutes. None is not known."""

    name: str
    version: str
    status: str
    grade: str
    active: int
    ages: Ages | None
    updates_per_minute: int
    errors_last_minute: int
    memory_mb: float
    cpu_percent: float
    uptime_seconds: int
    latency_ms: float
    store_answers: bool
    pools: tuple[Pool, ...]
    queue: Progress
    backlog: Backlog | None
    breakers: int


def build_head(model: ReadModel, store_answers: bool) -> Head:
    board, now = model.board, model.clock.now()
    vitals = board.vitals(now)
    return Head(
        name=model.instance.name,
        version=model.instance.version,
        status=overall_health(vitals),
        grade=board.grade,
        active=vitals.active,
        ages=_ages([_age(known, now) for known in board.active() if known.is_in_play]),
        updates_per_minute=board.updates_per_minute(now),
        errors_last_minute=vitals.errors_last_minute,
        memory_mb=round((board.rss_bytes + board.browser_bytes) / _MEGABYTE, 1),
        cpu_percent=round(board.cpu_percent, 1),
        uptime_seconds=int(vitals.uptime_seconds),
        latency_ms=board.latency_ms()[1],
        store_answers=store_answers,
        pools=model.lookout.holdings.pools,
        queue=model.operations.progress(),
        backlog=_backlog(model),
        breakers=sum(breaker["state"] != "CLOSED" for breaker in model.approach.breakers()),
    )


def _age(known: Watched, now: datetime) -> float:
    return age_seconds(now, known.captured_at or known.started_at)


def _ages(seconds: list[float]) -> Ages | None:
    if not seconds:
        return None
    seconds.sort()
    p50, p95 = (seconds[math.ceil(len(seconds) * fraction) - 1] for fraction in (0.5, 0.95))
    late = sum(age > 10.0 for age in seconds)
    return Ages(round(p50, 2), round(p95, 2), round(seconds[-1], 2), late)


def _backlog(model: ReadModel) -> Backlog | None:
    waits = model.lookout.holdings.backlog
    if waits is None:
        return None
    return Backlog(
        spooled=waits.spool_records,
        spool_percent=round(100 * waits.spool_bytes / max(1, waits.spool_bytes_max), 2),
        buffered=waits.buffered,
        oldest_seconds=round(waits.oldest_seconds, 1),
        down_seconds=round(waits.down_seconds, 1),
    )
