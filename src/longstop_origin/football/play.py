"""A match as it will have been: each goal, card and change with its second, all known beforehand."""

from collections.abc import Iterator

from msgspec import Struct

from longstop_origin.football.people import Player

HALF_SECONDS = 45 * 60
GOAL, CARD, SUBSTITUTION, VIDEO = "goal", "card", "substitution", "varDecision"
HOME, AWAY = "home", "away"
SIDES = (HOME, AWAY)


class Happening(Struct, frozen=True):
    """`second` counts from the start of its half. `other` is who assisted, or who goes off for `player`."""

    half: int
    second: int
    kind: str
    side: str
    player: Player
    other: Player | None = None
    detail: str = "regular"

    @property
    def minute(self) -> int:
        """As people count: the first minute is 1, and no half has more than 45."""
        return min(self.second // 60 + 1, 45) + 45 * (self.half - 1)

    @property
    def added(self) -> int | None:
        over = self.second // 60 + 1 - 45
        return over if over > 0 else None


class Play(Struct, frozen=True):
    """`late` is how many seconds after the announced kickoff it began; `added` are the minutes on top of each half."""

    late: int
    added: tuple[int, int]
    pause: int
    happenings: tuple[Happening, ...]

    def half_seconds(self, half: int) -> int:
        return HALF_SECONDS + 60 * self.added[half - 1]

    def half_begins(self, half: int) -> int:
        """In seconds after the announced kickoff."""
        return self.late if half == 1 else self.late + self.half_seconds(1) + self.pause

    def half_ends(self, half: int) -> int:
        return self.half_begins(half) + self.half_seconds(half)

    @property
    def ends(self) -> int:
        return self.half_ends(2)

    def offset(self, happening: Happening) -> int:
        return self.half_begins(happening.half) + happening.second

    def until(self, offset: float) -> Iterator[Happening]:
        return (each for each in self.happenings if self.offset(each) <= offset)

    def score(self, offset: float, half: int | None = None) -> tuple[int, int]:
        sides = [each.side for each in self.until(offset) if each.kind == GOAL and (half is None or each.half == half)]
        return sides.count(HOME), sides.count(AWAY)
