"""A season: who meets whom in which round, when, and what became of it."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from msgspec import Struct

from longstop_origin.football.people import FIRST_NAMES, LAST_NAMES, TOWNS

CLUBS = 20
FIRST_KEY = 270_001
FIRST_CLUB = 262
GROUNDS = ("Arena", "Park", "Stadium", "Ground")
MATCH_SECONDS = 7_200.0
ROUND_SECONDS = 3.5 * 86_400.0

Report = dict[str, Any]


class Fixture(Struct, frozen=True):
    """`kicks_off` None: it has no date. `listed_in` is the round that shows it, which need not be its own."""

    key: int
    round: int
    home: str
    away: str
    kicks_off: float | None
    listed_in: int
    report: Report


class SeasonOptions(Struct, frozen=True):
    """`played` rounds lie behind `now`; of every `put_off_every` later matches one has lost its date, and of every
    `moved_every` one stands in a later round."""

    seed: int = 1
    season: int = 2026
    competition: str = "serie-a"
    now: float = 0.0
    played: int = 38
    put_off_every: int = 0
    moved_every: int = 0


class Season:
    def __init__(self, options: SeasonOptions, fixtures: Sequence[Fixture]) -> None:
        self.options = options
        self.by_key = {fixture.key: fixture for fixture in fixtures}
        self.rounds = max((fixture.listed_in for fixture in fixtures), default=0)

    @classmethod
    def invented(cls, options: SeasonOptions, clubs: int = CLUBS) -> "Season":
        names = _club_names(options.seed, clubs)
        pairs = list(_double_round_robin(names))
        return cls(options, list(_fixtures(options, pairs, _invented_report)))

    @classmethod
    def of_reports(cls, options: SeasonOptions, rounds: dict[str, list[Report]]) -> "Season":
        """A season that was saved by somebody: reports by round."""
        told = [
            (int(number), report["clubs"]["home"], report["clubs"]["away"], report)
            for number in sorted(rounds, key=int)
            for report in rounds[number]
        ]
        pairs = [(number, home, away) for number, home, away, _ in told]
        reports = iter([report for *_, report in told])
        return cls(options, list(_fixtures(options, pairs, lambda *_: next(reports))))

    def listed(self, number: int) -> list[Fixture]:
        return [fixture for fixture in self.by_key.values() if fixture.listed_in == number]


def _club_names(seed: int, clubs: int) -> list[str]:
    towns = list(TOWNS)
    Random(f"{seed}:clubs").shuffle(towns)
    return towns[:clubs]


def _double_round_robin(names: list[str]) -> Iterator[tuple[int, str, str]]:
    """Everybody meets everybody at home and away; one stays, the others go round."""
    turning, half = names[1:], len(names) - 1
    for number in range(2 * half):
        shift = number % half
        circle = [names[0], *turning[shift:], *turning[:shift]]
        for place in range(len(names) // 2):
            home, away = circle[place], circle[-1 - place]
            is_turned = (number >= half) ^ (place == 0 and number % 2 == 1)
            yield (number + 1, away, home) if is_turned else (number + 1, home, away)


def _fixtures(options: SeasonOptions, pairs: Sequence[tuple[int, str, str]], report_of: Any) -> Iterator[Fixture]:
    for place, (number, home, away) in enumerate(pairs):
        begins = options.now + (number - options.played - 0.5) * ROUND_SECONDS
        kicks_off: float | None = begins - begins % 1800 + 1800.0 * (place % 8)
        listed_in = number
        is_later = number > options.played
        if is_later and options.put_off_every and place % options.put_off_every == 0:
            kicks_off = None
        elif is_later and options.moved_every and place % options.moved_every == 0:
            listed_in = number + 2
        chance = Random(f"{options.seed}:{place}")
        yield Fixture(FIRST_KEY + place, number, home, away, kicks_off, listed_in, report_of(chance, home, away))


def _invented_report(chance: Random, home: str, away: str) -> Report:
    squads = {"home": _squad(chance), "away": _squad(chance)}
    goals = {side: _scorers(chance, squads[side]) for side in squads}
    cards = {side: _cards(chance, squads[side]) for side in squads}
    return {
        "clubs": {"home": home, "away": away},
        "goals": {side: str(sum(len(row["gols"]) for row in rows)) for side, rows in goals.items()},
        "goalsPlayer": goals,
        "cards": cards,
        "coach": {"home": _name(chance), "away": _name(chance)},
        "formation": {"home": "4-3-3", "away": "4-4-2"},
        "stadium": f"{home} {chance.choice(GROUNDS)}",
        "squads": squads,
        "stats": list(_stats(chance, goals, cards)),
    }


def _name(chance: Random) -> str:
    return f"{chance.choice(FIRST_NAMES)} {chance.choice(LAST_NAMES)}"


def _squad(chance: Random) -> list[Report]:
    names: set[str] = set()
    while len(names) < 18:
        names.add(_name(chance))
    positions = ("Goleiro", *("Zagueiro",) * 4, *("Meio-campo",) * 3, *("Atacante",) * 3)
    return [
        {
            "player": name,
            "number": str(number),
            "position": positions[number - 1] if number <= 11 else "Atacante",
            "starter": number <= 11,
        }
        for number, name in enumerate(sorted(names), start=1)
    ]


def _scorers(chance: Random, squad: list[Report]) -> list[Report]:
    minutes: dict[str, list[str]] = {}
    for _ in range(chance.choices((0, 1, 2, 3, 4), (30, 34, 22, 10, 4))[0]):
        mark = chance.choices(("", " (P)", " (GC)"), (88, 9, 3))[0]
        added = chance.randint(1, 6) if chance.random() < 0.1 else 0
        minute = f"90+{added}'" if added else f"{chance.randint(1, 90)}'"
        minutes.setdefault(chance.choice(squad[:11])["player"], []).append(minute + mark)
    return [{"player": name, "gols": told} for name, told in minutes.items()]


def _cards(chance: Random, squad: list[Report]) -> Report:
    def drawn(most: int, weight: float) -> list[Report]:
        told = [row for row in chance.sample(squad[:11], most) if chance.random() < weight]
        return [
            {
                "player": row["player"],
                "number": row["number"],
                "position": row["position"],
                "time": f"{chance.randint(5, 90)}'",
            }
            for row in told
        ]

    return {"yellow": drawn(4, 0.5), "red": drawn(1, 0.08)}


def _stats(chance: Random, goals: Report, cards: Report) -> Iterator[Report]:
    on_target = {side: sum(len(row["gols"]) for row in rows) + chance.randint(1, 5) for side, rows in goals.items()}
    share = chance.randint(32, 68)
    yield {"stat": "Chutes", **{side: str(value + chance.randint(2, 9)) for side, value in on_target.items()}}
    yield {"stat": "Chutes a gol", **{side: str(value) for side, value in on_target.items()}}
    yield {"stat": "Posse de bola", "home": f"{share}%", "away": f"{100 - share}%"}
    for name, key in (("Cartões amarelos", "yellow"), ("Cartões vermelhos", "red")):
        yield {"stat": name, **{side: str(len(told[key])) for side, told in cards.items()}}
    for name, low, high in (("Passes", 250, 650), ("Faltas", 6, 22), ("Impedimentos", 0, 6), ("Escanteios", 0, 12)):
        yield {"stat": name, "home": str(chance.randint(low, high)), "away": str(chance.randint(low, high))}
