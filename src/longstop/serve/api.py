"""The API: reads only, but for the verbs of /admin.

Each route is a few lines; what it says is built in `matches`, `balls` and `vitals`.
"""

from secrets import token_hex
from typing import Annotated, Any

from litestar import Litestar, Request, Response, Router, get
from litestar.datastructures import ResponseHeader
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin
from litestar.params import FromPath, QueryParameter

from longstop.domain.match import MatchStatus
from longstop.serve import balls, matches, wire
from longstop.serve.admin import AdminDesk, admin_router
from longstop.serve.console.board import OpsBoard
from longstop.serve.console.page import console_router
from longstop.serve.entry.hall import Entry
from longstop.serve.entry.rules import PUBLIC, READ
from longstop.serve.freshness import HEADERS, KnownMatch, age_of, iso_or_none, known_match, known_matches
from longstop.serve.gate import Gate
from longstop.serve.naming import NameBook
from longstop.serve.parameters import (
    CURSOR_MAX,
    ERRORS,
    ERRORS_OF_ONE,
    AsOf,
    MatchId,
    Model,
    moment_of,
    require_key,
)
from longstop.serve.probes import probes
from longstop.serve.problems import CATALOGUE, HANDLERS, NOT_ACCEPTABLE, NOT_FOUND, UNKNOWN_MATCH, ApiError
from longstop.serve.reading import ReadModel
from longstop.serve.streaming.following import Streams
from longstop.serve.streaming.lines import FeedPages
from longstop.serve.streaming.routes import stream_routes

LIST_MAX = 1_000
EVENTS_MAX = 1_000
_BODY_BYTES_MAX = 1_024

Limit = Annotated[int, QueryParameter(ge=1, le=LIST_MAX, description="At most this many.")]
_FRESH = [ResponseHeader(name=name, description=text, documentation_only=True) for name, text in HEADERS.items()]


@get(
    "/cricket-data/matches",
    opt=READ,
    tags=["matches"],
    summary="Matches, by status and source",
    response_headers=_FRESH,
    responses=ERRORS,
)
async def list_matches(
    model: Model,
    status: Annotated[MatchStatus | None, QueryParameter(description="Only matches in this status.")] = None,
    source: Annotated[str | None, QueryParameter(max_length=64, description="Only matches of this source.")] = None,
    limit: Limit = 200,
) -> Response[wire.MatchList]:
    if source is not None:
        require_key("source", source)
    rows = await model.store.matches(status=status, source=source, limit=limit)
    body, age = matches.match_list(await known_matches(model, rows), model)
    return Response(body, headers=age.headers())


@get(
    "/cricket-data/match-info/{match_id:str}",
    opt=READ,
    tags=["matches"],
    summary="One match, whole",
    response_headers=_FRESH,
    responses=ERRORS_OF_ONE,
)
async def match_info(model: Model, match_id: MatchId) -> Response[wire.MatchInfo]:
    known = await _require_match(model, match_id)
    if known.watched is not None and known.watched.observation is not None:
        recent = [ball for over in known.watched.observation.overs for ball in over.deliveries]
    else:
        records = await model.store.deliveries(match_id)
        recent = [record.delivery for record in records[-matches.LAST_BALLS :] if record.delivery is not None]
    body, age = matches.match_info(known, recent, await model.store.gaps(match_id), model)
    return Response(body, headers=age.headers())


@get(
    "/cricket-data/matches/{match_id:str}/events",
    opt=READ,
    tags=["events"],
    summary="What happened, in order, after a cursor",
    response_headers=_FRESH,
    responses=ERRORS_OF_ONE,
)
async def match_events(
    model: Model,
    match_id: MatchId,
    after: Annotated[int, QueryParameter(ge=0, le=CURSOR_MAX, description="`next_after` of the last answer.")] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=EVENTS_MAX, description="At most this many.")] = 500,
) -> Response[wire.EventList]:
    known = await _require_match(model, match_id)
    found = await model.store.events(match_id, after=after, limit=limit + 1)
    shown = found[:limit]
    names = NameBook(model.names(known.row.ref.source))
    per_over = known.live.balls_per_over if known.live else 6
    age = age_of(known, model)
    body = wire.EventList(
        match_id=match_id,
        events=[balls.event_out(event, per_over, names) for event in shown],
        next_after=shown[-1].seq if shown else after,
        has_more=len(found) > limit,
        metadata=matches.metadata(known, age, model),
    )
    return Response(body, headers=age.headers())


