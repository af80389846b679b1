"""The addresses of rounds. Asking for one and retrying are for operators; looking is for whoever may read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency, Provide
from litestar.openapi import ResponseSpec
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter, SkipValidation
from litestar.response import Stream

from longstop.domain.rounds import JobState, RoundRef
from longstop.jobs.rounds.desk import RoundsDesk
from longstop.jobs.rounds.work import RoundWork
from longstop.serve.entry.rules import ADMIN, READ
from longstop.serve.entry.visit import reader_of, visit_of
from longstop.serve.freshness import HEADERS, Age
from longstop.serve.parameters import AsOf, moment_of, problems
from longstop.serve.problems import UNKNOWN_MATCH, UNKNOWN_SOURCE, ApiError, bad_parameter
from longstop.serve.reading import ReadModel
from longstop.serve.rounds.progress import Progress
from longstop.serve.rounds.wire import (
    AskedOut,
    JobOut,
    JobsOut,
    RereadOut,
    RetriedOut,
    RetryRequest,
    RoundMatchesOut,
    RoundMatchOut,
    RoundRequest,
    TaskOut,
    TasksOut,
    age_of,
    job_out,
    match_out,
    task_out,
)
from longstop.serve.streaming import frames

BODY_BYTES_MAX: Final = 64 * 1024
_Request = Request[Any, Any, Any]
_BAD: Final = ((400, "A parameter is wrong."), (503, "The database does not answer."))
_NO_JOB: Final = problems(*_BAD, (404, "There is no such job."))
_FRESH: Final = [ResponseHeader(name=name, description=text, documentation_only=True) for name, text in HEADERS.items()]
_PROGRESS: Final = ResponseSpec(
    str,
    generate_examples=False,
    media_type=frames.MEDIA_TYPE,
    description="Tasks as they change; `summary` after each change, `heartbeat` between, `settled` at the end.",
)


@dataclass(frozen=True, slots=True)
class RoundsCounter:
    """What the routes need of the rounds of one source."""

    source: str
    desk: RoundsDesk
    work: RoundWork
    progress: Progress


Counter = NamedDependency[SkipValidation[RoundsCounter]]
Model = NamedDependency[SkipValidation[ReadModel]]
JobId = Annotated[str, PathParameter(max_length=64, pattern="^[A-Za-z0-9-]+$", description="As asking for it told.")]
Key = Annotated[str, PathParameter(max_length=64, pattern="^[A-Za-z0-9_-]+$", description="The match at its source.")]
Limit = Annotated[int, QueryParameter(ge=1, le=1000, description="At most so many.")]
Competition = Annotated[str | None, QueryParameter(max_length=80, pattern="^[A-Za-z0-9_-]+$")]
Season = Annotated[int | None, QueryParameter(ge=1900, le=2200)]
Number = Annotated[int | None, QueryParameter(name="round", ge=1, le=200)]
IdempotencyKey = Annotated[
    str | None,
    HeaderParameter(name="Idempotency-Key", max_length=200, description="The same key is the same job, for ever."),
]


@post(
    "/api/scrape",
    opt=ADMIN,
    status_code=202,
    summary="Ask for a round; the job is durable when this answers, and worked off afterwards",
    responses=problems(*_BAD, (404, "There are no rounds of such a source.")),
    response_headers=[ResponseHeader(name="Location", description="Where to look it up.", documentation_only=True)],
)
async def ask(
    counter: Counter, request: _Request, data: JSONBody[RoundRequest], idempotency_key: IdempotencyKey = None
) -> Response[AskedOut]:
    await _require_meant(request, RoundRequest)
    if data.source != counter.source:
        raise ApiError(UNKNOWN_SOURCE, f"There are no rounds of {data.source}; there are of {counter.source}.")
    view, is_new = await counter.desk.ask(
        RoundRef(data.source, data.competition, data.season, data.round),
        is_recheck=data.recheck,
        request_key=idempotency_key or "",
        requested_by=visit_of(request.scope).consumer or "",
    )
    told = AskedOut(is_new, job_out(view))
    return Response(told, status_code=202, headers={"Location": told.job.location})


@get("/api/scrape/jobs", opt=READ, summary="Jobs, the newest first", responses=problems(*_BAD))
async def jobs(
    counter: Counter,
    stage: Annotated[JobState | None, QueryParameter(name="state", description="How far they are.")] = None,
    competition: Competition = None,
    season: Season = None,
    number: Number = None,
    limit: Limit = 100,
) -> JobsOut:
    filters = _given(state=stage, competition=competition, season=season, round=number)
    return JobsOut([job_out(view) for view in await counter.desk.views(limit=limit, **filters)])


@get("/api/scrape/jobs/{job_id:str}", opt=READ, summary="One job, with its summary", responses=_NO_JOB)
async def job(counter: Counter, job_id: JobId) -> JobOut:
    return job_out(await counter.desk.view(job_id))


@get("/api/scrape/jobs/{job_id:str}/tasks", opt=READ, summary="Every match of a job", responses=_NO_JOB)
async def tasks(counter: Counter, job_id: JobId) -> TasksOut:
    return TasksOut([task_out(task) for task in await counter.desk.tasks(job_id)])


@get("/api/scrape/jobs/{job_id:str}/tasks/{key:str}", opt=READ, summary="One match of a job", responses=_NO_JOB)
async def task(counter: Counter, job_id: JobId, key: Key) -> TaskOut:
    return task_out(await counter.desk.task(job_id, key))


@get(
    "/api/scrape/jobs/{job_id:str}/stream",
    opt=READ,
    media_type=frames.MEDIA_TYPE,
    summary="Follow a job until nothing is left to do",
    responses=_NO_JOB | {200: _PROGRESS},
)
async def stream(counter: Counter, request: _Request, job_id: JobId) -> Response[Any]:
    reader = reader_of(request.scope)
    counter.progress.require_room(reader)
    await counter.desk.view(job_id)
    headers = {"x-accel-buffering": "no"}
    if request.scope.get("state", {}).get("is_head"):
        return Response(b"", media_type=frames.MEDIA_TYPE, headers=headers)
    told = counter.progress.follow(job_id, visit_of(request.scope).is_let_in, reader)
    return Stream(told, media_type=frames.MEDIA_TYPE, headers=headers)


@post(
    "/api/scrape/jobs/{job_id:str}/cancel",
    opt=ADMIN,
    status_code=200,
    summary="Begin nothing more of a job; what is under way is fenced off",
    responses=_NO_JOB,
)
async def cancel(counter: Counter, job_id: JobId) -> JobOut:
    return job_out(await counter.desk.cancel(job_id))


@get(
    "/api/scrape/dead-letters",
    opt=READ,
    summary="Matches that failed for good, newest first",
    responses=problems(*_BAD),
)
async def dead_letters(
    counter: Counter,
    job_id: Annotated[str | None, QueryParameter(max_length=64, pattern="^[A-Za-z0-9-]+$")] = None,
    competition: Competition = None,
    season: Season = None,
    number: Number = None,
    limit: Limit = 100,
) -> TasksOut:
    filters = _given(job_id=job_id, competition=competition, season=season, round=number)
    return TasksOut([task_out(task) for task in await counter.desk.dead_letters(limit=limit, **filters)])


@post(
    "/api/scrape/retry-failed",
    opt=ADMIN,
    status_code=200,
    summary="Try dead letters again: of a job, of a round, some matches, or all",
    responses=problems(*_BAD),
)
async def retry_failed(counter: Counter, request: _Request, data: JSONBody[RetryRequest | None] = None) -> RetriedOut:
    await _require_meant(request, RetryRequest)
    wanted = data or RetryRequest()
    revived = await counter.desk.retry_failed(wanted.matches, **wanted.filters)
    return RetriedOut(sum(revived.values()), revived)


@post(
    "/api/scrape/jobs/{job_id:str}/tasks/{key:str}/reread",
    opt=ADMIN,
    status_code=200,
    summary="Read a dead letter again from its stored payload, without a call",
    responses=_NO_JOB | problems((409, "It is no dead letter, or cannot be read still.")),
)
async def reread(counter: Counter, job_id: JobId, key: Key) -> RereadOut:
    view = await counter.desk.view(job_id)
    return RereadOut(await counter.work.reread(view.job, key))


@get(
    "/rounds/{competition:str}/{season:int}/{number:int}",
    opt=READ,
    summary="The matches that stand in a round now, with their events, statistics and line-ups",
    responses=problems(*_BAD),
    response_headers=_FRESH,
)
async def round_matches(
    counter: Counter,
    model: Model,
    competition: Annotated[str, PathParameter(max_length=80, pattern="^[A-Za-z0-9_-]+$")],
    season: Annotated[int, PathParameter(ge=1900, le=2200)],
    number: Annotated[int, PathParameter(ge=1, le=200)],
) -> Response[RoundMatchesOut]:
    found = await counter.desk.matches(RoundRef(counter.source, competition, season, number))
    ages = [age_of(match, model) for match in found]
    body = RoundMatchesOut([match_out(match, age) for match, age in zip(found, ages, strict=True)])
    return Response(body, headers=_oldest(ages, model).headers())


@get(
    "/rounds/matches/{match_id:str}",
    opt=READ,
    summary="One match of a round, also as it was known at a moment",
    responses=problems(*_BAD, (404, "There is no such match.")),
    response_headers=_FRESH,
)
async def round_match(
    counter: Counter,
    model: Model,
    match_id: Annotated[str, PathParameter(max_length=129, description="As the tasks of a job have it.")],
    as_of: AsOf = None,
) -> Response[RoundMatchOut]:
    found = await counter.desk.match(match_id, moment_of("as_of", as_of))
    if found is None:
        raise ApiError(UNKNOWN_MATCH, "No round has brought a match of this name, or it was not known then.")
    age = age_of(found, model)
    return Response(match_out(found, age), headers=age.headers())


async def _require_meant(request: _Request, shape: type[Any]) -> None:
    """The framework takes "5" for 5 and "false" for false; the document does not."""
    body = await request.body()
    try:
        msgspec.json.decode(body or b"{}", type=shape)
    except msgspec.ValidationError as error:
        told = str(error)
        raise bad_parameter(told.rpartition("`$.")[2].rstrip("`") if "`$." in told else "body", told) from None


def _oldest(ages: Sequence[Age], model: ReadModel) -> Age:
    return max(ages, key=lambda age: age.seconds, default=Age(model.clock.now(), 0.0))


def _given(**filters: Any) -> dict[str, Any]:
    return {name: value for name, value in filters.items() if value is not None}


def rounds_router(counter: RoundsCounter) -> Router:
    return Router(
        path="/",
        route_handlers=[
            *(ask, jobs, job, tasks, task, stream, cancel, dead_letters, retry_failed, reread),
            *(round_matches, round_match),
        ],
        dependencies={"counter": Provide(lambda: counter, sync_to_thread=False)},
        tags=["rounds"],
        request_max_body_size=BODY_BYTES_MAX,
    )
