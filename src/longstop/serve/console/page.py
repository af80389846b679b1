"""The routes of the operations page: its files, the board by stream or by question, and the dossier of a match."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import PathParameter, QueryParameter, SkipValidation
from litestar.response import Stream
from litestar.router import Router

from longstop.domain.errors import InputError
from longstop.domain.match import require_safe_key
from longstop.serve.console.board import Frame, OpsBoard
from longstop.serve.console.bookmarks import BOOKMARK_CHARS_MAX, bookmark_of
from longstop.serve.console.dossier import dossier_of
from longstop.serve.console.stream import Streams
from longstop.serve.entry.rules import PUBLIC, READ, quietly
from longstop.serve.entry.visit import reader_of, visit_of
from longstop.serve.problems import UNKNOWN_MATCH, ApiError, bad_parameter
from longstop.serve.reading import ReadModel
from longstop.serve.streaming.frames import MEDIA_TYPE

_FILES: Final = Path(__file__).parent / "static"
_MEDIA: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_PAGE: Final = "index.html"
_ICON: Final = "favicon.svg"

Ops = NamedDependency[SkipValidation[OpsBoard]]
Model = NamedDependency[SkipValidation[ReadModel]]
_Request = Request[Any, Any, Any]


def console_router(ops: OpsBoard, model: ReadModel) -> Router:
    streams = Streams(ops, model)
    return Router(
        path="/",
        route_handlers=[*_file_routes(), ops_board, ops_stream, ops_match],
        dependencies={
            "ops": Provide(lambda: ops, sync_to_thread=False),
            "streams": Provide(lambda: streams, sync_to_thread=False),
        },
        include_in_schema=False,
    )


def _file_routes() -> list[HTTPRouteHandler]:
    """Only what lies in the folder is served, read once when the application is made."""
    routes = [_file_route(f"/console/{file.name}", file) for file in sorted(_FILES.iterdir())]
    page = [_file_route(address, _FILES / _PAGE) for address in ("/", "/match/{match_id:str}")]
    icons = [_file_route(address, _FILES / _ICON) for address in ("/favicon.svg", "/favicon.ico")]
    return [*page, *icons, *routes]


def _file_route(address: str, file: Path) -> HTTPRouteHandler:
    body = file.read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    media = _MEDIA[file.suffix]

    @get(address, opt=quietly(PUBLIC), media_type=media, name=f"file {address}", sync_to_thread=False)
    def serve_file(request: _Request) -> Response[bytes]:
        if tag in request.headers.get("if-none-match", ""):
            return Response(b"", status_code=304, headers=headers, media_type=media)
        return Response(body, headers=headers, media_type=media)

    return serve_file


@get("/ops/board", opt=quietly(READ), media_type=MediaType.JSON)
async def ops_board(ops: Ops, after: Annotated[str, QueryParameter(max_length=BOOKMARK_CHARS_MAX)] = "") -> Frame:
    """For pages that cannot have a stream: one frame, after the bookmark of the last."""
    return await ops.frame(bookmark_of(after))


@get("/ops/stream", opt=quietly(READ), media_type=MEDIA_TYPE)
async def ops_stream(
    request: _Request,
    streams: NamedDependency[SkipValidation[Streams]],
    after: Annotated[str, QueryParameter(max_length=BOOKMARK_CHARS_MAX)] = "",
) -> Response[Any]:
    """A browser that comes back by itself says in a header how far it was; a page that does, in the query."""
    bookmark = bookmark_of(request.headers.get("last-event-id", "") or after)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    if request.scope.get("state", {}).get("is_head"):
        return Response(b"", media_type=MEDIA_TYPE, headers=headers)
    frames = streams.stream(bookmark, visit_of(request.scope).is_let_in, reader_of(request.scope))
    return Stream(frames, media_type=MEDIA_TYPE, headers=headers)


@get("/ops/matches/{match_id:str}", opt=quietly(READ), media_type=MediaType.JSON)
async def ops_match(
    request: _Request, ops: Ops, model: Model, match_id: Annotated[str, PathParameter(max_length=129)]
) -> Response[bytes]:
    _require_match_id(match_id)
    row = ops.row_of(match_id)
    dossier = await dossier_of(model, match_id, row.n if row is not None else 0)
    if dossier is None:
        raise ApiError(UNKNOWN_MATCH, f"No match has the id {match_id}.")
    body = msgspec.json.encode(dossier)
    tag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers, media_type=MediaType.JSON)
    return Response(body, headers=headers, media_type=MediaType.JSON)


def _require_match_id(match_id: str) -> None:
    for part in match_id.split("_", 1):
        try:
            require_safe_key(part)
        except InputError as error:
            raise bad_parameter("match_id", error.hint) from None
