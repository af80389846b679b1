"""Snapshot → values of the domain. Pure: the same bytes give the same answer, anywhere, at any time."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from longstop.clock import from_millis
from longstop.domain.challenges import is_markup
from longstop.domain.errors import EmptyPayloadError, ForeignPayloadError, MalformedPayloadError, MisfiledPayloadError
from longstop.domain.football import (
    Club,
    FootballEvent,
    Incident,
    IncidentKind,
    LineUps,
    Measure,
    Person,
    Side,
    SideScore,
    SquadPlayer,
    TeamSheet,
    Winner,
)
from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import Snapshot
from longstop.sources.sofascore import answers, shapes
from longstop.sources.sofascore.contracts import converted, schema_break
from longstop.sources.sofascore.families import Family, Part, recognised
from longstop.sources.sofascore.requests import SOURCE
from longstop.sources.sofascore.status import read_phase, read_stage

SPORT = "football"
_SECONDS_MAX = 253_402_300_799  # the last second that a calendar of four-digit years can tell
_SCORE_KEYS = frozenset(field.encode_name for field in msgspec.structs.fields(shapes.Score))
_WINNERS = {1: Winner.HOME, 2: Winner.AWAY, 3: Winner.DRAW}
_KINDS = {
    "period": IncidentKind.PERIOD,
    "goal": IncidentKind.GOAL,
    "card": IncidentKind.CARD,
    "substitution": IncidentKind.SUBSTITUTION,
    "injuryTime": IncidentKind.ADDED_TIME,
    "varDecision": IncidentKind.VIDEO_DECISION,
    "inGamePenalty": IncidentKind.MISSED_PENALTY,
    "penaltyShootout": IncidentKind.SHOOT_OUT,
}
_NO_ADDED_TIME = 999
_PATH_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,120}")


def parse_event(ref: MatchRef, snapshot: Snapshot) -> FootballEvent:
    """Raises MisfiledPayloadError for another match as well as for another kind of answer."""
    event = read_event(_expected(Family.EVENT, snapshot).content)
    if ref.key and event.key != ref.key:
        raise MisfiledPayloadError(f"The event is match {event.key}, not {ref.key}.", family=Family.EVENT.value)
    return event


def parse_incidents(snapshot: Snapshot) -> tuple[Incident, ...]:
    return read_incidents(_expected(Family.INCIDENTS, snapshot).content)


def parse_lineups(snapshot: Snapshot) -> LineUps:
    return read_lineups(_expected(Family.LINEUPS, snapshot).content)


def parse_statistics(snapshot: Snapshot) -> tuple[Measure, ...]:
    return read_statistics(_expected(Family.STATISTICS, snapshot).content)


def _expected(family: Family, snapshot: Snapshot) -> Part:
    content = decoded(snapshot.body)
    answers.require_no_error(content)
    part = recognised(content)
    if part is None:
        raise refuse_foreign(snapshot.body)
    if part.family is not family:
        raise misfiled(family, part.family)
    return part


def misfiled(wanted: Family, found: Family) -> MisfiledPayloadError:
    return MisfiledPayloadError(f"It is filed as {wanted.value} and is {found.value}.", family=found.value)


def decoded(body: bytes) -> object:
    """Anything that is not JSON is not an answer of the site at all, unless it begins like one."""
    if not body.strip():
        raise EmptyPayloadError("The answer is empty.")
    if is_markup(body):
        answers.require_no_challenge(body)
        raise refuse_foreign(body)
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if body.lstrip()[:1] in (b"{", b"["):
            raise MalformedPayloadError(f"The payload is not whole JSON: {error}.") from error
        raise refuse_foreign(body) from error
    if content is None or content in ({}, []):
        raise EmptyPayloadError("The answer holds nothing.")
    return content


def refuse_foreign(body: bytes) -> ForeignPayloadError:
    start = body[:40].decode("utf-8", "replace")
    return ForeignPayloadError(f"This is none of the payloads of {SOURCE}; it starts with {start!r}.")


def read_event(content: Mapping[str, Any]) -> FootballEvent:
    answer = converted(content, shapes.EventAnswer, Family.EVENT)
    _require_known_scores(content["event"], Family.EVENT, "event.")
    return event_of(answer.event)


def read_listed(row: object) -> FootballEvent:
    listed = converted(row, shapes.Listed, Family.EVENT_LIST)
    if isinstance(row, dict):
        _require_known_scores(row, Family.EVENT_LIST, "")
    return event_of(listed)


def _require_known_scores(row: Mapping[str, Any], family: Family, place: str) -> None:
    """An empty score is one that has not begun; a full one without a single key that is known was renamed inside."""
    for side in ("homeScore", "awayScore"):
        shown = row.get(side) or {}
        if shown and not shown.keys() & _SCORE_KEYS:
            raise schema_break(family, missing=(f"{place}{side}.current",))


def event_of(row: shapes.Listed) -> FootballEvent:
    sport = row.tournament.category.sport.slug
    if sport not in ("", SPORT):
        raise MisfiledPayloadError(f"Match {row.id} is {sport[:20]!r}, not {SPORT}.", family=sport[:20])
    return FootballEvent(
        key=str(row.id),
        home=Club(str(row.home.id), row.home.name),
        away=Club(str(row.away.id), row.away.name),
        phase=read_phase(row.status),
        stage=read_stage(row.status.type),
        kickoff=_moment(row.start),
        status=row.status.description or row.status.type,
        home_score=_score(row.home_score),
        away_score=_score(row.away_score),
        winner=_WINNERS.get(row.winner or 0),
        aggregated_winner=_WINNERS.get(row.aggregated_winner or 0),
        tournament=row.tournament.name,
        season=row.season.name if row.season else "",
        period_started_at=_moment_if(row.time.period_started),
        changed_at=_moment_if(row.changes.changed),
        half_minutes=row.half_minutes,
        page=_page(row),
    )


def _page(row: shapes.Listed) -> str:
    """Its path, from words that are safe in one. Empty where the site does not say."""
    if not (_PATH_WORD.fullmatch(row.slug or "") and _PATH_WORD.fullmatch(row.custom_id or "")):
        return ""
    return f"/football/match/{row.slug}/{row.custom_id}#id:{row.id}"


def _score(shown: shapes.Score) -> SideScore:
    later = (shown.period3, shown.period4)
    return SideScore(
        current=shown.current,
        display=shown.display,
        periods=(shown.period1, shown.period2, *(goals for goals in later if goals is not None)),
        normal_time=shown.normaltime,
        extra_periods=(shown.extra1, shown.extra2),
        extra_time=shown.overtime,
        penalties=shown.penalties,
        aggregated=shown.aggregated,
    )


def _moment(seconds: int) -> datetime:
    if not 0 <= seconds <= _SECONDS_MAX:
        raise MalformedPayloadError(f"{str(seconds)[:20]} is no moment in seconds since 1970.")
    return from_millis(seconds * 1000)


def _moment_if(seconds: int | None) -> datetime | None:
    """The site writes 0 for never."""
    return _moment(seconds) if seconds else None


def read_incidents(content: Mapping[str, Any]) -> tuple[Incident, ...]:
    rows = converted(content, shapes.IncidentsAnswer, Family.INCIDENTS).incidents
    missing = [f"incidents[{place}].{key}" for place, row in enumerate(rows) for key in _lacking(row)]
    if missing:
        raise schema_break(Family.INCIDENTS, missing=tuple(missing[:20]))
    return tuple(map(_incident, rows))


def _lacking(row: shapes.Incident) -> list[str]:
    """What a row of its kind cannot do without. Cards of the bench and old matches lack much else."""
    if row.kind not in ("goal", "substitution"):
        return []
    return [key for key, value in (("time", row.time), ("isHome", row.is_home)) if value is None]


def _incident(row: shapes.Incident) -> Incident:
    kind = _KINDS.get(row.kind, IncidentKind.OTHER)
    is_sub = kind is IncidentKind.SUBSTITUTION
    has_score = row.home_score is not None and row.away_score is not None
    is_counted = row.time is not None and row.time >= 0 and row.time != _NO_ADDED_TIME
    return Incident(
        kind=kind,
        key="" if row.id is None else str(row.id),
        minute=row.time if is_counted else None,
        added=row.added if row.added and row.added != _NO_ADDED_TIME else None,
        side=None if row.is_home is None else (Side.HOME if row.is_home else Side.AWAY),
        detail=row.detail or row.text or (row.kind if kind is IncidentKind.OTHER else ""),
        after=(row.home_score or 0, row.away_score or 0) if has_score else None,
        player=_person(row.player_in if is_sub else row.player),
        other=_person(row.player_out if is_sub else row.assist),
        countdown=row.countdown,
        seconds=row.seconds,
        sequence=row.sequence,
    )


def _person(told: shapes.Person | None) -> Person | None:
    if told is None or not (told.id or told.name):
        return None
    return Person("" if told.id is None else str(told.id), told.name)


def read_lineups(content: Mapping[str, Any]) -> LineUps:
    told = converted(content, shapes.LineUpsAnswer, Family.LINEUPS)
    missing = tuple(side for side, sheet in (("home", told.home), ("away", told.away)) if sheet is None)
    if len(missing) == 1 or (missing and told.confirmed):
        raise schema_break(Family.LINEUPS, missing=missing)
    return LineUps(told.confirmed, _sheet(told.home), _sheet(told.away))


def _sheet(told: shapes.TeamSheet | None) -> TeamSheet | None:
    if told is None:
        return None
    return TeamSheet(
        players=tuple(map(_squad_player, told.players)),
        formation=told.formation or "",
        missing=tuple(Person(str(row.player.id), row.player.name) for row in told.missing),
    )


def _squad_player(row: shapes.SquadPlayer) -> SquadPlayer:
    return SquadPlayer(
        person=Person(str(row.player.id), row.player.name),
        is_substitute=row.substitute,
        position=row.position or "",
        shirt=row.shirt,
        is_captain=row.captain,
        rating=row.statistics.rating,
        average=row.average,
        minutes=row.statistics.minutes,
    )


def read_statistics(content: Mapping[str, Any]) -> tuple[Measure, ...]:
    told = converted(content, shapes.StatisticsAnswer, Family.STATISTICS)
    return tuple(
        Measure(
            period=period.period,
            name=item.name,
            home=_text(item.home),
            away=_text(item.away),
            home_value=item.home_value,
            away_value=item.away_value,
            home_total=item.home_total,
            away_total=item.away_total,
        )
        for period in told.statistics
        for group in period.groups
        for item in group.items
    )


def _text(told: str | float) -> str:
    return told if isinstance(told, str) else f"{told:g}"
