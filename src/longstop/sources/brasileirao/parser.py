"""The site's payloads as values. Pure: bytes in, values out."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec

from longstop.domain.errors import MalformedPayloadError, SchemaBreakError
from longstop.domain.football import (
    Club,
    FootballEvent,
    Incident,
    IncidentKind,
    LineUps,
    MatchReport,
    Measure,
    Person,
    Phase,
    Side,
    SideScore,
    SquadPlayer,
    TeamSheet,
    Winner,
)
from longstop.domain.rounds import RoundListing
from longstop.sources.brasileirao import shapes

HERE = ZoneInfo("America/Sao_Paulo")
ROUND_SCHEMA = "brasileirao.round.v1"
MATCH_SCHEMA = "brasileirao.match.v1"
_PHASES = {
    "agendado": Phase.NOT_STARTED,
    "em andamento": Phase.IN_PLAY,
    "intervalo": Phase.HALF_TIME,
    "encerrado": Phase.FINISHED,
    "adiado": Phase.POSTPONED,
    "cancelado": Phase.CANCELLED,
    "suspenso": Phase.INTERRUPTED,
    "interrompido": Phase.ABANDONED,
    "w.o.": Phase.AWARDED,
}
_MINUTE = re.compile(r"\s*(\d{1,3})(?:\s*\+\s*(\d{1,2}))?\s*'?\s*(?:\((P|GC)\))?\s*,?\s*", re.ASCII)
_GOALS = {"P": "penalty", "GC": "ownGoal", None: ""}
_NUMBER = re.compile(r"-?\d{1,7}(?:[.,]\d{1,3})?", re.ASCII)
# The words of the house for what is counted; what is not among them keeps its own.
_MEASURES = {
    "Chutes": "Total shots",
    "Chutes a gol": "Shots on target",
    "Posse de bola": "Ball possession",
    "Passes": "Passes",
    "Precisão de passe": "Pass accuracy",
    "Faltas": "Fouls",
    "Cartões amarelos": "Yellow cards",
    "Cartões vermelhos": "Red cards",
    "Impedimentos": "Offsides",
    "Escanteios": "Corner kicks",
}
_YEARLESS = re.compile(r"\d{1,2}/\d{1,2}", re.ASCII)
_LIVE_LABEL = "tempo real"
_PERIOD = "ALL"


def read_round(rows: tuple[shapes.RoundRow, ...]) -> tuple[FootballEvent, ...]:
    return tuple(_event_of_row(row) for row in rows)


def listings(rows: tuple[shapes.RoundRow, ...]) -> tuple[RoundListing, ...]:
    return tuple(
        RoundListing(
            key=str(row.id),
            title=f"{row.equipes.mandante.nome_popular} v {row.equipes.visitante.nome_popular}",
            url=row.transmissao.url if row.transmissao else "",
            kickoff_at=_kickoff_of_row(row),
        )
        for row in rows
    )


def _event_of_row(row: shapes.RoundRow) -> FootballEvent:
    home, away = row.placar_oficial_mandante, row.placar_oficial_visitante
    phase = _phase_of_row(row)
    return FootballEvent(
        key=str(row.id),
        home=_club(row.equipes.mandante),
        away=_club(row.equipes.visitante),
        phase=phase,
        stage=phase.stage,
        kickoff=_kickoff_of_row(row),
        home_score=SideScore(current=home, penalties=row.placar_penaltis_mandante),
        away_score=SideScore(current=away, penalties=row.placar_penaltis_visitante),
    )


def _phase_of_row(row: shapes.RoundRow) -> Phase:
    """The list has no status: a score that is official is one, unless the match is still followed as it is played."""
    is_live = row.transmissao is not None and _LIVE_LABEL in row.transmissao.label.lower()
    if row.placar_oficial_mandante is not None and row.placar_oficial_visitante is not None:
        return Phase.IN_PLAY if is_live else Phase.FINISHED
    return Phase.IN_PLAY if row.jogo_ja_comecou else Phase.NOT_STARTED


def _club(team: shapes.Team) -> Club:
    return Club(str(team.id), team.nome_popular)


def _kickoff_of_row(row: shapes.RoundRow) -> datetime | None:
    if row.data_realizacao is None:
        return None
    text = row.data_realizacao
    if "T" not in text and row.hora_realizacao:
        text = f"{text}T{row.hora_realizacao}"
    try:
        return datetime.fromisoformat(text).replace(tzinfo=HERE).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise MalformedPayloadError(f"{text[:40]!r} is no date of a match.") from error


def read_match(body: shapes.MatchBody, key: str, phase: Phase) -> MatchReport:
    home, away = _goals(body.goals.home), _goals(body.goals.away)
    event = FootballEvent(
        key=key,
        home=Club(f"{key}-home", body.clubs.home),
        away=Club(f"{key}-away", body.clubs.away),
        phase=phase,
        stage=phase.stage,
        kickoff=_kickoff_of_match(body),
        home_score=SideScore(current=home),
        away_score=SideScore(current=away),
        winner=_winner(home, away) if phase.is_played_out else None,
    )
    return MatchReport(
        event=event,
        incidents=tuple(incidents_of(body)),
        lineups=_lineups(body),
        statistics=tuple(_measures(body.stats)),
    )


def phase_of(status: str) -> Phase:
    return _PHASES.get(status.strip().lower().replace("_", " "), Phase.UNKNOWN)


def _goals(text: str) -> int | None:
    if not text.strip():
        return None
    if not (text.strip().isascii() and text.strip().isdigit() and len(text.strip()) <= 3):
        raise SchemaBreakError(
            f"It breaks {MATCH_SCHEMA}: {text[:20]!r} is no number of goals.", contract=MATCH_SCHEMA, wrong=("goals",)
        )
    return int(text)


def _winner(home: int | None, away: int | None) -> Winner | None:
    if home is None or away is None:
        return None
    return Winner.DRAW if home == away else Winner.HOME if home > away else Winner.AWAY


def _kickoff_of_match(body: shapes.MatchBody) -> datetime | None:
    """`09/04/22` or `09/04/2022`, and `16:30`, as clocks show it there. Without its year a day is no date."""
    if not body.date or _YEARLESS.fullmatch(body.date.strip()):
        return None
    text, hour = body.date.strip(), (body.hour or "00:00").strip()
    for pattern in ("%d/%m/%y %H:%M", "%d/%m/%Y %H:%M"):
        try:
            return datetime.strptime(f"{text} {hour}", pattern).replace(tzinfo=HERE).astimezone(UTC)
        except ValueError:
            continue
    raise MalformedPayloadError(f"{text[:20]!r} {hour[:10]!r} is no date of a match.")


def incidents_of(body: shapes.MatchBody) -> list[Incident]:
    """Goals and cards in the order of their minutes."""
    told = [
        *_goals_of(Side.HOME, body.goals_player.home),
        *_goals_of(Side.AWAY, body.goals_player.away),
        *_cards_of(Side.HOME, body.cards.home),
        *_cards_of(Side.AWAY, body.cards.away),
    ]
    return sorted(told, key=lambda row: (row.minute or 0, row.added or 0))


def _goals_of(side: Side, rows: Iterable[shapes.ScorerRow]) -> Iterator[Incident]:
    for row in rows:
        for text in row.gols:
            minute, added, mark = _minute(text)
            player = Person("", row.player)
            yield Incident(IncidentKind.GOAL, minute=minute, added=added, side=side, detail=_GOALS[mark], player=player)


def _cards_of(side: Side, cards: shapes.CardsOfSide) -> Iterator[Incident]:
    for colour, rows in (("yellow", cards.yellow), ("red", cards.red)):
        for row in rows:
            minute, added, _ = _minute(row.time)
            player = Person("", row.player)
            yield Incident(IncidentKind.CARD, minute=minute, added=added, side=side, detail=colour, player=player)


def _minute(text: str) -> tuple[int, int | None, str | None]:
    found = _MINUTE.fullmatch(text)
    if found is None:
        raise SchemaBreakError(
            f"It breaks {MATCH_SCHEMA}: {text[:20]!r} is no minute.", contract=MATCH_SCHEMA, wrong=("minute",)
        )
    return int(found[1]), int(found[2]) if found[2] else None, found[3]


def _lineups(body: shapes.MatchBody) -> LineUps | None:
    if body.squads is None or not (body.squads.home and body.squads.away):
        return None
    formation = body.formation or shapes.Sides("", "")
    home = _sheet(Side.HOME, body.squads.home, formation.home)
    return LineUps(is_confirmed=True, home=home, away=_sheet(Side.AWAY, body.squads.away, formation.away))


def _sheet(side: Side, rows: Iterable[shapes.PlayerRow], formation: str) -> TeamSheet:
    return TeamSheet(
        tuple(
            SquadPlayer(
                Person(f"{side.value}-{row.number or row.player}", row.player),
                is_substitute=not row.starter,
                position=row.position or "",
                shirt=int(row.number) if row.number and row.number.isascii() and row.number.isdigit() else None,
            )
            for row in rows
        ),
        formation=formation,
    )


def _measures(rows: Iterable[shapes.StatRow]) -> Iterator[Measure]:
    for row in rows:
        home, away = row.home or "", row.away or ""
        yield Measure(_PERIOD, _MEASURES.get(row.stat, row.stat), home, away, _value(home), _value(away))


def _value(text: str) -> float | None:
    found = _NUMBER.match(text.strip())
    return float(found[0].replace(",", ".")) if found else None


def decoded(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedPayloadError(f"It is no JSON: {str(error)[:120]}.") from error
