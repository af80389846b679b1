"""The verbs of /admin that are about sources."""

from typing import Annotated, Final

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import PathParameter
from msgspec import Struct

from longstop.serve.admin import Asked, Desk, Done, Verbs, problems_of
from longstop.serve.entry.rules import ADMIN

_OF_A_SOURCE: Final = problems_of((404, "No such source."), (409, "It is so already."), (504, "Too slow."))
SourceName = Annotated[str, PathParameter(description="As GET /admin/sources has it.", max_length=64)]


class SourceView(Struct, frozen=True):
    source: str
    is_on: bool
    matches: int


class SourceList(Struct, frozen=True):
    sources: list[SourceView]


@get("/sources", opt=ADMIN, summary="The sources that can be watched, and which are on", responses=problems_of())
async def sources(verbs: Verbs) -> SourceList:
    return SourceList([SourceView(*each) for each in verbs.sources()])


@post("/sources/{source:str}/enable", opt=ADMIN, status_code=200, summary="Ask a source", responses=_OF_A_SOURCE)
async def enable_source(desk: Desk, verbs: Verbs, request: Asked, source: SourceName) -> Done:
    await desk.does("enable source", verbs.switch_source(source, is_on=True), request, subject=source)
    return Done("enable source")


@post("/sources/{source:str}/disable", opt=ADMIN, status_code=200, summary="Ask it no more", responses=_OF_A_SOURCE)
async def disable_source(desk: Desk, verbs: Verbs, request: Asked, source: SourceName) -> Done:
    await desk.does("disable source", verbs.switch_source(source, is_on=False), request, subject=source)
    return Done("disable source")


def source_verbs() -> list[HTTPRouteHandler]:
    return [sources, enable_source, disable_source]
