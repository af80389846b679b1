"""Jobs that ended long ago leave the journal, with their tasks. What they brought stays in the record."""

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, or_, select

from longstop.domain.rounds import JobState
from longstop.store.rounds.statements import given, word
from longstop.store.rounds.tables import scrape_jobs, scrape_tasks
from longstop.store.scripts import Script, Tongue

_JOBS, _TASKS = scrape_jobs.c, scrape_tasks.c
SETTLED = tuple(state for state in JobState if state.is_settled)


def pruned(tongue: Tongue, before: datetime, limit: int) -> Script[int]:
    """The oldest first, at most so many in one transaction; who is being retried at this moment is left alone."""
    found = yield _old_jobs(), {"before": tongue.moment(before), "limit": limit}
    for (job_id,) in found:
        yield _tasks_gone(), {"job_id": job_id}
        yield _job_gone(), {"job_id": job_id}
    return len(found)


@cache
def _old_jobs() -> Any:
    is_settled = or_(*(_JOBS.state == word(state) for state in SETTLED))
    return (
        select(_JOBS.job_id)
        .where(is_settled, _JOBS.finished_at < given(_JOBS.finished_at, "before"))
        .order_by(_JOBS.finished_at, _JOBS.job_id)
        .limit(bindparam("limit"))
        .with_for_update(skip_locked=True)
    )


@cache
def _tasks_gone() -> Any:
    return delete(scrape_tasks).where(_TASKS.job_id == given(_TASKS.job_id))


@cache
def _job_gone() -> Any:
    return delete(scrape_jobs).where(_JOBS.job_id == given(_JOBS.job_id))
