"""The addresses of football before kickoff: the matches there are, and their line-ups as they were known."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import PathParameter, QueryParameter
from msgspec import Struct

from longstop.clock import age_seconds
from longstop.domain.football_record import FootballMatch, LineUpRecord
from longstop.serve.answers import Answer, headers_of, tag_of
from longstop.serve.desk import ReadingDesk, address_of
from longstop.serve.entry.rules import READ
from longstop.serve.freshness import Age, iso, iso_or_none
from longstop.serve.match_routes import FRESH, NOT_MODIFIED, Asked, Reads
from longstop.serve.parameters import ERRORS_OF_ONE, AsOf, moment_of
from longstop.serve.problems import NOT_FOUND, UNKNOWN_MATCH, ApiError
from longstop.store.football_contract import FootballReads

LIST_MAX: Final = 1_000
_NUMBER_MAX: Final = 2**53
_encode = msgspec.json.Encoder().encode
Number = Annotated[
    int, PathParameter(ge=-_NUMBER_MAX, le=_NUMBER_MAX, description="As /football/matches has it, as in 13400001.")
]


class FootballMatchBody(Struct, frozen=True):
    match_id: int
    source: str
    source_event_id: str
    home_team: str
    away_team: str
    kickoff_at: str
    told_at: str
    status: str
    tournament: str
    league_id: int | None
    season: int | None


class FootballMatchList(Struct, frozen=True):
    matches: list[FootballMatchBody]
    count: int


class TeamSheetBody(Struct, frozen=True):
    """`sheet` is in the form that `schema_version` names."""

    team_side: str
    snapshot_type: str
    captured_at: str
    kickoff_at: str
    schema_version: str
    formation: str
    is_confirmed: bool
    null_field_rate: float
    starters_missing: int
    flags: tuple[str, ...]
    sheet: dict[str, Any]


class FootballLineUps(Struct, frozen=True):
    """Each side's newest sheet first under `current`; `history` has every one that said something new."""

    match: FootballMatchBody
    as_of: str | None
    current: dict[str, TeamSheetBody]
    history: list[TeamSheetBody]


@get(
    "/football/matches",
    opt=READ,
    tags=["football"],
    summary="Football matches by their kickoff",
    response_headers=FRESH,
    responses=ERRORS_OF_ONE | NOT_MODIFIED,
)
async def football_matches(
    reads: Reads,
    request: Asked,
    kickoff_from: Annotated[
        str | None, QueryParameter(max_length=40, description="Kickoffs from this moment on, ISO 8601.")
    ] = None,
    kickoff_until: Annotated[
        str | None, QueryParameter(max_length=40, description="Kickoffs up to this moment, ISO 8601.")
    ] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=LIST_MAX, description="At most this many.")] = 200,
) -> Response[FootballMatchList]:
    begins, ends = moment_of("kickoff_from", kickoff_from), moment_of("kickoff_until", kickoff_until)
    store = _football(reads)
    found = await reads.recollection.asked(
        lambda: store.football_matches(kickoff_from=begins, kickoff_until=ends, limit=limit)
    )
    told = max((match.told_at for match in found), default=None)
    body = FootballMatchList([_match(match) for match in found], len(found))
    return _answer(reads, request, body, told).to(request)


@get(
    "/football/matches/{number:int}/lineups",
    opt=READ,
    tags=["football"],
    summary="Line-ups of a football match as they were known before kickoff, or at a moment",
    response_headers=FRESH,
    responses=ERRORS_OF_ONE | NOT_MODIFIED,
)
async def football_lineups(
    reads: Reads, request: Asked, number: Number, as_of: AsOf = None
) -> Response[FootballLineUps]:
    moment = moment_of("as_of", as_of)
    store = _football(reads)
    match = await reads.recollection.asked(lambda: store.football_match(number))
    if match is None:
        raise ApiError(UNKNOWN_MATCH, f"There is no football match {number}.")
    sheets = await reads.recollection.asked(lambda: store.line_ups(number, as_of=moment))
    told = max((sheet.captured_at for sheet in sheets), default=None)
    body = FootballLineUps(_match(match), iso_or_none(moment), _current(sheets), [_sheet(each) for each in sheets])
    return _answer(reads, request, body, told or match.told_at).to(request)


def _football(reads: ReadingDesk) -> FootballReads:
    if reads.model.football is None:
        raise ApiError(NOT_FOUND, "Football is not served here.")
    return reads.model.football


def _answer(reads: ReadingDesk, request: Asked, body: Struct, told: datetime | None) -> Answer:
    """As old as the newest that it says."""
    now = reads.model.clock.now()
    age = Age(told or now, 0.0 if told is None else age_seconds(now, told))
    written = _encode(body)
    tag = tag_of(written)
    return reads.dated(address_of(request), Answer(written, headers_of(age, tag, is_degraded=False), tag))


def _current(sheets: Sequence[LineUpRecord]) -> dict[str, TeamSheetBody]:
    """Confirmed ones before expected ones, then the newest."""
    ordered = sorted(sheets, key=lambda sheet: (sheet.is_confirmed, sheet.captured_at))
    return {sheet.side.value: _sheet(sheet) for sheet in ordered}


def _match(match: FootballMatch) -> FootballMatchBody:
    return FootballMatchBody(
        match_id=match.match_id,
        source=match.source,
        source_event_id=match.source_event_id,
        home_team=match.home_team,
        away_team=match.away_team,
        kickoff_at=iso(match.kickoff_at),
        told_at=iso(match.told_at),
        status=match.status,
        tournament=match.tournament,
        league_id=match.league_id,
        season=match.season,
    )


def _sheet(sheet: LineUpRecord) -> TeamSheetBody:
    return TeamSheetBody(
        team_side=sheet.side.value,
        snapshot_type=sheet.snapshot.value,
        captured_at=iso(sheet.captured_at),
        kickoff_at=iso(sheet.kickoff_at),
        schema_version=sheet.schema_version,
        formation=sheet.formation,
        is_confirmed=sheet.is_confirmed,
        null_field_rate=sheet.null_field_rate,
        starters_missing=sheet.starters_missing,
        flags=sheet.flags,
        sheet=sheet.sheet,
    )


def football_routes() -> list[HTTPRouteHandler]:
    return [football_matches, football_lineups]
