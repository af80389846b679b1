"""The statistics call: figures that grow with the match and agree with its goals and cards."""

from collections.abc import Callable
from random import Random

from msgspec import Struct

from longstop_origin.football.fixture import Fixture
from longstop_origin.football.play import AWAY, CARD, GOAL, HOME, Play
from longstop_origin.football.standing import seconds_played, standing
from longstop_origin.football.wire import Item

FIRST_AFTER_SECONDS = 60
PERIODS = {1: "1ST", 2: "2ND"}
# What a half comes to, from and to.
RANGES = {
    "off": (1, 6),
    "blocked": (0, 4),
    "saved": (0, 4),
    "corners": (0, 6),
    "fouls": (3, 10),
    "offsides": (0, 3),
    "passes": (120, 320),
}


class Half(Struct, frozen=True):
    """One team in one half, or both halves added."""

    goals: int
    saved: int
    off: int
    blocked: int
    corners: int
    fouls: int
    offsides: int
    passes: int
    accurate: int
    yellows: int
    xg: float
    share: int

    @property
    def on_target(self) -> int:
        return self.goals + self.saved

    @property
    def shots(self) -> int:
        return self.on_target + self.off + self.blocked


def statistics_answer(fixture: Fixture, at: float) -> Item | None:
    """None before the first minute is over."""
    now = standing(fixture, at)
    play = fixture.story.play
    if not now.has_begun or now.offset < play.half_begins(1) + FIRST_AFTER_SECONDS:
        return None
    halves = {half: _half(fixture, half, now.offset) for half in (1, 2) if now.offset > play.half_begins(half)}
    parts = [{"period": "ALL", "groups": _groups(_added(list(halves.values())))}]
    parts += [{"period": PERIODS[half], "groups": _groups(sides)} for half, sides in halves.items()]
    return {"statistics": parts}


Sides = tuple[Half, Half]


def _half(fixture: Fixture, half: int, offset: float) -> Sides:
    rng = Random(f"{fixture.id}:{half}:figures")
    share = rng.randint(34, 66)
    progress = seconds_played(fixture.story.play, offset)[half - 1] / fixture.story.play.half_seconds(half)
    home, away = (
        _side(fixture.story.play, (half, side), offset, progress, (rng, part))
        for side, part in ((HOME, share), (AWAY, 100 - share))
    )
    return home, away


def _side(play: Play, place: tuple[int, str], offset: float, progress: float, chance: tuple[Random, int]) -> Half:
    rng, share = chance
    grown = {name: int(rng.randint(*span) * progress) for name, span in RANGES.items()}
    accuracy, quality = rng.uniform(0.7, 0.9), rng.uniform(0.2, 1.1)
    happened = [each for each in play.until(offset) if (each.half, each.side) == place]
    return Half(
        goals=sum(each.kind == GOAL for each in happened),
        yellows=sum(each.kind == CARD and each.detail == "yellow" for each in happened),
        accurate=int(grown["passes"] * accuracy),
        xg=round(quality * progress, 2),
        share=share,
        **grown,
    )


def _added(halves: list[Sides]) -> Sides:
    home, away = (_sum([sides[place] for sides in halves]) for place in (0, 1))
    share = round(sum(sides[0].share for sides in halves) / len(halves))
    return _with_share(home, share), _with_share(away, 100 - share)


def _sum(parts: list[Half]) -> Half:
    names = Half.__struct_fields__
    return Half(**{name: round(sum(getattr(part, name) for part in parts), 2) for name in names})


def _with_share(half: Half, share: int) -> Half:
    return Half(**{name: getattr(half, name) for name in Half.__struct_fields__ if name != "share"}, share=share)


def _groups(sides: Sides) -> list[Item]:
    overview = [
        _line("Ball possession", sides, lambda half: half.share, lambda half: f"{half.share}%"),
        _line("Expected goals", sides, lambda half: half.xg, lambda half: f"{half.xg:.2f}"),
        _count("Total shots", sides, lambda half: half.shots),
        _count("Goalkeeper saves", sides[::-1], lambda half: half.saved),
        _count("Corner kicks", sides, lambda half: half.corners),
        _count("Fouls", sides, lambda half: half.fouls),
        _count("Yellow cards", sides, lambda half: half.yellows),
    ]
    shots = [
        _count("Total shots", sides, lambda half: half.shots),
        _count("Shots on target", sides, lambda half: half.on_target),
        _count("Shots off target", sides, lambda half: half.off),
        _count("Blocked shots", sides, lambda half: half.blocked),
    ]
    passes = [
        _count("Passes", sides, lambda half: half.passes),
        _line("Accurate passes", sides, lambda half: half.accurate, _passed),
        _count("Offsides", sides, lambda half: half.offsides),
    ]
    named = (("Match overview", overview), ("Shots", shots), ("Passes", passes))
    return [{"groupName": name, "statisticsItems": rows} for name, rows in named]


def _passed(half: Half) -> str:
    share = round(100 * half.accurate / half.passes) if half.passes else 0
    return f"{half.accurate}/{half.passes} ({share}%)"


def _count(name: str, sides: tuple[Half, ...], value: Callable[[Half], int]) -> Item:
    return _line(name, sides, value, lambda half: str(value(half)))


def _line(name: str, sides: tuple[Half, ...], value: Callable[[Half], float], text: Callable[[Half], str]) -> Item:
    home, away = sides
    first, second = value(home), value(away)
    return {
        "name": name,
        "home": text(home),
        "away": text(away),
        "compareCode": 1 if first > second else 2 if first < second else 3,
        "statisticsType": "positive",
        "valueType": "event",
        "homeValue": first,
        "awayValue": second,
    }
