"""The addresses of what is made from the whole record: scorecard and files."""

import asyncio
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter

from longstop.serve.answers import Answer, headers_of, tag_of
from longstop.serve.desk import ReadingDesk, address_of
from longstop.serve.entry.rules import READ
from longstop.serve.exports.cricsheet import cricsheet_json
from longstop.serve.exports.people import People
from longstop.serve.exports.tables import csv_text, parquet_bytes
from longstop.serve.freshness import age_of, iso_or_none
from longstop.serve.match_routes import FRESH, NOT_MODIFIED, Asked, Reads
from longstop.serve.naming import NameBook
from longstop.serve.negotiation import best_of, leave_to_route
from longstop.serve.parameters import ERRORS_OF_ONE, AsOf, MatchId, moment_of, problems
from longstop.serve.problems import NOT_INSTALLED, ApiError, bad_parameter
from longstop.serve.recollection import WHOLE_SECONDS
from longstop.serve.scorecard import Scorecard, scorecard
from longstop.serve.whole import WholeMatch, whole_match


class FileKind(StrEnum):
    CRICSHEET = "cricsheet"
    CSV = "csv"
    PARQUET = "parquet"


_MEDIA: Final = {
    FileKind.CRICSHEET: ("application/json", "json"),
    FileKind.CSV: ("text/csv", "csv"),
    FileKind.PARQUET: ("application/vnd.apache.parquet", "parquet"),
}


@get(
    "/cricket-data/matches/{match_id:str}/scorecard",
    opt=READ,
    tags=["matches"],
    summary="Batting, bowling, extras and the fall of wickets, added up from the balls",
    response_headers=FRESH,
    responses=ERRORS_OF_ONE | NOT_MODIFIED,
)
async def match_scorecard(reads: Reads, request: Asked, match_id: MatchId, as_of: AsOf = None) -> Response[Scorecard]:
    moment = moment_of("as_of", as_of)
    known = await reads.known(match_id, moment)

    async def build() -> Scorecard:
        whole = await whole_match(reads, known, moment)
        names = NameBook(reads.model.names(known.row.ref.source))
        return scorecard(whole, names, reads.metadata(known), iso_or_none(moment))

    return (await reads.answer(request, known, build, WHOLE_SECONDS)).to(request)


@get(
    "/cricket-data/matches/{match_id:str}/export",
    opt=READ,
    tags=["exports"],
    summary="The whole match as a file: Cricsheet JSON 1.1, CSV or Parquet",
    before_request=leave_to_route,
    response_headers=FRESH,
    responses=ERRORS_OF_ONE
    | NOT_MODIFIED
    | problems((501, "Parquet is not installed here."))
    | {200: ResponseSpec(bytes, generate_examples=False, description="The file.", media_type="application/json")},
)
async def match_export(
    reads: Reads,
    request: Asked,
    match_id: MatchId,
    told: Annotated[
        FileKind | None,
        QueryParameter(name="format", description="cricsheet, csv or parquet; without it what `Accept` likes best."),
    ] = None,
    as_of: AsOf = None,
) -> Response[Any]:
    _require_meant(request, told)
    kind = _kind_of(request, told)
    moment = moment_of("as_of", as_of)
    known = await reads.known(match_id, moment)
    whole = await reads.recollection.asked(lambda: whole_match(reads, known, moment), WHOLE_SECONDS)
    body, said = await asyncio.to_thread(_file, kind, whole, reads, reads.model.clock.now())
    media, ending = _MEDIA[kind]
    media = f"{media}; charset=utf-8" if kind is FileKind.CSV else media
    tag = tag_of(kind.encode(), said)
    headers = headers_of(age_of(known, reads.model), tag, is_degraded=known.is_degraded)
    headers["content-disposition"] = f'attachment; filename="{match_id}.{ending}"'
    answer = Answer(body, headers, tag, media_type=media)
    return reads.dated(address_of(request), answer).to(request)


def _require_meant(request: Asked, told: FileKind | None) -> None:
    """The framework takes the word `null` for nothing."""
    if told is None and "format" in request.query_params:
        raise bad_parameter("format", f"must be one of {', '.join(kind.value for kind in FileKind)}")


def _kind_of(request: Asked, told: FileKind | None) -> FileKind:
    """What is asked for by its name must be accepted as well."""
    offered = {_MEDIA[kind][0]: kind for kind in FileKind if told in (None, kind)}
    return offered[best_of(request, list(offered))]


def _file(kind: FileKind, whole: WholeMatch, reads: ReadingDesk, now: datetime) -> tuple[bytes, bytes]:
    """The file, and all that its tag is made from. Not on the loop: a Test has thousands of balls."""
    people = People(whole, NameBook(reads.model.names(whole.known.row.ref.source)))
    if kind is FileKind.CRICSHEET:
        return cricsheet_json(whole, people, now)
    body = csv_text(whole, people) if kind is FileKind.CSV else _parquet(whole, people)
    return body, body


def _parquet(whole: WholeMatch, people: People) -> bytes:
    try:
        return parquet_bytes(whole, people)
    except ImportError:
        raise ApiError(NOT_INSTALLED, "Parquet cannot be written here; csv and cricsheet can.") from None


def export_routes() -> list[HTTPRouteHandler]:
    return [match_scorecard, match_export]
