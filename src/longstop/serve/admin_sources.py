"""The verbs of /admin that are about sources."""

from typing import Annotated, Final

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import PathParameter
from msgspec import Meta, Struct, field

from longstop.serve.admin import Asked, Desk, Done, Verbs, problems_of
from longstop.serve.entry.rules import ADMIN

_OF_A_SOURCE: Final = problems_of(
    (404, "No such source; the known ones are named."), (409, "It is so already."), (504, "Too slow.")
)
_TO_ENABLE: Final = _OF_A_SOURCE | problems_of((422, "It needs settings that it has not; `errors` lists them."))
SourceName = Annotated[str, PathParameter(description="As GET /admin/sources has it.", max_length=64)]


class SourceView(Struct, frozen=True, omit_defaults=True):
    """`needs` says what must be set before it can be switched on."""

    source: Annotated[str, Meta(examples=["crex"])]
    is_on: bool
    matches: Annotated[int, Meta(description="Watched now.", examples=[42])]
    needs: list[str] = field(default_factory=list)


class SourceList(Struct, frozen=True):
    sources: list[SourceView]


@get(
    "/sources",
    opt=ADMIN,
    summary="Every source, and whether it is on",
    responses=problems_of(),
)
async def sources(verbs: Verbs) -> SourceList:
    return SourceList([SourceView(*each) for each in verbs.sources()])


@post(
    "/sources/{source:str}/enable",
    opt=ADMIN,
    status_code=200,
    summary="Ask a source",
    responses=_TO_ENABLE,
)
async def enable_source(desk: Desk, verbs: Verbs, request: Asked, source: SourceName) -> Done:
    await desk.does("enable source", verbs.switch_source(source, is_on=True), request, subject=source)
    return Done("enable source")


@post("/sources/{source:str}/disable", opt=ADMIN, status_code=200, summary="Ask it no more", responses=_OF_A_SOURCE)
async def disable_source(desk: Desk, verbs: Verbs, request: Asked, source: SourceName) -> Done:
    await desk.does("disable source", verbs.switch_source(source, is_on=False), request, subject=source)
    return Done("disable source")


def source_verbs() -> list[HTTPRouteHandler]:
    return [sources, enable_source, disable_source]