@get(
    "/cricket-data/matches/{match_id:str}/deliveries",
    opt=READ,
    tags=["events"],
    summary="The ledger: every ball, as it is believed now or was believed at a moment",
    response_headers=_FRESH,
    responses=ERRORS_OF_ONE,
)
async def match_deliveries(
    model: Model,
    match_id: MatchId,
    as_of: AsOf = None,
) -> Response[wire.DeliveryList]:
    moment = moment_of("as_of", as_of)
    known = await _require_match(model, match_id)
    records = await model.store.deliveries(match_id, as_of=moment)
    bowled = [record.delivery for record in records if record.delivery is not None]
    age = age_of(known, model)
    body = wire.DeliveryList(
        match_id=match_id,
        as_of=iso_or_none(moment),
        count=len(bowled),
        runs=sum(ball.runs for ball in bowled),
        wickets=sum(ball.wickets for ball in bowled),
        deliveries=balls.deliveries_out(records, NameBook(model.names(known.row.ref.source))),
        metadata=matches.metadata(known, age, model),
    )
    return Response(body, headers=age.headers())


@get("/problems/{name:str}", opt=PUBLIC, tags=["errors"], summary="What a problem type means")
async def problem_type(name: FromPath[str]) -> dict[str, str | int]:
    kind = CATALOGUE.get(name)
    if kind is None:
        raise ApiError(NOT_FOUND, "There is no problem type of this name.")
    return {"type": kind.type, "status": kind.status, "title": kind.title, "hint": kind.hint}


async def _require_match(model: ReadModel, match_id: str) -> KnownMatch:
    require_key("match_id", match_id)
    known = await known_match(model, match_id)
    if known is None:
        raise ApiError(UNKNOWN_MATCH, f"No match has the id {match_id}.")
    return known


async def require_json_accepted(request: Request[Any, Any, Any]) -> None:
    """Before every route but the page: whoever accepts something else only is told so."""
    accept = request.headers.get("accept", "")
    if (
        not accept
        or any(_accepts_json(part) for part in accept.split(","))
        or "text/" in request.route_handler.media_type
    ):
        return
    raise ApiError(NOT_ACCEPTABLE, "This address answers in application/json.")


def _accepts_json(part: str) -> bool:
    media, _, parameters = part.strip().lower().partition(";")
    is_refused = "q=0" in parameters.replace(" ", "").split(";")
    return media.strip() in {"*/*", "application/*", "application/json"} and not is_refused


def create_app(
    model: ReadModel,
    entry: Entry,
    *,
    has_health: bool = True,
    admin: AdminDesk | None = None,
    streams: Streams | None = None,
) -> Gate:
    """The whole application, behind its gate. Nothing is started and nothing is read yet."""
    note = entry.journal.note if entry.journal is not None else None
    app = create_litestar(model, entry, has_health=has_health, admin=admin, streams=streams)
    return Gate(app, model.clock, note)


def create_litestar(
    model: ReadModel,
    entry: Entry,
    *,
    has_health: bool = True,
    admin: AdminDesk | None = None,
    streams: Streams | None = None,
) -> Litestar:
    routes = [
        *probes(has_health=has_health),
        list_matches,
        match_info,
        match_events,
        match_deliveries,
        *stream_routes(),
        problem_type,
    ]
    follow, pages = streams or Streams(model.clock, model.bus), FeedPages(model)
    return Litestar(
        route_handlers=[
            *routes,
            console_router(OpsBoard(model, epoch=token_hex(4)), model),
            *([admin_router(admin)] if admin is not None else []),
            *entry.routers,
        ],
        dependencies={
            "model": Provide(lambda: model, sync_to_thread=False),
            "streams": Provide(lambda: follow, sync_to_thread=False),
            "pages": Provide(lambda: pages, sync_to_thread=False),
        },
        exception_handlers=dict(HANDLERS),
        before_request=require_json_accepted,
        middleware=[entry.door.before],
        openapi_config=OpenAPIConfig(
            title="Longstop",
            version=model.instance.version,
            description="Live match data with its age and its origin. Reads only, but for the verbs of /admin.",
            openapi_router=Router("/schema", route_handlers=[], opt=PUBLIC, include_in_schema=False),
            render_plugins=[JsonRenderPlugin(path=["/", "/openapi.json"]), YamlRenderPlugin(path="/openapi.yaml")],
        ),
        logging_config=None,
        request_max_body_size=_BODY_BYTES_MAX,
        debug=False,
    )
