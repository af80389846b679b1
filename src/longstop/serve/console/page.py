"""The routes of the page: three files, read once when the application is made, and the board they ask for."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Final

from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter, SkipValidation
from litestar.router import Router

from longstop.serve.console.board import BoardAnswer, OpsBoard
from longstop.serve.entry.rules import PUBLIC, READ, quietly

_FILES: Final = Path(__file__).parent / "static"
_MEDIA: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_ADDRESSES: Final = {
    "/": "index.html",
    "/console/console.css": "console.css",
    "/console/console.js": "console.js",
    "/console/rows.js": "rows.js",
    "/favicon.svg": "favicon.svg",
    "/favicon.ico": "favicon.svg",
}


def console_router(ops: OpsBoard) -> Router:
    handlers: list[HTTPRouteHandler] = [_file_route(address, _FILES / name) for address, name in _ADDRESSES.items()]
    return Router(
        path="/",
        route_handlers=[*handlers, ops_board],
        dependencies={"ops": Provide(lambda: ops, sync_to_thread=False)},
        include_in_schema=False,
    )


def _file_route(address: str, file: Path) -> HTTPRouteHandler:
    body = file.read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    media = _MEDIA[file.suffix]

    @get(address, opt=quietly(PUBLIC), media_type=media, name=f"file {address}", sync_to_thread=False)
    def serve_file(request: Request[Any, Any, Any]) -> Response[bytes]:
        if tag in request.headers.get("if-none-match", ""):
            return Response(b"", status_code=304, headers=headers, media_type=media)
        return Response(body, headers=headers, media_type=media)

    return serve_file


@get("/ops/board", opt=quietly(READ), media_type=MediaType.JSON)
async def ops_board(
    ops: NamedDependency[SkipValidation[OpsBoard]],
    after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
    epoch: Annotated[str, QueryParameter(max_length=32)] = "",
) -> BoardAnswer:
    return await ops.answer(after, epoch)
