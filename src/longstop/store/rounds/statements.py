"""Every statement of the rounds, built once, the same for both databases. SQLite writes one at a time, locking none."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import Column, Table, Text, and_, bindparam, func, insert, literal_column, or_, select, update

from longstop.domain.rounds import JobState, RoundTaskState
from longstop.store.rounds.tables import (
    round_events,
    round_lineups,
    round_matches,
    round_statistics,
    scrape_jobs,
    scrape_tasks,
)
from longstop.store.transactions import AloneWith

ROW_TABLES = (round_events, round_statistics, round_lineups)
_JOBS, _TASKS, _MATCHES = scrape_jobs.c, scrape_tasks.c, round_matches.c


def word(state: JobState | RoundTaskState) -> Any:
    """A state as a constant of the statement."""
    return literal_column(f"'{state.value}'")


def given(column: Column[Any], name: str = "") -> Any:
    return bindparam(name or column.name, type_=column.type)


@cache
def insertion(table: Table) -> Any:
    return insert(table).values({column.name: given(column) for column in table.columns})


@cache
def job_by_id(*, is_locked: bool = False) -> Any:
    query = select(*scrape_jobs.columns).where(_JOBS.job_id == given(_JOBS.job_id))
    return query.with_for_update() if is_locked else query


@cache
def job_by_request() -> Any:
    return select(*scrape_jobs.columns).where(_JOBS.request_key == given(_JOBS.request_key))


@cache
def alone_with_round() -> Any:
    """Two who ask for the same round at the same moment come one after the other."""
    return select(AloneWith(bindparam("round_name", type_=Text())))


@cache
def newest_job_of_round() -> Any:
    return (
        select(*scrape_jobs.columns)
        .where(
            _JOBS.source == given(_JOBS.source),
            _JOBS.competition == given(_JOBS.competition),
            _JOBS.season == given(_JOBS.season),
            _JOBS.round == given(_JOBS.round),
        )
        .order_by(_JOBS.created_at.desc(), _JOBS.job_id.desc())
        .limit(literal_column("1"))
        .with_for_update()
    )


@cache
def jobs_newest_first(*filters: str) -> Any:
    query = select(*scrape_jobs.columns)
    for name in filters:
        query = query.where(scrape_jobs.c[name] == given(scrape_jobs.c[name]))
    return query.order_by(_JOBS.created_at.desc(), _JOBS.job_id.desc()).limit(bindparam("limit"))


@cache
def listable_jobs(*, is_one: bool = False) -> Any:
    """Jobs of one source that wait for their list, and those whose lister is gone."""
    now = given(_JOBS.next_at, "now")
    is_waiting = and_(_JOBS.state == word(JobState.PENDING), _JOBS.next_at <= now)
    is_lost = and_(_JOBS.state == word(JobState.LISTING), _JOBS.lease_until < now)
    query = (
        select(*scrape_jobs.columns)
        .where(_JOBS.source == given(_JOBS.source), or_(is_waiting, is_lost))
        .order_by(_JOBS.created_at, _JOBS.job_id)
        .limit(bindparam("limit"))
        .with_for_update(skip_locked=True)
    )
    return query.where(_JOBS.job_id == given(_JOBS.job_id)) if is_one else query


@cache
def takeable_tasks(*, is_one: bool = False) -> Any:
    """Tasks that are due, and those whose holder is gone. Those that failed before come last, so that none of them
    holds up the others."""
    now = given(_TASKS.next_at, "now")
    is_waiting = and_(_TASKS.state == word(RoundTaskState.PENDING), _TASKS.next_at <= now)
    is_lost = and_(_TASKS.state == word(RoundTaskState.RUNNING), _TASKS.lease_until < now)
    query = (
        select(*scrape_tasks.columns)
        .join_from(scrape_tasks, scrape_jobs, _JOBS.job_id == _TASKS.job_id)
        .where(_JOBS.state == word(JobState.RUNNING), or_(is_waiting, is_lost))
        .order_by(_TASKS.attempt + _TASKS.losses, _JOBS.created_at, _TASKS.job_id, _TASKS.position)
        .limit(bindparam("limit"))
        .with_for_update(skip_locked=True, of=scrape_tasks)
    )
    if is_one:
        return query.where(_TASKS.job_id == given(_TASKS.job_id), _TASKS.key == given(_TASKS.key))
    return query.where(_JOBS.source == given(_JOBS.source))


@cache
def tasks_of_job(*, is_locked: bool = False) -> Any:
    query = select(*scrape_tasks.columns).where(_TASKS.job_id == given(_TASKS.job_id)).order_by(_TASKS.position)
    return query.with_for_update() if is_locked else query


@cache
def task_by_key(*, is_locked: bool = False) -> Any:
    query = select(*scrape_tasks.columns).where(_TASKS.job_id == given(_TASKS.job_id), _TASKS.key == given(_TASKS.key))
    return query.with_for_update() if is_locked else query


@cache
def dead_letters(*filters: str) -> Any:
    """Newest first. Of one round, one job, or all."""
    query = select(*scrape_tasks.columns).join_from(scrape_tasks, scrape_jobs, _JOBS.job_id == _TASKS.job_id)
    query = query.where(_TASKS.state == word(RoundTaskState.FAILED))
    for name in filters:
        query = query.where(scrape_jobs.c[name] == given(scrape_jobs.c[name]))
    return query.order_by(_TASKS.updated_at.desc(), _TASKS.job_id, _TASKS.position).limit(bindparam("limit"))


@cache
def counts_of_job() -> Any:
    return (
        select(_TASKS.state, _TASKS.outcome, func.count())
        .where(_TASKS.job_id == given(_TASKS.job_id))
        .group_by(_TASKS.state, _TASKS.outcome)
    )


@cache
def job_set(*names: str) -> Any:
    return update(scrape_jobs).where(_JOBS.job_id == bindparam("of_job")).values(_named(scrape_jobs, names))


@cache
def task_set(*names: str) -> Any:
    return (
        update(scrape_tasks)
        .where(_TASKS.job_id == bindparam("of_job"), _TASKS.key == bindparam("of_key"))
        .values(_named(scrape_tasks, names))
    )


@cache
def lease_set(*names: str) -> Any:
    """Only by who holds the newest lease; returns the key when there was one to set."""
    return (
        task_set(*names)
        .where(_TASKS.epoch == bindparam("of_epoch"), _TASKS.state == word(RoundTaskState.RUNNING))
        .returning(_TASKS.key)
    )


@cache
def job_lease_set(*names: str) -> Any:
    return (
        job_set(*names)
        .where(_JOBS.epoch == bindparam("of_epoch"), _JOBS.state == word(JobState.LISTING))
        .returning(_JOBS.job_id)
    )


@cache
def end_task_leases() -> Any:
    of_source = select(_JOBS.job_id).where(_JOBS.source == given(_JOBS.source))
    held = update(scrape_tasks).where(_TASKS.state == word(RoundTaskState.RUNNING), _TASKS.job_id.in_(of_source))
    return held.values(_named(scrape_tasks, ("lease_until",)))


@cache
def end_job_leases() -> Any:
    held = update(scrape_jobs).where(_JOBS.state == word(JobState.LISTING), _JOBS.source == given(_JOBS.source))
    return held.values(_named(scrape_jobs, ("lease_until",)))


def _named(table: Table, names: tuple[str, ...]) -> Mapping[str, Any]:
    return {name: given(table.c[name], f"set_{name}") for name in names}


@cache
def newest_match() -> Any:
    return (
        select(*round_matches.columns)
        .where(_MATCHES.match_id == given(_MATCHES.match_id))
        .order_by(_MATCHES.revision.desc())
        .limit(literal_column("1"))
    )


@cache
def match_as_of() -> Any:
    moment = given(_MATCHES.captured_at, "as_of")
    return (
        select(*round_matches.columns)
        .where(_MATCHES.match_id == given(_MATCHES.match_id), _MATCHES.captured_at <= moment)
        .order_by(_MATCHES.revision.desc())
        .limit(literal_column("1"))
    )


@cache
def matches_of_round() -> Any:
    """The newest revision of each match that stands in this round now: one that was moved away is not among them."""
    later = round_matches.alias("later")
    newest = select(func.max(later.c.revision)).where(later.c.match_id == _MATCHES.match_id).scalar_subquery()
    return (
        select(*round_matches.columns)
        .where(
            _MATCHES.source == given(_MATCHES.source),
            _MATCHES.competition == given(_MATCHES.competition),
            _MATCHES.season == given(_MATCHES.season),
            _MATCHES.round == given(_MATCHES.round),
            _MATCHES.revision == newest,
        )
        .order_by(_MATCHES.kickoff_at, _MATCHES.match_id)
    )
