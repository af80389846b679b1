"""What will go wrong in a storm, drawn from its seed before it begins. docs/storm.md is the fault budget in words.

Each family of faults has a stream of chance of its own, so that leaving one out changes nothing of the others.
"""

from collections.abc import Iterator, Sequence
from random import Random

from msgspec import Struct

from longstop_origin.storm.timeline import Jump

SOURCE, BROWSER, DISK, DATABASE, CLOCK, PROCESS = "source", "browser", "disk", "database", "clock", "process"
FAMILIES = (SOURCE, BROWSER, DISK, DATABASE, CLOCK, PROCESS)

CALM_FIRST_SECONDS = 15.0
STORM_SECONDS = 600.0
HOUR = 3600.0
# How many of the faults of disk and process come while the database is away, where they hurt.
TOGETHER = 0.6

KILL, POWER, STOP, FREEZE, CANCEL = "kill", "power", "stop", "freeze", "cancel"


class Spell(Struct, frozen=True):
    """A fault that lasts: from when until when, how much of what comes along it hits, and which match (None: all)."""

    kind: str
    begins: float
    ends: float
    share: float = 1.0
    place: int | None = None

    def covers(self, now: float) -> bool:
        return self.begins <= now < self.ends


class Blow(Struct, frozen=True):
    """Something that happens to the process: so many steps after a moment, or while it writes to its disk."""

    kind: str
    at: float
    steps: int
    lasts: float
    in_writing: bool = False


class Setting(Struct, frozen=True):
    """The world before anything goes wrong."""

    speed: float
    matches: int
    formats: tuple[str, ...]
    corrections: str
    has_browser: bool


class Plan(Struct, frozen=True):
    seed: int
    families: tuple[str, ...]
    setting: Setting
    seconds: float
    level: str
    spells: dict[str, tuple[Spell, ...]]
    blows: tuple[Blow, ...] = ()
    jumps: tuple[Jump, ...] = ()
    forgets: float = 0.0

    def spell(self, family: str, now: float, kinds: Sequence[str] = ()) -> Spell | None:
        """The first that covers this moment."""
        for spell in self.spells.get(family, ()):
            if spell.covers(now) and (not kinds or spell.kind in kinds):
                return spell
        return None

    def covering(self, family: str, now: float) -> Iterator[Spell]:
        return (spell for spell in self.spells.get(family, ()) if spell.covers(now))


SOURCE_KINDS = (
    "empty", "challenge", "poisoned", "foreign", "rollback", "truncated", "reset", "failing", "throttled", "hanging",
)  # fmt: skip
BROWSER_KINDS = ("dies", "hangs", "slow", "none to be had", "silent")
DATABASE_KINDS = ("down", "hanging", "slow", "busy", "unknown", "restart", "failover")
OUTAGES = ("down", "hanging", "restart", "failover")
DISK_KINDS = ("fails once", "fails", "full", "flip")
FORMATS = ("T20", "ODI", "Test", "T10", "The Hundred")


def plan_of(seed: int, only: Sequence[str] = ()) -> Plan:
    """`only` leaves out every other family; where the seed has none of these, they are taken all the same."""
    chance = Random(f"{seed}:plan")
    drawn = [family for family in FAMILIES if chance.random() < 0.6] or [chance.choice(FAMILIES)]
    families = tuple(family for family in drawn if not only or family in only) or tuple(only)
    seconds = STORM_SECONDS * (1.5 if chance.random() < 0.1 else 1.0)
    setting = _setting(chance)
    level = chance.choice(("none", "mild", "mild", "storm"))
    forgets = chance.choice((0.0, 0.0, 0.15))
    return Plan(
        seed=seed,
        families=families,
        setting=setting,
        seconds=seconds,
        level=level if SOURCE in families else "none",
        spells={family: _spells(seed, family, seconds, setting) for family in families if family in _KINDS},
        blows=_blows(seed, seconds, setting) if PROCESS in families else (),
        jumps=_jumps(seed, seconds) if CLOCK in families else (),
        forgets=forgets if SOURCE in families else 0.0,
    )


