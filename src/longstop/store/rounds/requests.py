"""What people ask of the journal: a round, its end, another try of what failed."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from longstop.domain.rounds import SAME_REQUEST, JobState, RoundJob, RoundTaskState
from longstop.store.rounds import rows
from longstop.store.rounds import statements as sql
from longstop.store.rounds.steps import NOBODY, job_of, job_step, task_step
from longstop.store.rounds.tables import scrape_jobs
from longstop.store.scripts import Script, Tongue


def asked(tongue: Tongue, job: RoundJob) -> Script[tuple[RoundJob, bool]]:
    """The job, and whether it is a new one. The same request, an open job of the round, and one that was made a moment
    ago are the same job; a re-check is a new one, unless one is open."""
    yield sql.alone_with_round(), {"round_name": f"{job.ref.source} {job.ref}"}
    if job.request_key and (found := (yield sql.job_by_request(), {"request_key": job.request_key})):
        return rows.job_from(found[0], tongue), False
    ref = job.ref
    wanted = {"source": ref.source, "competition": ref.competition, "season": ref.season, "round": ref.round}
    found = yield sql.newest_job_of_round(), wanted
    before = rows.job_from(found[0], tongue) if found else None
    if before is not None and _is_the_same(before, job):
        return before, False
    yield sql.insertion(scrape_jobs), rows.job_values(job, tongue)
    return job, True


def _is_the_same(before: RoundJob, job: RoundJob) -> bool:
    if not before.state.is_settled:
        return True
    is_fresh = job.created_at - before.created_at < SAME_REQUEST
    return is_fresh and not job.is_recheck and before.state is not JobState.CANCELLED


def cancelled(tongue: Tongue, job_id: str, now: datetime) -> Script[RoundJob]:
    """What is under way is fenced off and pending again; of a cancelled job nothing is taken."""
    job = yield from job_of(tongue, job_id, is_locked=True)
    if job.state.is_settled:
        return job
    for row in (yield sql.tasks_of_job(is_locked=True), {"job_id": job_id}):
        task = rows.task_from(row, tongue)
        if task.state is RoundTaskState.RUNNING:
            yield task_step(tongue, task, "lease_lost", now, epoch=task.epoch + 1, **NOBODY)
    yield job_step(tongue, job, "cancelled", now, epoch=job.epoch + 1, finished_at=now, **NOBODY)
    return (yield from job_of(tongue, job_id))


def retried(tongue: Tongue, letters: Mapping[str, Sequence[str]], now: datetime) -> Script[int]:
    """Dead letters by job; their attempts begin anew. A job that could not even be listed has none and is asked for
    again. Tells how many there were."""
    count = 0
    for job_id in sorted(letters):
        job = yield from job_of(tongue, job_id, is_locked=True)
        if job.state is not JobState.FAILED:
            continue
        if job.listed_at is None:
            yield job_step(tongue, job, "asked_again", now, attempt=0, next_at=now, finished_at=None)
            count += 1
            continue
        revived = 0
        for key in letters[job_id]:
            revived += yield from _revived(tongue, job_id, key, now)
        if revived:
            yield job_step(tongue, job, "retried", now, finished_at=None)
        count += revived
    return count


def _revived(tongue: Tongue, job_id: str, key: str, now: datetime) -> Script[int]:
    found = yield sql.task_by_key(is_locked=True), {"job_id": job_id, "key": key}
    task = rows.task_from(found[0], tongue) if found else None
    if task is None or task.state is not RoundTaskState.FAILED:
        return 0
    yield task_step(tongue, task, "retried", now, attempt=0, next_at=now, finished_at=None)
    return 1
