"""A saved payload, of whichever kind: what is it, and what does it say?"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from longstop.domain.challenges import is_markup
from longstop.domain.errors import MalformedPayloadError, MisfiledPayloadError, PayloadError, SchemaBreakError
from longstop.domain.football import FootballEvent, LineUps, MatchReport
from longstop.fetch.snapshot import Snapshot
from longstop.sources.contract import Reading
from longstop.sources.sofascore import answers, parser, shapes
from longstop.sources.sofascore.contracts import VERSIONS, converted
from longstop.sources.sofascore.families import Family, Part, parts_inside, recognised

_NAMED_AFTER = re.compile(
    r"(?:^|[^a-z])(events?|incidents|line-?ups|statistics)(?:[-_ ]?\d{1,12})?\.json$", re.IGNORECASE
)
_FILED_AS = {
    "event": {Family.EVENT, Family.EVENT_LIST},
    "events": {Family.EVENT_LIST},
    "incidents": {Family.INCIDENTS},
    "lineups": {Family.LINEUPS},
    "statistics": {Family.STATISTICS, Family.PLAYER_SEASON},
}
_SEARCHED_MAX = 200


def read(snapshot: Snapshot) -> Reading:
    if snapshot.body.strip() and is_markup(snapshot.body):
        return _read_page(snapshot)
    content = parser.decoded(snapshot.body)
    answers.require_no_error(content)
    part = recognised(content)
    if part is None:
        return _read_together(parts_inside(content), snapshot)
    _require_filed_right(part.family, snapshot)
    return _read_part(part)


def _require_filed_right(family: Family, snapshot: Snapshot) -> None:
    """The name under which somebody kept an answer is a claim, as good as the call that it was kept for."""
    found = _NAMED_AFTER.search(snapshot.request.url)
    claim = found[1].lower().replace("-", "") if found else ""
    wanted = _FILED_AS.get(claim)
    if wanted and family not in wanted:
        raise MisfiledPayloadError(f"It is filed as {claim} and is {family.value}.", family=family.value)


def _read_part(part: Part) -> Reading:
    schema = VERSIONS[part.family]
    if part.family is Family.EVENT_LIST:
        return _read_list(part.content["events"])
    if part.family.is_of_a_match:
        report = _with_part(MatchReport(), part)
        return Reading(part.family.value, football=report, schema=schema, notes=_notes(report.lineups))
    return Reading(part.family.value, digest=_DIGESTS[part.family](part.content), schema=schema)


def _with_part(report: MatchReport, part: Part) -> MatchReport:
    content = part.content
    if part.family is Family.EVENT:
        return msgspec.structs.replace(report, event=parser.read_event(content))
    if part.family is Family.INCIDENTS:
        return msgspec.structs.replace(report, incidents=parser.read_incidents(content))
    if part.family is Family.LINEUPS:
        return msgspec.structs.replace(report, lineups=parser.read_lineups(content))
    return msgspec.structs.replace(report, statistics=parser.read_statistics(content))


def _read_list(rows: list[object]) -> Reading:
    """One broken row costs that row. Where every row is broken it is the contract that is."""
    events, refused = _read_rows(rows)
    if refused and not events:
        raise next((error for error in refused if isinstance(error, SchemaBreakError)), refused[0])
    return Reading(
        Family.EVENT_LIST.value,
        football=MatchReport(events=tuple(events)),
        schema=VERSIONS[Family.EVENT_LIST],
        notes=tuple(error.message for error in refused),
    )


def _read_rows(rows: list[object]) -> tuple[list[FootballEvent], list[PayloadError]]:
    events: list[FootballEvent] = []
    refused: list[PayloadError] = []
    for row in rows:
        try:
            events.append(parser.read_listed(row))
        except PayloadError as error:
            refused.append(error)
    return events, refused


def _read_together(parts: list[Part], snapshot: Snapshot) -> Reading:
    """Answers about one match that were kept in one file have to agree with each other too."""
    of_match = [part for part in parts if part.family.is_of_a_match]
    if not of_match:
        if len(parts) == 1:
            return _read_part(parts[0])
        raise parser.refuse_foreign(snapshot.body)
    seen: dict[Family, Part] = {}
    report = MatchReport()
    for part in of_match:
        if part.family in seen and seen[part.family].content != part.content:
            raise MalformedPayloadError(f"The file holds more than one {part.family.value}.")
        if part.family not in seen:
            report = _with_part(report, part)
        seen[part.family] = part
    report = msgspec.structs.replace(report, listed=_listed(parts))
    kind = "bundle" if len(seen) > 1 else of_match[0].family.value
    return Reading(
        kind,
        football=report,
        schema=" ".join(VERSIONS[family] for family in seen),
        notes=_notes(report.lineups),
    )


def _listed(parts: list[Part]) -> tuple[FootballEvent, ...]:
    """A list that was saved beside a match is only held against it."""
    lists = [part.content["events"] for part in parts if part.family is Family.EVENT_LIST]
    return tuple(event for rows in lists for event in _read_rows(rows)[0])


def _notes(lineups: LineUps | None) -> tuple[str, ...]:
    """What whoever feeds a model wants to know before the rows."""
    if lineups is None:
        return ()
    told = (
        (not lineups.is_confirmed, "unconfirmed"),
        (not lineups.sheets, "empty"),
        (bool(lineups.starters_missing), f"xi_missing: {lineups.starters_missing}"),
        (not lineups.has_ratings, "no_ratings"),
    )
    return tuple(note for is_so, note in told if is_so)


def _read_page(snapshot: Snapshot) -> Reading:
    """A page of the site carries answers in its own state: those of a match, or of a tournament."""
    answers.require_no_challenge(snapshot.body)
    state = answers.page_state(snapshot.body)
    if not isinstance(state, dict):
        raise parser.refuse_foreign(snapshot.body)
    of_match = [part for part in parts_inside(state) if part.family.is_of_a_match]
    if of_match:
        return msgspec.structs.replace(_read_together(of_match, snapshot), kind="page")
    tournament, seasons = state.get("uniqueTournament"), state.get("seasons")
    if not isinstance(tournament, dict) or not isinstance(seasons, list):
        raise MisfiledPayloadError("It is a page of the site that carries no answer.", family="page")
    told = converted(
        {"uniqueTournamentSeasons": [{"uniqueTournament": tournament, "seasons": seasons}]},
        shapes.SeasonsAnswer,
        Family.SEASONS,
    )
    return Reading("page", digest=_seasons(told), schema=VERSIONS[Family.SEASONS])


def _seasons(told: shapes.SeasonsAnswer) -> dict[str, Any]:
    return {
        "tournaments": [
            {
                "key": str(row.tournament.id),
                "name": row.tournament.name,
                "seasons": [{"key": str(season.id), "name": season.name} for season in row.seasons],
            }
            for row in told.tournaments
        ]
    }


def _read_seasons(content: Mapping[str, Any]) -> dict[str, Any]:
    return _seasons(converted(content, shapes.SeasonsAnswer, Family.SEASONS))


def _read_search(content: Mapping[str, Any]) -> dict[str, Any]:
    told = converted(content, shapes.SearchAnswer, Family.SEARCH)
    return {"found": [{"type": row.type, **_named(row.entity)} for row in told.results[:_SEARCHED_MAX]]}


def _read_player(content: Mapping[str, Any]) -> dict[str, Any]:
    return {"player": _named(converted(content, shapes.PlayerAnswer, Family.PLAYER).player)}


def _read_player_match(content: Mapping[str, Any]) -> dict[str, Any]:
    told = converted(content, shapes.PlayerMatch, Family.PLAYER_MATCH)
    figures = told.statistics
    return {
        "player": _named(told.player),
        "team": _named(told.team),
        "rating": figures.rating,
        "minutes": figures.minutes,
    }


def _read_season(content: Mapping[str, Any]) -> dict[str, Any]:
    told = converted(content, shapes.SeasonFigures, Family.PLAYER_SEASON)
    return {"figures": {name: value for name, value in told.statistics.items() if isinstance(value, int | float)}}


def _named(told: shapes.Named) -> dict[str, str]:
    return {"key": str(told.id), "name": told.name}


_DIGESTS = {
    Family.PLAYER: _read_player,
    Family.PLAYER_MATCH: _read_player_match,
    Family.PLAYER_SEASON: _read_season,
    Family.SEARCH: _read_search,
    Family.SEASONS: _read_seasons,
}