def _setting(chance: Random) -> Setting:
    formats = tuple(chance.choice(FORMATS) for _ in range(chance.choice((0, 1, 1))))
    return Setting(
        speed=chance.choice((8.0, 15.0, 25.0, 40.0)),
        matches=1 if formats and chance.random() < 0.8 else 2,
        formats=formats,
        corrections=chance.choice(("none", "mild", "storm", "storm")),
        has_browser=chance.random() < 0.5,
    )


class _Kinds(Struct, frozen=True):
    """Which kinds a family has, how many spells of them, and how long they last."""

    kinds: tuple[str, ...]
    count: tuple[int, int]
    lasts: tuple[float, float]


_KINDS = {
    SOURCE: _Kinds(SOURCE_KINDS, (1, 6), (4.0, 45.0)),
    BROWSER: _Kinds(BROWSER_KINDS, (1, 4), (5.0, 60.0)),
    DATABASE: _Kinds(DATABASE_KINDS, (1, 5), (3.0, 70.0)),
    DISK: _Kinds(DISK_KINDS, (1, 3), (1.0, 30.0)),
}


def _spells(seed: int, family: str, seconds: float, setting: Setting) -> tuple[Spell, ...]:
    chance = Random(f"{seed}:{family}")
    wanted = _KINDS[family]
    places = setting.matches + len(setting.formats)
    outages = _outages(seed, seconds, setting) if family == DISK else ()
    spells = []
    for _ in range(chance.randint(*wanted.count)):
        lasts = chance.uniform(*wanted.lasts)
        begins = chance.uniform(CALM_FIRST_SECONDS, seconds - lasts)
        if outages and chance.random() < TOGETHER:
            begins = min(_within(chance, outages), seconds - lasts)
        place = chance.randrange(places) if chance.random() < 0.5 else None
        share = chance.choice((1.0, 1.0, 0.6, 0.3))
        spells.append(Spell(chance.choice(wanted.kinds), begins, begins + lasts, share, place))
    return tuple(spells)


def _outages(seed: int, seconds: float, setting: Setting) -> tuple[Spell, ...]:
    """When the database is away, and the spool is all there is. It is asked for though the family may be left out: so
    the others stay as they are."""
    return tuple(spell for spell in _spells(seed, DATABASE, seconds, setting) if spell.kind in OUTAGES)


def _within(chance: Random, outages: Sequence[Spell]) -> float:
    outage = chance.choice(outages)
    return chance.uniform(outage.begins + 1.0, outage.ends)


def _blows(seed: int, seconds: float, setting: Setting) -> tuple[Blow, ...]:
    """Kills come alone, or one after the other while the process is still recovering from the one before."""
    chance = Random(f"{seed}:{PROCESS}")
    outages = _outages(seed, seconds, setting)
    blows: list[Blow] = []
    for _ in range(chance.randint(1, 3)):
        at = chance.uniform(2.0, seconds - 100.0)
        if outages and chance.random() < TOGETHER:
            at = _within(chance, outages)
        for _ in range(chance.choice((1, 1, 2, 3))):
            kind = chance.choice((KILL, KILL, POWER, STOP, FREEZE, CANCEL, CANCEL))
            lasts = 90.0 if kind == FREEZE else chance.uniform(0.2, 5.0)
            blows.append(Blow(kind, at, chance.randrange(400), lasts, kind in (KILL, POWER) and chance.random() < 0.4))
            at += lasts
    blows += _blows_after_errors(chance, _spells(seed, DISK, seconds, setting))
    return tuple(sorted(blows, key=lambda blow: blow.at))


def _blows_after_errors(chance: Random, spells: Sequence[Spell]) -> Iterator[Blow]:
    """A disk that fails is often the beginning of the end of its machine."""
    for spell in spells:
        if spell.kind == "fails once" and chance.random() < 0.5:
            yield Blow(POWER, spell.begins + chance.uniform(2.0, 12.0), chance.randrange(400), chance.uniform(0.2, 5.0))


def _jumps(seed: int, seconds: float) -> tuple[Jump, ...]:
    """The clock is set, or summer time comes and goes; at the end it may stay wrong."""
    chance = Random(f"{seed}:{CLOCK}")
    moments = sorted(chance.uniform(CALM_FIRST_SECONDS, seconds) for _ in range(chance.randint(1, 3)))
    return tuple((at, chance.choice((-HOUR, HOUR, -HOUR, HOUR, 0.0, chance.uniform(-300, 300)))) for at in moments)
