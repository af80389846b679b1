"""Jobs, tasks and matches of rounds as they go over the wire."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from longstop.clock import age_seconds
from longstop.domain.rounds import RoundMatch, RoundTask, TaskError
from longstop.jobs.rounds.desk import JobView
from longstop.serve.freshness import Age, iso, iso_or_none
from longstop.serve.reading import ReadModel

Slug = Annotated[str, Meta(min_length=1, max_length=80, pattern="^[A-Za-z0-9_-]+$", examples=["serie-a"])]
Season = Annotated[int, Meta(ge=1900, le=2200, examples=[2026])]
Round = Annotated[int, Meta(ge=1, le=200, examples=[14])]
Key = Annotated[str, Meta(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$", examples=["270403"])]
Source = Annotated[str, Meta(min_length=1, max_length=64, pattern="^[a-z0-9_-]+$", examples=["brasileirao"])]
JobId = Annotated[str, Meta(min_length=1, max_length=64, pattern="^[A-Za-z0-9-]+$")]


class RoundRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """`recheck` asks for finished matches too, and keeps what has changed as a new revision."""

    competition: Slug
    season: Season
    round: Round
    source: Source = "brasileirao"
    recheck: bool = False


class RetryRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dead letters: of one job, one round, some matches, or all of them."""

    job_id: JobId | None = None
    source: Source | None = None
    competition: Slug | None = None
    season: Season | None = None
    round: Round | None = None
    matches: tuple[Key, ...] = ()

    @property
    def filters(self) -> dict[str, Any]:
        given = msgspec.structs.asdict(self)
        return {name: value for name, value in given.items() if value is not None and name != "matches"}


class SummaryOut(Struct, frozen=True):
    """`all` = done + failed + pending + running. `outcomes`: what the done ones have come to."""

    all: int
    done: int
    failed: int
    pending: int
    running: int
    outcomes: dict[str, int]


class JobOut(Struct, frozen=True):
    job_id: str
    state: str
    source: str
    competition: str
    season: int
    round: int
    recheck: bool
    created_at: str
    updated_at: str
    listed_at: str | None
    finished_at: str | None
    error: dict[str, Any] | None
    summary: SummaryOut
    location: str


class AskedOut(Struct, frozen=True):
    """`is_new` false: there was a job for this round already, and this is it."""

    is_new: bool
    job: JobOut


class TaskOut(Struct, frozen=True):
    """`error` is the last one; `evidence` are files below the storage folder."""

    job_id: str
    key: str
    match_id: str
    title: str
    state: str
    outcome: str | None
    attempt: int
    kickoff_at: str | None
    next_at: str
    updated_at: str
    finished_at: str | None
    error: dict[str, Any] | None
    evidence: list[str]


class JobsOut(Struct, frozen=True):
    jobs: list[JobOut]


class TasksOut(Struct, frozen=True):
    tasks: list[TaskOut]


class RetriedOut(Struct, frozen=True):
    """How many dead letters are pending again, by job."""

    retried: int
    jobs: dict[str, int]


class RereadOut(Struct, frozen=True):
    outcome: str


class RoundMetadata(Struct, frozen=True):
    """`revision` counts what changed after it was stored first; finished matches grow old without harm."""

    source: str
    scraped_at: str
    data_age_seconds: int
    is_stale: bool
    revision: int
    payload_sha256: str


class RoundMatchOut(Struct, frozen=True):
    match_id: str
    competition: str
    season: int
    round: int
    home: str
    away: str
    home_goals: int | None
    away_goals: int | None
    status: str
    is_finished: bool
    kickoff_at: str | None
    venue: str
    events: list[dict[str, Any]]
    statistics: list[dict[str, Any]]
    lineups: dict[str, Any] | None
    metadata: RoundMetadata = msgspec.field(name="_metadata")


class RoundMatchesOut(Struct, frozen=True):
    matches: list[RoundMatchOut]


def job_out(view: JobView) -> JobOut:
    job = view.job
    return JobOut(
        job_id=job.job_id,
        state=job.state.value,
        source=job.ref.source,
        competition=job.ref.competition,
        season=job.ref.season,
        round=job.ref.round,
        recheck=job.is_recheck,
        created_at=iso(job.created_at),
        updated_at=iso(job.updated_at),
        listed_at=iso_or_none(job.listed_at),
        finished_at=iso_or_none(job.finished_at),
        error=_error_out(job.error),
        summary=msgspec.convert(view.summary, SummaryOut, from_attributes=True),
        location=f"/api/scrape/jobs/{job.job_id}",
    )


def task_out(task: RoundTask) -> TaskOut:
    return TaskOut(
        job_id=task.job_id,
        key=task.key,
        match_id=task.match_id,
        title=task.title,
        state=task.state.value,
        outcome=task.outcome.value if task.outcome else None,
        attempt=task.attempt,
        kickoff_at=iso_or_none(task.kickoff_at),
        next_at=iso(task.next_at),
        updated_at=iso(task.updated_at),
        finished_at=iso_or_none(task.finished_at),
        error=_error_out(task.error),
        evidence=list(task.evidence),
    )


def _error_out(error: TaskError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    told: Mapping[str, Any] = msgspec.to_builtins(error)
    return {**told, "at": iso(error.at)}


def age_of(match: RoundMatch, model: ReadModel) -> Age:
    """What is over does not grow stale."""
    seconds = age_seconds(model.clock.now(), match.captured_at)
    is_stale = not match.is_finished and match.is_played and seconds > model.stale_after_seconds
    return Age(match.captured_at, seconds, is_stale)


def match_out(match: RoundMatch, age: Age) -> RoundMatchOut:
    event, report = match.event, match.report
    score = event.score or (None, None)
    return RoundMatchOut(
        match_id=match.match_id,
        competition=match.ref.competition,
        season=match.ref.season,
        round=match.ref.round,
        home=event.home.name,
        away=event.away.name,
        home_goals=score[0],
        away_goals=score[1],
        status=event.phase.value,
        is_finished=match.is_finished,
        kickoff_at=iso_or_none(event.kickoff),
        venue=match.venue,
        events=msgspec.to_builtins(report.incidents or ()),
        statistics=msgspec.to_builtins(report.statistics or ()),
        lineups=None if report.lineups is None else msgspec.to_builtins(report.lineups),
        metadata=RoundMetadata(
            source=match.ref.source,
            scraped_at=iso(age.captured_at),
            data_age_seconds=age.whole_seconds,
            is_stale=age.is_stale,
            revision=match.revision,
            payload_sha256=match.payload_sha256,
        ),
    )
