"""What is asked of the journal. Nothing is written."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from longstop.domain.rounds import RoundJob, RoundMatch, RoundRef, RoundTask, RoundTaskState, Summary
from longstop.store.cells import zoned
from longstop.store.rounds import rows
from longstop.store.rounds import statements as sql
from longstop.store.rounds.steps import cell, job_of, newest_match, task_of
from longstop.store.scripts import Script, Tongue


def job(tongue: Tongue, job_id: str) -> Script[RoundJob]:
    return (yield from job_of(tongue, job_id))


def task(tongue: Tongue, job_id: str, key: str) -> Script[RoundTask]:
    return (yield from task_of(tongue, job_id, key))


def jobs(tongue: Tongue, limit: int, filters: Mapping[str, Any]) -> Script[list[RoundJob]]:
    found = yield sql.jobs_newest_first(*filters), {"limit": limit, **_cells(filters, tongue)}
    return [rows.job_from(row, tongue) for row in found]


def tasks(tongue: Tongue, job_id: str) -> Script[list[RoundTask]]:
    yield from job_of(tongue, job_id)
    found = yield sql.tasks_of_job(), {"job_id": job_id}
    return [rows.task_from(row, tongue) for row in found]


def dead_letters(tongue: Tongue, limit: int, filters: Mapping[str, Any]) -> Script[list[RoundTask]]:
    found = yield sql.dead_letters(*filters), {"limit": limit, **_cells(filters, tongue)}
    return [rows.task_from(row, tongue) for row in found]


def _cells(filters: Mapping[str, Any], tongue: Tongue) -> dict[str, Any]:
    return {name: cell(value, tongue) for name, value in filters.items()}


def summary(tongue: Tongue, job_id: str) -> Script[Summary]:
    yield from job_of(tongue, job_id)
    counted = dict.fromkeys(RoundTaskState, 0)
    outcomes: dict[str, int] = {}
    for state, outcome, count in (yield sql.counts_of_job(), {"job_id": job_id}):
        counted[RoundTaskState(state)] += count
        if outcome and RoundTaskState(state) is RoundTaskState.DONE:
            outcomes[outcome] = outcomes.get(outcome, 0) + count
    return Summary(
        all=sum(counted.values()),
        done=counted[RoundTaskState.DONE],
        failed=counted[RoundTaskState.FAILED],
        pending=counted[RoundTaskState.PENDING],
        running=counted[RoundTaskState.RUNNING],
        outcomes=outcomes,
    )


def match(tongue: Tongue, match_id: str, as_of: datetime | None) -> Script[RoundMatch | None]:
    if as_of is None:
        return (yield from newest_match(tongue, match_id))
    found = yield sql.match_as_of(), {"match_id": match_id, "as_of": tongue.moment(zoned(as_of))}
    return rows.match_from(found[0], tongue) if found else None


def matches(tongue: Tongue, ref: RoundRef) -> Script[list[RoundMatch]]:
    wanted = {"source": ref.source, "competition": ref.competition, "season": ref.season, "round": ref.round}
    found = yield sql.matches_of_round(), wanted
    return [rows.match_from(row, tongue) for row in found]
