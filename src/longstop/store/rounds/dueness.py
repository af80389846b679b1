"""What could be taken from the journal now: for whoever tells workers about it. Nothing is locked or written."""

from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import bindparam, or_, select

from longstop.domain.rounds import JobState, RoundTaskState
from longstop.store.rounds.statements import given, word
from longstop.store.rounds.tables import scrape_jobs, scrape_tasks
from longstop.store.scripts import Script, Tongue

_JOBS, _TASKS = scrape_jobs.c, scrape_tasks.c


class Due(msgspec.Struct, frozen=True):
    """Jobs that are to be listed, and tasks as job and key."""

    jobs: tuple[str, ...] = ()
    tasks: tuple[tuple[str, str], ...] = ()


def due(tongue: Tongue, source: str, now: datetime, limit: int) -> Script[Due]:
    wanted = {"source": source, "now": tongue.moment(now), "limit": limit}
    jobs = yield due_jobs(), wanted
    tasks = yield due_tasks(), wanted
    return Due(tuple(row[0] for row in jobs), tuple((row[0], row[1]) for row in tasks))


@cache
def due_jobs() -> Any:
    now = given(_JOBS.next_at, "now")
    is_waiting = (_JOBS.state == word(JobState.PENDING)) & (_JOBS.next_at <= now)
    is_lost = (_JOBS.state == word(JobState.LISTING)) & (_JOBS.lease_until < now)
    query = select(_JOBS.job_id).where(_JOBS.source == given(_JOBS.source), or_(is_waiting, is_lost))
    return query.order_by(_JOBS.created_at, _JOBS.job_id).limit(bindparam("limit"))


@cache
def due_tasks() -> Any:
    """In the order in which they are taken where the journal is the queue."""
    now = given(_TASKS.next_at, "now")
    is_waiting = (_TASKS.state == word(RoundTaskState.PENDING)) & (_TASKS.next_at <= now)
    is_lost = (_TASKS.state == word(RoundTaskState.RUNNING)) & (_TASKS.lease_until < now)
    return (
        select(_TASKS.job_id, _TASKS.key)
        .join_from(scrape_tasks, scrape_jobs, _JOBS.job_id == _TASKS.job_id)
        .where(_JOBS.source == given(_JOBS.source), _JOBS.state == word(JobState.RUNNING), or_(is_waiting, is_lost))
        .order_by(_TASKS.attempt + _TASKS.losses, _JOBS.created_at, _TASKS.job_id, _TASKS.position)
        .limit(bindparam("limit"))
    )
