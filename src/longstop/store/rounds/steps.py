"""What the journal's transactions are made of: one step each, every state change by the table of its machine."""

from datetime import datetime
from typing import Any

import msgspec

from longstop.domain.errors import LeaseLostError, UnknownJobError
from longstop.domain.rounds import (
    ROUND_JOB,
    ROUND_TASK,
    JobState,
    Lease,
    RoundJob,
    RoundMatch,
    RoundTask,
    RoundTaskState,
    TaskError,
    TaskOutcome,
)
from longstop.store.cells import json_text
from longstop.store.rounds import rows
from longstop.store.rounds import statements as sql
from longstop.store.rounds.tables import round_events, round_lineups, round_matches, round_statistics
from longstop.store.scripts import Script, Statement, Tongue

NOBODY: dict[str, Any] = {"owner": "", "lease_until": None}


def cell(value: Any, tongue: Tongue) -> Any:
    """A value of the domain as the database takes it."""
    if isinstance(value, datetime):
        return tongue.moment(value)
    if isinstance(value, JobState | RoundTaskState | TaskOutcome):
        return value.value
    if isinstance(value, TaskError | tuple):
        return json_text(value)
    return value


def job_step(tongue: Tongue, job: RoundJob, event: str, now: datetime, **values: Any) -> Statement:
    """The row of a job that is locked already."""
    told = {"state": ROUND_JOB.advance(job.state, event), "updated_at": now, **values}
    return sql.job_set(*told), {"of_job": job.job_id, **_set(told, tongue)}


def task_step(tongue: Tongue, task: RoundTask, event: str, now: datetime, **values: Any) -> Statement:
    """The row of a task that is locked already."""
    told = {"state": ROUND_TASK.advance(task.state, event), "updated_at": now, **values}
    return sql.task_set(*told), {"of_job": task.job_id, "of_key": task.key, **_set(told, tongue)}


def by_holder(tongue: Tongue, lease: Lease, event: str, now: datetime, **values: Any) -> Statement:
    """Done only while the lease holds; the answer has a row when it was. An empty event leaves the state."""
    told: dict[str, Any] = {"updated_at": now, **values}
    fence = {"of_job": lease.job.job_id, "of_epoch": lease.epoch}
    if lease.task is None:
        if event:
            told["state"] = ROUND_JOB.advance(JobState.LISTING, event)
        return sql.job_lease_set(*told), {**fence, **_set(told, tongue)}
    if event:
        told["state"] = ROUND_TASK.advance(RoundTaskState.RUNNING, event)
    return sql.lease_set(*told), {**fence, "of_key": lease.task.key, **_set(told, tongue)}


def _set(told: dict[str, Any], tongue: Tongue) -> dict[str, Any]:
    return {f"set_{name}": cell(value, tongue) for name, value in told.items()}


def job_of(tongue: Tongue, job_id: str, *, is_locked: bool = False) -> Script[RoundJob]:
    found = yield sql.job_by_id(is_locked=is_locked), {"job_id": job_id}
    if not found:
        raise UnknownJobError(f"There is no job {job_id[:80]!r}.")
    return rows.job_from(found[0], tongue)


def task_of(tongue: Tongue, job_id: str, key: str, *, is_locked: bool = False) -> Script[RoundTask]:
    found = yield sql.task_by_key(is_locked=is_locked), {"job_id": job_id, "key": key}
    if not found:
        raise UnknownJobError(f"The job {job_id[:80]!r} has no match {key[:80]!r}.")
    return rows.task_from(found[0], tongue)


def newest_match(tongue: Tongue, match_id: str) -> Script[RoundMatch | None]:
    found = yield sql.newest_match(), {"match_id": match_id}
    return rows.match_from(found[0], tongue) if found else None


def store_match(tongue: Tongue, match: RoundMatch, job_id: str) -> Script[TaskOutcome]:
    """A new revision where it says something new, with all of its rows."""
    before = yield from newest_match(tongue, match.match_id)
    if before is not None and rows.digest_of(before) == rows.digest_of(match):
        return TaskOutcome.UNCHANGED
    revision = before.revision + 1 if before is not None else 1
    yield sql.insertion(round_matches), rows.match_values(match, revision, job_id, tongue)
    for table, told in (
        (round_events, rows.event_rows(match, revision)),
        (round_statistics, rows.statistic_rows(match, revision)),
        (round_lineups, rows.lineup_rows(match, revision)),
    ):
        for values in told:
            yield sql.insertion(table), values
    return TaskOutcome.STORED if match.is_played else TaskOutcome.NOT_PLAYED


def settle(tongue: Tongue, job_id: str, now: datetime) -> Script[RoundJob]:
    """A job of which nothing is left to do is over; it must be locked."""
    job = yield from job_of(tongue, job_id)
    counts = yield sql.counts_of_job(), {"job_id": job_id}
    states = {RoundTaskState(state) for state, _, _ in counts}
    if states & {RoundTaskState.PENDING, RoundTaskState.RUNNING}:
        return job
    event = "some_failed" if RoundTaskState.FAILED in states else "all_done"
    if job.state is JobState.FAILED and event == "all_done":
        event = "reread"
    if not ROUND_JOB.can(job.state, event):
        return job
    yield job_step(tongue, job, event, now, finished_at=now)
    return msgspec.structs.replace(job, state=ROUND_JOB.advance(job.state, event), updated_at=now, finished_at=now)


def require_written(tongue: Tongue, lease: Lease) -> Script[TaskOutcome]:
    """The lease does not hold: either this very verdict was written before and only the answer was lost, or somebody
    else has it now."""
    assert lease.task is not None
    task = yield from task_of(tongue, lease.job.job_id, lease.task.key)
    if task.state is RoundTaskState.DONE and task.epoch == lease.epoch and task.outcome is not None:
        return task.outcome
    raise LeaseLostError(f"The lease on {task.title} was lost to somebody else.")
