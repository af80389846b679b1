"""Who asks whether we are well: `/health`, `/status`, `/livez`, `/readyz`. Only the last one asks the database."""

from typing import Annotated, Final

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import ResponseSpec
from litestar.params import SkipValidation
from msgspec import Meta, Struct

from longstop.domain.errors import StoreError
from longstop.serve.answers import Ready
from longstop.serve.desk import ReadingDesk
from longstop.serve.entry.rules import PUBLIC
from longstop.serve.parameters import Model, problems
from longstop.serve.reading import ReadModel
from longstop.serve.summary import HealthSummary, health_summary
from longstop.serve.vitals import HealthReport

Reads = NamedDependency[SkipValidation[ReadingDesk]]
_PING_SECONDS: Final = 2.0
_ONLY_JSON: Final = problems((406, "Only JSON."))


class Alive(Struct, frozen=True):
    status: str = "alive"


class Readiness(Struct, frozen=True):
    status: Annotated[str, Meta(description="ready or not ready")]
    reasons: Annotated[list[str], Meta(description="Why not, one sentence each.")]


@get(
    "/health",
    opt=PUBLIC,
    tags=["health"],
    summary="Health of the instance and of every scraper; 503 when it is down",
    responses=_ONLY_JSON | {503: ResponseSpec(HealthReport, generate_examples=False, description="The same, down.")},
)
async def health(reads: Reads) -> Response[HealthReport]:
    body, status = reads.health.now()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    return Ready(status, headers, body)


@get("/status", opt=PUBLIC, tags=["health"], summary="The grade of the instance, and why", responses=_ONLY_JSON)
async def status(model: Model) -> HealthSummary:
    return health_summary(model)


@get("/livez", opt=PUBLIC, tags=["health"], summary="The process is alive and its loop turns", responses=_ONLY_JSON)
async def livez() -> Alive:
    return Alive()


@get(
    "/readyz",
    opt=PUBLIC,
    tags=["health"],
    summary="Everything that serving needs is there; 503 with the reasons when it is not",
    responses=_ONLY_JSON | {503: ResponseSpec(Readiness, generate_examples=False, description="Not ready.")},
)
async def readyz(model: Model) -> Response[Readiness]:
    reasons = await _reasons(model)
    return Response(Readiness("not ready" if reasons else "ready", reasons), status_code=503 if reasons else 200)


async def _reasons(model: ReadModel) -> list[str]:
    found = [] if model.operations.is_started else ["The engine has not started yet."]
    try:
        async with model.clock.timeout(_PING_SECONDS):
            await model.store.ping()
    except (StoreError, TimeoutError):
        found.append("The database does not answer; what is read comes from memory, what is written waits.")
    return found


def probes(*, has_health: bool) -> list[HTTPRouteHandler]:
    return [*([health] if has_health else []), status, livez, readyz]
