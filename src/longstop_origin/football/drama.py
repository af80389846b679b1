"""Invents what happens in a match: chance draws when, and who was on the pitch decides by whom."""

from random import Random

from msgspec import Struct

from longstop_origin.football.people import Player
from longstop_origin.football.play import AWAY, CARD, GOAL, HOME, SIDES, SUBSTITUTION, VIDEO, Happening, Play
from longstop_origin.football.sheets import Sheet

GOALS = {HOME: 1.5, AWAY: 1.15}
CARDS, REDS, VIDEOS = 1.9, 0.04, 0.08
CHANGES = (3, 5)
PENALTIES, OWN_GOALS, ASSISTS = 0.1, 0.04, 0.7
SCORING = {"G": 0.0, "D": 1.0, "M": 3.0, "F": 6.0}
LATE_SECONDS, PAUSE_SECONDS = (0, 180), (14 * 60, 17 * 60)

Slot = tuple[int, int, str, str]


class Pitch:
    """Who is on it, who may still come, and who was booked."""

    def __init__(self, sheet: Sheet, rng: Random) -> None:
        self.playing = list(sheet.starters)
        self.waiting = [player for player in sheet.bench if player.position != "G"]
        self.booked: set[int] = set()
        self._came: set[int] = set()
        self._rng = rng

    @property
    def outfield(self) -> list[Player]:
        return [player for player in self.playing if player.position != "G"]

    def scorer(self) -> Player:
        weights = [SCORING[player.position] for player in self.outfield]
        return self._rng.choices(self.outfield, weights)[0]

    def mate(self, scorer: Player) -> Player:
        return self._rng.choice([player for player in self.playing if player != scorer])

    def change(self) -> tuple[Player, Player] | None:
        """Who comes and who goes."""
        tired = [player for player in self.outfield if player.id not in self._came]
        if not self.waiting or not tired:
            return None
        gone, coming = self._rng.choice(tired), self.waiting.pop(0)
        self.playing[self.playing.index(gone)] = coming
        self._came.add(coming.id)
        return coming, gone

    def book(self, player: Player) -> str:
        if player.id in self.booked:
            self.playing.remove(player)
            return "yellowRed"
        self.booked.add(player.id)
        return "yellow"

    def send_off(self, player: Player) -> str:
        self.playing.remove(player)
        return "red"


class Stage(Struct, frozen=True):
    pitches: dict[str, Pitch]
    rng: Random


def played_out(home: Sheet, away: Sheet, rng: Random) -> Play:
    added = (rng.randint(0, 5), rng.randint(2, 8))
    stage = Stage({HOME: Pitch(home, rng), AWAY: Pitch(away, rng)}, rng)
    found = (_happening(slot, stage) for slot in _slots(added, rng))
    return Play(
        late=rng.randint(*LATE_SECONDS),
        added=added,
        pause=rng.randint(*PAUSE_SECONDS),
        happenings=tuple(each for each in found if each is not None),
    )


def _slots(added: tuple[int, int], rng: Random) -> list[Slot]:
    """No two in one second, so that their order is never in doubt."""
    drawn = [
        (*_when(kind, added, rng), kind, side)
        for side in SIDES
        for kind, count in _counts(side, rng)
        for _ in range(count)
    ]
    taken: dict[tuple[int, int], Slot] = {}
    for half, second, kind, side in drawn:
        free = second
        while (half, free) in taken:
            free += 1
        taken[half, free] = (half, free, kind, side)
    return [taken[moment] for moment in sorted(taken)]


def _counts(side: str, rng: Random) -> tuple[tuple[str, int], ...]:
    return (
        (GOAL, _poisson(GOALS[side], rng)),
        (CARD, _poisson(CARDS, rng)),
        ("red", int(rng.random() < REDS)),
        (SUBSTITUTION, rng.randint(*CHANGES)),
        (VIDEO, int(rng.random() < VIDEOS)),
    )


def _when(kind: str, added: tuple[int, int], rng: Random) -> tuple[int, int]:
    if kind == SUBSTITUTION:
        return 2, rng.randint(0, 42 * 60)
    half = 1 if rng.random() < 0.46 else 2
    return half, rng.randint(20, 45 * 60 + 60 * added[half - 1] - 40)


def _poisson(mean: float, rng: Random) -> int:
    count, left = 0, rng.expovariate(1)
    while left < mean:
        count, left = count + 1, left + rng.expovariate(1)
    return count


def _happening(slot: Slot, stage: Stage) -> Happening | None:
    half, second, kind, side = slot
    own = stage.pitches[side]
    if kind == GOAL:
        return _goal(half, second, side, stage)
    if kind == SUBSTITUTION:
        change = own.change()
        return change and Happening(half, second, kind, side, *change)
    player = stage.rng.choice(own.outfield)
    if kind == VIDEO:
        return Happening(half, second, kind, side, player, detail="goalNotAwarded")
    detail = own.send_off(player) if kind == "red" else own.book(player)
    return Happening(half, second, CARD, side, player, detail=detail)


def _goal(half: int, second: int, side: str, stage: Stage) -> Happening:
    own, rng = stage.pitches[side], stage.rng
    if rng.random() < OWN_GOALS:
        other = stage.pitches[AWAY if side == HOME else HOME]
        return Happening(half, second, GOAL, side, rng.choice(other.outfield), detail="ownGoal")
    scorer = own.scorer()
    if rng.random() < PENALTIES:
        return Happening(half, second, GOAL, side, scorer, detail="penalty")
    assisted = own.mate(scorer) if rng.random() < ASSISTS else None
    return Happening(half, second, GOAL, side, scorer, assisted)
