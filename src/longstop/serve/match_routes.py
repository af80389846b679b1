"""The addresses of matches: lists, one match whole, its last states and what changed between them."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from litestar import Request, Response, get
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import ResponseSpec
from litestar.params import QueryParameter, SkipValidation
from msgspec import Struct, field

from longstop.domain.match import MatchStatus
from longstop.serve import wire
from longstop.serve.answers import Answer, answer_of, answer_of_fields
from longstop.serve.desk import ReadingDesk
from longstop.serve.entry.rules import READ
from longstop.serve.freshness import HEADERS, KnownMatch, age_of
from longstop.serve.lists import MatchLists, Wanted, place_of
from longstop.serve.matches import match_body
from longstop.serve.parameters import (
    CURSOR_MAX,
    ERRORS,
    ERRORS_OF_CURSORS,
    ERRORS_OF_ONE,
    AsOf,
    MatchId,
    moment_of,
    require_key,
)
from longstop.serve.snapshots import CachedSnapshot, State, delta

MATCH_INFO: Final = "/cricket-data/match-info/{match_id:str}"
LIST_MAX: Final = 1_000
LIST_AS_OF_MAX: Final = 100

Reads = NamedDependency[SkipValidation[ReadingDesk]]
Lists = NamedDependency[SkipValidation[MatchLists]]
Asked = Request[Any, Any, Any]
FRESH: Final = [ResponseHeader(name=name, description=text, documentation_only=True) for name, text in HEADERS.items()]
NOT_MODIFIED: Final = {304: ResponseSpec(None, generate_examples=False, description="As whoever asks has it already.")}


class SnapshotList(Struct, frozen=True):
    match_id: str = field(name="matchId")
    snapshots: list[CachedSnapshot]
    metadata: wire.Metadata = field(name="_metadata")


@get(
    "/cricket-data/matches",
    opt=READ,
    tags=["matches"],
    summary="Matches, by status and source, the most urgent first",
    response_headers=FRESH,
    responses=ERRORS | ERRORS_OF_CURSORS | NOT_MODIFIED,
)
async def list_matches(
    lists: Lists,
    request: Asked,
    status: Annotated[MatchStatus | None, QueryParameter(description="Only matches in this status.")] = None,
    source: Annotated[str | None, QueryParameter(max_length=64, description="Only matches of this source.")] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=LIST_MAX, description="At most this many.")] = 200,
    after: Annotated[str | None, QueryParameter(max_length=400, description="`next_after` of the last page.")] = None,
    as_of: AsOf = None,
) -> Response[wire.MatchList]:
    if source is not None:
        require_key("source", source)
    moment = moment_of("as_of", as_of)
    most = limit if moment is None else min(limit, LIST_AS_OF_MAX)
    answer = await lists.answer(Wanted(status, source, most, place_of("after", after), moment))
    return answer.to(request)


def match_info_route(reads: ReadingDesk) -> HTTPRouteHandler:
    """Asked for more than all others together, so it is handed its desk once and not with each request."""

    @get(
        MATCH_INFO,
        opt=READ,
        tags=["matches"],
        summary="One match, whole",
        response_headers=FRESH,
        responses=ERRORS_OF_ONE | NOT_MODIFIED,
    )
    async def match_info(request: Asked, match_id: MatchId, as_of: AsOf = None) -> Response[wire.MatchInfo]:
        if as_of is not None:
            return await _info_as_of(reads, request, match_id, as_of)
        return reads.answers.now(match_id, await reads.remembered(match_id), request.scope)

    return match_info


async def _info_as_of(reads: ReadingDesk, request: Asked, match_id: str, as_of: str) -> Response[Any]:
    known = await reads.known(match_id, moment_of("as_of", as_of))
    body = match_body(known, reads.model)
    parts = {name: getattr(body, name) for name in body.__struct_fields__}
    return answer_of(wire.MatchInfo(**parts, metadata=reads.metadata(known)), age_of(known, reads.model)).to(request)


@get(
    "/cricket-data/matches/{match_id:str}/snapshots",
    opt=READ,
    tags=["deltas"],
    summary="The last states of a match in the unified schema, with sequence, origin and checksum",
    response_headers=FRESH,
    responses=ERRORS_OF_ONE | NOT_MODIFIED,
)
async def match_snapshots(reads: Reads, request: Asked, match_id: MatchId) -> Response[SnapshotList]:
    known = await reads.known(match_id)
    found = [reads.snapshots.snapshot(known, state) for state in reads.snapshots.states(known)]
    return answer_of(SnapshotList(match_id, found, reads.metadata(known)), age_of(known, reads.model)).to(request)


@get(
    "/cricket-data/matches/{match_id:str}/delta",
    opt=READ,
    tags=["deltas"],
    summary="What changed since a sequence number, or since the state before; everything when that is not known",
    response_headers=FRESH,
    responses=ERRORS_OF_ONE | NOT_MODIFIED,
)
async def match_delta(
    reads: Reads,
    request: Asked,
    match_id: MatchId,
    since: Annotated[
        int, QueryParameter(ge=0, le=CURSOR_MAX, description="A `sequence_number` you have; 0 is the state before.")
    ] = 0,
) -> Response[dict[str, Any]]:
    known = await reads.known(match_id)
    states = reads.snapshots.states(known)
    if not states:
        return _told(reads, known, {"_diff_type": "initial", "match_id": match_id}).to(request)
    current, previous = states[-1], _before(states, since)
    changed = delta(
        reads.snapshots.payload(known, current),
        None if previous is None else reads.snapshots.payload(known, previous),
    )
    return _told(reads, known, changed).to(request)


def _told(reads: ReadingDesk, known: KnownMatch, fields: dict[str, Any]) -> Answer:
    return answer_of_fields(fields, reads.metadata(known), age_of(known, reads.model))


def _before(states: Sequence[State], since: int) -> State | None:
    """The state with that number, if it is still held; without a number the one before the newest."""
    if not since:
        return states[-2] if len(states) > 1 else None
    return next((state for state in states if state.sequence == since), None)


def match_routes(reads: ReadingDesk) -> list[HTTPRouteHandler]:
    return [list_matches, match_info_route(reads), match_snapshots, match_delta]
