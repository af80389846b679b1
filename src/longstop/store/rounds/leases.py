"""Leases of the journal: who takes what is due, keeps it, or gives it back.

A lease is a row with an epoch and an end. What is past its end is taken by somebody else, with a higher epoch; who
comes with an older one finds that nothing of what it brought is written.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from longstop.domain.rounds import JobState, Lease, RoundJob, RoundTask, RoundTaskState, TaskError
from longstop.store.cells import Row
from longstop.store.rounds import rows
from longstop.store.rounds import statements as sql
from longstop.store.rounds.steps import NOBODY, by_holder, job_of, job_step, settle, task_step
from longstop.store.scripts import Script, Statement, Tongue


class Taker(msgspec.Struct, frozen=True):
    """Who takes, from when until when, how many, and how often a task may be lost before it is given up."""

    owner: str
    now: datetime
    until: datetime
    limit: int = 1
    losses_max: int = 10


def jobs_taken(tongue: Tongue, source: str, taker: Taker) -> Script[list[Lease]]:
    """Rounds that are to be listed."""
    wanted = {"source": source, "now": tongue.moment(taker.now), "limit": taker.limit}
    found = yield sql.listable_jobs(), wanted
    return (yield from _listings(tongue, found, taker))


def job_taken(tongue: Tongue, source: str, job_id: str, taker: Taker) -> Script[list[Lease]]:
    """None where somebody else lists it, or where it is listed: a message that comes twice does no harm."""
    wanted = {"source": source, "job_id": job_id, "now": tongue.moment(taker.now), "limit": 1}
    found = yield sql.listable_jobs(is_one=True), wanted
    return (yield from _listings(tongue, found, taker))


def _listings(tongue: Tongue, found: Sequence[Row], taker: Taker) -> Script[list[Lease]]:
    leases: list[Lease] = []
    for row in found:
        job = rows.job_from(row, tongue)
        if job.state is JobState.LISTING:
            if job.attempt > taker.losses_max:
                error = _worker_lost(job.attempt, taker.now)
                yield job_step(tongue, job, "failed_for_good", taker.now, error=error, finished_at=taker.now, **NOBODY)
                continue
            job = msgspec.structs.replace(job, state=JobState.PENDING)
        attempt, epoch = job.attempt + 1, job.epoch + 1
        held = {"owner": taker.owner, "lease_until": taker.until}
        yield job_step(tongue, job, "taken", taker.now, attempt=attempt, epoch=epoch, **held)
        leases.append(Lease(msgspec.structs.replace(job, state=JobState.LISTING, attempt=attempt, epoch=epoch)))
    return leases


def tasks_taken(tongue: Tongue, source: str, taker: Taker) -> Script[list[Lease]]:
    wanted = {"source": source, "now": tongue.moment(taker.now), "limit": taker.limit}
    found = yield sql.takeable_tasks(), wanted
    return (yield from _taken(tongue, found, taker))


def task_taken(tongue: Tongue, job_id: str, key: str, taker: Taker) -> Script[list[Lease]]:
    """None where somebody else holds it, or where it is done: a message that comes twice does no harm."""
    wanted = {"job_id": job_id, "key": key, "now": tongue.moment(taker.now), "limit": 1}
    found = yield sql.takeable_tasks(is_one=True), wanted
    return (yield from _taken(tongue, found, taker))


def _taken(tongue: Tongue, found: Sequence[Row], taker: Taker) -> Script[list[Lease]]:
    jobs: dict[str, RoundJob] = {}
    leases: list[Lease] = []
    for row in found:
        task = rows.task_from(row, tongue)
        if task.state is RoundTaskState.RUNNING:
            if task.losses >= taker.losses_max:
                yield from _given_up(tongue, task, taker.now)
                continue
            task = msgspec.structs.replace(
                task, state=RoundTaskState.PENDING, attempt=task.attempt - 1, losses=task.losses + 1
            )
        task = _held(task, taker)
        yield _take(tongue, task, taker)
        if task.job_id not in jobs:
            jobs[task.job_id] = yield from job_of(tongue, task.job_id)
        leases.append(Lease(jobs[task.job_id], task))
    return leases


def _held(task: RoundTask, taker: Taker) -> RoundTask:
    return msgspec.structs.replace(
        task, attempt=task.attempt + 1, epoch=task.epoch + 1, owner=taker.owner, lease_until=taker.until
    )


def _take(tongue: Tongue, task: RoundTask, taker: Taker) -> Statement:
    held = {"owner": taker.owner, "lease_until": taker.until, "started_at": taker.now}
    counts = {"attempt": task.attempt, "losses": task.losses, "epoch": task.epoch}
    return task_step(tongue, task, "taken", taker.now, **counts, **held)


def _given_up(tongue: Tongue, task: RoundTask, now: datetime) -> Script[None]:
    """Whoever took it never came back, as often as it may be tried: it may be what ends them."""
    error = _worker_lost(task.losses + 1, now)
    yield task_step(tongue, task, "failed_for_good", now, error=error, finished_at=now, **NOBODY)
    yield from settle(tongue, task.job_id, now)


def _worker_lost(times: int, now: datetime) -> TaskError:
    return TaskError(
        kind="worker_lost",
        message=f"Whoever worked on it was lost, {times} times.",
        hint="Look at the log of the workers at these times; then retry it alone.",
        is_permanent=True,
        attempt=times,
        at=now,
    )


def prolonged(tongue: Tongue, leases: Sequence[Lease], now: datetime, until: datetime) -> Script[list[Lease]]:
    """Those that are still held."""
    held: list[Lease] = []
    for lease in leases:
        is_held = yield by_holder(tongue, lease, "", now, lease_until=until)
        held += [lease] if is_held else []
    return held


def given_back(tongue: Tongue, lease: Lease, now: datetime, again_at: datetime, *, is_loss: bool) -> Script[bool]:
    """The attempt does not count; as a loss it does where nobody meant it so. False when it was lost already."""
    again: dict[str, Any] = {"attempt": lease.attempt - 1, "next_at": again_at, **NOBODY}
    if lease.task is None:
        return bool((yield by_holder(tongue, lease, "failed_for_now", now, **again)))
    again["losses"] = lease.task.losses + is_loss
    return bool((yield by_holder(tongue, lease, "given_back", now, **again)))


def ended(tongue: Tongue, source: str, now: datetime) -> Script[None]:
    """Every lease is over: whoever held one is known to be gone."""
    values = {"source": source, "set_lease_until": tongue.moment(now - timedelta(microseconds=1))}
    yield sql.end_task_leases(), values
    yield sql.end_job_leases(), values
