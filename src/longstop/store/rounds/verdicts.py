"""What becomes of a lease: a round is listed, a match is stored, an attempt has failed. One transaction each.

The job is locked before its tasks, always, so that no two ever wait for each other.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from longstop.domain.errors import LeaseLostError
from longstop.domain.rounds import (
    JobState,
    Lease,
    RoundJob,
    RoundListing,
    RoundMatch,
    RoundTask,
    RoundTaskState,
    TaskError,
    TaskOutcome,
)
from longstop.store.rounds import rows
from longstop.store.rounds import statements as sql
from longstop.store.rounds.steps import (
    NOBODY,
    by_holder,
    job_of,
    newest_match,
    require_written,
    settle,
    store_match,
    task_of,
    task_step,
)
from longstop.store.rounds.tables import scrape_tasks
from longstop.store.scripts import Script, Tongue


def listed(tongue: Tongue, lease: Lease, listings: Sequence[RoundListing], now: datetime) -> Script[RoundJob]:
    """All tasks of the round, before any match of it is fetched. A match that is in the record, finished, is skipped
    unless the job is a re-check."""
    job = yield from job_of(tongue, lease.job.job_id, is_locked=True)
    if job.state is not JobState.LISTING or job.epoch != lease.epoch:
        return _listed_before(job, lease)
    yield by_holder(tongue, lease, "listed", now, listed_at=now, error=None, **NOBODY)
    for position, listing in enumerate(listings):
        task = _new_task(job, position, listing, now)
        yield sql.insertion(scrape_tasks), rows.task_values(task, tongue)
        known = None if job.is_recheck else (yield from newest_match(tongue, task.match_id))
        if known is not None and known.is_finished:
            yield task_step(tongue, task, "skipped", now, outcome=TaskOutcome.SKIPPED, finished_at=now)
    return (yield from settle(tongue, job.job_id, now))


def _listed_before(job: RoundJob, lease: Lease) -> RoundJob:
    """It was written, and only the answer was lost; or somebody else has it now."""
    if job.epoch == lease.epoch and job.listed_at is not None:
        return job
    raise LeaseLostError(f"The lease on {job.ref} was lost to somebody else.")


def _new_task(job: RoundJob, position: int, listing: RoundListing, now: datetime) -> RoundTask:
    return RoundTask(
        job_id=job.job_id,
        key=listing.key,
        match_id=f"{job.ref.source}_{listing.key}",
        position=position,
        title=listing.title,
        url=listing.url,
        state=RoundTaskState.PENDING,
        attempt=0,
        epoch=0,
        next_at=now,
        updated_at=now,
        kickoff_at=listing.kickoff_at,
    )


def finished(tongue: Tongue, lease: Lease, match: RoundMatch, now: datetime) -> Script[tuple[TaskOutcome, RoundJob]]:
    """The match with all its rows, and the verdict on its task: both or neither."""
    job_id = lease.job.job_id
    yield from job_of(tongue, job_id, is_locked=True)
    # First the fence, which also locks the task: what the match says is looked at only by who holds it.
    if not (yield by_holder(tongue, lease, "stored", now, error=None, finished_at=now, **NOBODY)):
        return (yield from require_written(tongue, lease)), (yield from job_of(tongue, job_id))
    outcome = yield from store_match(tongue, match, job_id)
    yield sql.task_set("outcome"), {"of_job": job_id, "of_key": match.key, "set_outcome": outcome.value}
    return outcome, (yield from settle(tongue, job_id, now))


def failed(
    tongue: Tongue, lease: Lease, error: TaskError, evidence: Sequence[str], now: datetime, again_at: datetime | None
) -> Script[RoundJob | None]:
    """`again_at` None: it is a dead letter from now on. None when the lease was lost: then it is somebody else's."""
    job = yield from job_of(tongue, lease.job.job_id, is_locked=True)
    told: dict[str, Any] = {"error": error, **NOBODY}
    if lease.task is not None:
        told["evidence"] = tuple(evidence)
    if again_at is not None:
        return job if (yield by_holder(tongue, lease, "failed_for_now", now, next_at=again_at, **told)) else None
    if not (yield by_holder(tongue, lease, "failed_for_good", now, finished_at=now, **told)):
        return None
    return (yield from settle(tongue, job.job_id, now) if lease.task else job_of(tongue, job.job_id))


def reread(tongue: Tongue, letter: RoundTask, match: RoundMatch, now: datetime) -> Script[TaskOutcome]:
    """A dead letter that can be read now, from what was kept of it."""
    yield from job_of(tongue, letter.job_id, is_locked=True)
    task = yield from task_of(tongue, letter.job_id, letter.key, is_locked=True)
    if task.state is not RoundTaskState.FAILED:
        raise LeaseLostError(f"{task.title} is no dead letter any more.")
    outcome = yield from store_match(tongue, match, task.job_id)
    gone = {"outcome": outcome, "error": None, "finished_at": now, "epoch": task.epoch + 1}
    yield task_step(tongue, msgspec.structs.replace(task), "reread", now, **gone)
    yield from settle(tongue, task.job_id, now)
    return outcome
