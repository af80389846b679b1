"""Competitions, clubs and players, invented from a seed: the same seed, the same world."""

from collections.abc import Iterator
from random import Random

from msgspec import Struct

from longstop_origin.naming import short_name, slug

CLUBS_PER_COMPETITION = 16
SQUAD = "GGG" + "D" * 8 + "M" * 8 + "F" * 5
FIRST_CLUB, FIRST_PLAYER, FIRST_TOURNAMENT = 2001, 300_001, 41
AVERAGE_SPREAD = 0.28

COUNTRIES = (
    ("Aldavia", "AL", "aldavia"),
    ("Brunmark", "BR", "brunmark"),
    ("Corvia", "CO", "corvia"),
    ("Estmora", "ES", "estmora"),
    ("Ferland", "FE", "ferland"),
    ("Ilvany", "IL", "ilvany"),
)
LEAGUES = ("Premier Division", "Primera", "Cup", "Second Division", "Serie A", "League One")
TOWNS = (
    *("Ashmere", "Brackwell", "Calder Vale", "Dunmoor", "Elmstead", "Fairlight", "Grenholm", "Harrowby", "Inverlow"),
    *("Jorvale", "Kestrel Bay", "Lindmark", "Marlow Quay", "Norfell", "Oakhaven", "Penrose", "Quillan", "Redcastle"),
    *("Stavern", "Thornby", "Ulverton", "Valmora", "Westray", "Yarrow", "Zellhof", "São Mateo", "Öland", "Châtelac"),
)
ENDINGS = ("United", "City", "Rovers", "Athletic", "FC", "Wanderers", "Sporting", "Albion")
FIRST_NAMES = (
    *("Adam", "Bruno", "Carlos", "Dario", "Emil", "Felix", "Gareth", "Hugo", "Iker", "Jonas", "Kofi", "Luca", "Mateo"),
    *("Nils", "Oscar", "Pavel", "Quentin", "Rafael", "Samir", "Tomás", "Umar", "Viktor", "Will", "Yann", "Zoran"),
)
LAST_NAMES = (
    *("Abara", "Bergström", "Castell", "Duarte", "Ekdal", "Ferrant", "Girard", "Halloran", "Ibáñez", "Jensen", "Kovač"),
    *("Lindqvist", "Moreau", "Novak", "Okafor", "Pereira", "Quist", "Rossi", "Sandoval", "Tamm", "Ullman", "Vargas"),
    *("Whitlock", "Xavier", "Yilmaz", "Zeller", "Ashdown", "Brandt", "Correia", "Dvořák", "Eriksen", "Fontaine"),
)


class Country(Struct, frozen=True):
    name: str
    code: str
    slug: str


class Player(Struct, frozen=True):
    """`average` is what he was rated this season, 1 to 10. `position` is one of G, D, M, F."""

    id: int
    name: str
    position: str
    shirt: int
    country: Country
    average: float


class Club(Struct, frozen=True):
    id: int
    name: str
    country: Country
    players: tuple[Player, ...]

    @property
    def slug(self) -> str:
        return slug(self.name)

    @property
    def code(self) -> str:
        return short_name(self.name)[:3]


class Competition(Struct, frozen=True):
    id: int
    name: str
    country: Country
    season_id: int
    season: str
    clubs: tuple[Club, ...]


def competitions(seed: int, count: int, season: str) -> Iterator[Competition]:
    for number in range(count):
        rng = Random(f"{seed}:competition:{number}")
        country = Country(*COUNTRIES[number % len(COUNTRIES)])
        name = f"{country.name} {LEAGUES[number // len(COUNTRIES) % len(LEAGUES)]}"
        first = number * CLUBS_PER_COMPETITION
        names = _club_names(rng)
        clubs = tuple(_club(first + place, names[place], country, rng) for place in range(CLUBS_PER_COMPETITION))
        yield Competition(FIRST_TOURNAMENT + number, name, country, 70_000 + number, season, clubs)


def _club_names(rng: Random) -> list[str]:
    towns = rng.sample(TOWNS, CLUBS_PER_COMPETITION)
    return [f"{town} {rng.choice(ENDINGS)}" for town in towns]


def _club(ordinal: int, name: str, country: Country, rng: Random) -> Club:
    shirts = rng.sample(range(1, 50), len(SQUAD))
    players = tuple(
        _player(FIRST_PLAYER + ordinal * len(SQUAD) + place, position, shirts[place], rng)
        for place, position in enumerate(SQUAD)
    )
    return Club(FIRST_CLUB + ordinal, name, country, players)


def _player(number: int, position: str, shirt: int, rng: Random) -> Player:
    return Player(
        id=number,
        name=f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}",
        position=position,
        shirt=shirt,
        country=Country(*rng.choice(COUNTRIES)),
        average=round(min(max(rng.gauss(6.85, AVERAGE_SPREAD), 5.5), 8.6), 2),
    )
