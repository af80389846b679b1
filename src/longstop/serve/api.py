"""The API: reads only, but for pushes and the verbs of /admin.

Each route is a few lines; what it says is built in `matches`, `balls` and `vitals`.
"""

from secrets import token_hex

from litestar import Litestar, Router, get
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.params import FromPath

from longstop.serve.admin import AdminDesk
from longstop.serve.administration import admin_router
from longstop.serve.console.board import OpsBoard
from longstop.serve.console.page import console_router
from longstop.serve.desk import ReadingDesk
from longstop.serve.document import JsonDocument, YamlDocument
from longstop.serve.entry.hall import Entry
from longstop.serve.entry.rules import PUBLIC
from longstop.serve.entry.visit import Visit
from longstop.serve.event_routes import event_routes
from longstop.serve.exports.routes import export_routes
from longstop.serve.football_routes import football_routes
from longstop.serve.gate import Gate, Note
from longstop.serve.lists import MatchLists
from longstop.serve.match_routes import match_routes
from longstop.serve.negotiation import require_document, require_json_accepted
from longstop.serve.parameters import problems
from longstop.serve.probes import probes
from longstop.serve.problems import CATALOGUE, HANDLERS, NOT_FOUND, ApiError
from longstop.serve.push_routes import PushDesk, push_router
from longstop.serve.reading import ReadModel
from longstop.serve.rounds.routes import RoundsCounter, rounds_router
from longstop.serve.shortcut import shortcut
from longstop.serve.streaming.following import Streams
from longstop.serve.streaming.routes import stream_routes

_BODY_BYTES_MAX = 1_024


_DESCRIPTION = (
    "Live match data with its age and its origin. Reads only, but for pushes, rounds and /admin."
    " What stands below /console and /ops is the operations page's own and changes with it: left out on purpose."
)
_NO_TYPE = problems((404, "There is no such type."))


@get("/problems/{name:str}", opt=PUBLIC, tags=["errors"], summary="What a problem type means", responses=_NO_TYPE)
async def problem_type(name: FromPath[str]) -> dict[str, str | int]:
    kind = CATALOGUE.get(name)
    if kind is None:
        raise ApiError(NOT_FOUND, "There is no problem type of this name.")
    return {"type": kind.type, "status": kind.status, "title": kind.title, "hint": kind.hint}


def create_app(
    model: ReadModel,
    entry: Entry,
    *,
    has_health: bool = True,
    admin: AdminDesk | None = None,
    desk: ReadingDesk | None = None,
    push: PushDesk | None = None,
    rounds: RoundsCounter | None = None,
) -> Gate:
    """The whole application, behind its gate. Nothing is started and nothing is read yet."""
    app = create_litestar(model, entry, has_health=has_health, admin=admin, desk=desk, push=push, rounds=rounds)
    return Gate(app, model.clock, _note_of(entry))


def _note_of(entry: Entry) -> Note | None:
    """Who hears of each answer."""
    journal, audit = entry.journal, entry.audit
    if journal is None or audit is None:
        return None

    def note(visit: Visit, method: str, status: int, began: float, age_seconds: float | None) -> None:
        journal.note(visit, method, status, began, age_seconds)
        audit.answered(visit, method, status)

    return note


def create_litestar(
    model: ReadModel,
    entry: Entry,
    *,
    has_health: bool = True,
    admin: AdminDesk | None = None,
    desk: ReadingDesk | None = None,
    push: PushDesk | None = None,
    rounds: RoundsCounter | None = None,
) -> Litestar:
    desk = desk or ReadingDesk(model, Streams(model.clock, model.bus))
    routes = [
        *probes(has_health=has_health),
        *match_routes(desk),
        *event_routes(),
        *export_routes(),
        *stream_routes(),
        *football_routes(),
        problem_type,
    ]
    # Who is shut out is cut off at once, and not with the next heartbeat.
    entry.on_change(desk.streams.newest.wake_all)
    lists = MatchLists(desk)
    return Litestar(
        route_handlers=[
            *routes,
            console_router(OpsBoard(model, epoch=token_hex(4), rounds=rounds.desk if rounds else None), model),
            *([admin_router(admin)] if admin is not None else []),
            *([push_router(push)] if push is not None else []),
            *([rounds_router(rounds)] if rounds is not None else []),
            *entry.routers,
        ],
        dependencies={
            "model": Provide(lambda: model, sync_to_thread=False),
            "reads": Provide(lambda: desk, sync_to_thread=False),
            "lists": Provide(lambda: lists, sync_to_thread=False),
        },
        exception_handlers=dict(HANDLERS),
        before_request=require_json_accepted,
        middleware=[entry.door.before, shortcut(desk)],
        openapi_config=OpenAPIConfig(
            title="Longstop",
            version=model.instance.version,
            description=_DESCRIPTION,
            openapi_router=Router(
                "/schema", route_handlers=[], opt=PUBLIC, include_in_schema=False, before_request=require_document
            ),
            render_plugins=[JsonDocument(path=["/", "/openapi.json"]), YamlDocument(path="/openapi.yaml")],
        ),
        logging_config=None,
        request_max_body_size=_BODY_BYTES_MAX,
        debug=False,
    )
