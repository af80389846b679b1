"""The site's answers as types: strict on what is used, silent on the rest."""

import msgspec


class Team(msgspec.Struct, frozen=True):
    id: int
    nome_popular: str
    sigla: str = ""


class Teams(msgspec.Struct, frozen=True):
    mandante: Team
    visitante: Team


class Ground(msgspec.Struct, frozen=True):
    nome_popular: str | None = None


class Broadcast(msgspec.Struct, frozen=True):
    label: str = ""
    url: str = ""


class RoundRow(msgspec.Struct, frozen=True):
    """One match in the list of its round. Without a date both times are null."""

    id: int
    data_realizacao: str | None
    hora_realizacao: str | None
    placar_oficial_mandante: int | None
    placar_oficial_visitante: int | None
    equipes: Teams
    placar_penaltis_mandante: int | None = None
    placar_penaltis_visitante: int | None = None
    sede: Ground | None = None
    transmissao: Broadcast | None = None
    jogo_ja_comecou: bool | None = None


class Sides(msgspec.Struct, frozen=True):
    home: str
    away: str


class ScorerRow(msgspec.Struct, frozen=True):
    """`gols` are minutes as text: `75'`, `90+6' (P)` a penalty, `7' (GC)` an own goal, told with who it counts for."""

    player: str
    gols: tuple[str, ...]


class Scorers(msgspec.Struct, frozen=True):
    home: tuple[ScorerRow, ...] = ()
    away: tuple[ScorerRow, ...] = ()


class CardRow(msgspec.Struct, frozen=True):
    player: str
    time: str
    position: str | None = None
    number: str | None = None


class CardsOfSide(msgspec.Struct, frozen=True):
    yellow: tuple[CardRow, ...] = ()
    red: tuple[CardRow, ...] = ()


class Cards(msgspec.Struct, frozen=True):
    home: CardsOfSide = CardsOfSide()
    away: CardsOfSide = CardsOfSide()


class StatRow(msgspec.Struct, frozen=True):
    stat: str
    home: str | None
    away: str | None


class PlayerRow(msgspec.Struct, frozen=True):
    player: str
    number: str | None = None
    position: str | None = None
    starter: bool = True


class Squads(msgspec.Struct, frozen=True):
    home: tuple[PlayerRow, ...] = ()
    away: tuple[PlayerRow, ...] = ()


class MatchBody(msgspec.Struct, frozen=True):
    """A match as a report tells it: also one of a whole season that was saved as one file, where nothing says which
    match it is but its teams."""

    clubs: Sides
    goals: Sides
    goals_player: Scorers = msgspec.field(name="goalsPlayer")
    cards: Cards
    stats: tuple[StatRow, ...]
    date: str | None = None
    hour: str | None = None
    stadium: str | None = None
    formation: Sides | None = None
    coach: Sides | None = None
    squads: Squads | None = None


class MatchAnswer(MatchBody, frozen=True, kw_only=True):
    """The same, told by the site itself."""

    id: int
    status: str
    round: int
