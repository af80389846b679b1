"""Who plays: the line-up as a coach names it, and as somebody guesses it days before."""

from random import Random

from msgspec import Struct

from longstop_origin.football.people import Club, Player

FORMATIONS = ("4-3-3", "4-2-3-1", "4-4-2", "3-5-2", "3-4-3", "4-1-4-1", "5-3-2")
BENCH = (7, 10)
ABSENT_MAX = 3
ABSENCES = (("missing", "Knee Injury"), ("missing", "Suspended"), ("missing", "Illness"), ("doubtful", "Muscle Injury"))


class Absence(Struct, frozen=True):
    player: Player
    kind: str
    reason: str


class Sheet(Struct, frozen=True):
    """`starters` begin with the goalkeeper and go forward."""

    formation: str
    starters: tuple[Player, ...]
    bench: tuple[Player, ...]
    captain: int
    missing: tuple[Absence, ...] = ()


def picked(club: Club, rng: Random) -> Sheet:
    formation = rng.choice(FORMATIONS)
    fit = list(club.players)
    rng.shuffle(fit)
    missing = tuple(_absence(fit, rng) for _ in range(rng.randint(0, ABSENT_MAX)))
    starters = tuple(player for position, count in _lines(formation) for player in _take(fit, position, count))
    keeper = _take(fit, "G", 1)
    rest = [player for player in fit if player.position != "G"]
    bench = (*keeper, *rest[: rng.randint(*BENCH)])
    return Sheet(formation, starters, bench, rng.choice(starters[1:]).id, missing)


def guessed(sheet: Sheet, rng: Random) -> Sheet:
    """One to three of the eleven are wrong, and who is not fit is not known yet."""
    starters, bench = list(sheet.starters), list(sheet.bench)
    for _ in range(rng.randint(1, 3)):
        place, seat = rng.randrange(1, len(starters)), rng.randrange(1, len(bench))
        starters[place], bench[seat] = bench[seat], starters[place]
    return Sheet(sheet.formation, tuple(starters), tuple(bench), starters[1].id, sheet.missing[:1])


def _lines(formation: str) -> tuple[tuple[str, int], ...]:
    back, *middle, front = map(int, formation.split("-"))
    return ("G", 1), ("D", back), ("M", sum(middle)), ("F", front)


def _take(fit: list[Player], position: str, count: int) -> list[Player]:
    taken = [player for player in fit if player.position == position][:count]
    fit[:] = [player for player in fit if player not in taken]
    return taken


def _absence(fit: list[Player], rng: Random) -> Absence:
    """Never a goalkeeper: two of three are needed."""
    player = next(player for player in fit if player.position in "DM")
    fit.remove(player)
    return Absence(player, *rng.choice(ABSENCES))
