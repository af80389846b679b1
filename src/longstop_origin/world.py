"""All matches of the site on one clock. Every question says when it is asked; nothing here looks at a watch."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from longstop_origin.board import MatchBoard
from longstop_origin.codes import base36
from longstop_origin.corrections import with_corrections
from longstop_origin.fixture import Fixture
from longstop_origin.library import ScriptLibrary
from longstop_origin.script import MatchScript
from longstop_origin.slots import SlotOptions, Slots
from longstop_origin.timing import with_times

LONGEST_STALE_SECONDS = 60.0


class WorldOptions(Struct, frozen=True, kw_only=True):
    """`epoch` is when the world begins, in seconds since 1970; `matches` counts the invented ones besides `scripts`."""

    epoch: float
    seed: int = 0
    speed: float = 1.0
    matches: int = 0
    scripts: Sequence[MatchScript] = ()
    stagger_seconds: float = 0.0
    rolling: bool = True
    join_in_progress: bool = True
    corrections: str = "none"


class World:
    """Holds the matches and the state of each that somebody has asked for."""

    def __init__(self, options: WorldOptions) -> None:
        if not 1 <= options.speed <= 1000:
            raise ValueError(f"speed is {options.speed:g}. Choose one from 1 to 1000.")
        self.options = options
        self._library = ScriptLibrary(options.scripts)
        self._fixed = {fixture.key: fixture for fixture in self._place(options)}
        self._slots = Slots(_slot_options(options))
        self._boards: OrderedDict[tuple[str, bool], MatchBoard] = OrderedDict()
        self._frozen_at: float | None = None
        self._lag = 0.0

    @classmethod
    def from_scripts(
        cls,
        scripts: Sequence[MatchScript],
        *,
        epoch: float,
        speed: float = 1.0,
        seed: int = 0,
        corrections: str = "none",
    ) -> "World":
        """A world of these matches only, all starting at once."""
        return cls(WorldOptions(epoch=epoch, speed=speed, seed=seed, scripts=scripts, corrections=corrections))

    def _place(self, options: WorldOptions) -> Iterator[Fixture]:
        taken: set[str] = set()
        for number, script in enumerate(options.scripts):
            keyed = replace(script, key=_free_key(script.key, taken))
            taken.add(keyed.key)
            timed = keyed if keyed.end_seconds else with_times(keyed, options.seed)
            yield Fixture(
                key=keyed.key,
                slug=keyed.slug,
                script=with_corrections(timed, options.seed, options.corrections),
                codes=self._library.codes_of(script),
                starts_at=options.epoch + number * options.stagger_seconds,
                speed=options.speed,
            )

    # The clock

    def time(self, now: float) -> float:
        """The world's own clock: it stands while frozen and goes on from there."""
        return now - self._lag if self._frozen_at is None else self._frozen_at

    def freeze(self, now: float) -> None:
        if self._frozen_at is None:
            self._frozen_at = self.time(now)

    def unfreeze(self, now: float) -> None:
        if self._frozen_at is not None:
            self._lag = now - self._frozen_at
            self._frozen_at = None

    @property
    def is_frozen(self) -> bool:
        return self._frozen_at is not None

    # Which matches there are

    def fixture(self, key: str, now: float) -> Fixture | None:
        """The match of that key, None when the site does not know it yet or never will."""
        return self._fixed.get(key) or self._slots.fixture(key, self.time(now))

    def listed(self, now: float) -> list[Fixture]:
        """The matches on the list page."""
        return [*self._fixed.values(), *self._slots.listed(self.time(now))]

    def listed_until(self, now: float) -> float:
        """The moment of the world's clock at which the list or a status on it changes next."""
        at = self.time(now)
        turns = [turn for fixture in self.listed(now) for turn in (fixture.starts_at, fixture.ends_at) if turn > at]
        return min([*turns, self._slots.listed_until(at)])

    def begun(self, now: float) -> Iterator[Fixture]:
        """Every match that has ever begun, those long over too (they are made again when they are asked for)."""
        at = self.time(now)
        yield from (fixture for fixture in self._fixed.values() if fixture.starts_at <= at)
        yield from self._slots.begun(at)

    # What they show

    def board(self, fixture: Fixture, now: float) -> MatchBoard:
        """The state of the match now. The board is shared: read it before the next question."""
        return self._board_at(fixture, fixture.elapsed(self.time(now)), is_stale=False)

    def stale_board(self, fixture: Fixture, now: float) -> MatchBoard:
        """The state as a stuck cache has it: that of the last full minute of match time."""
        seconds = fixture.elapsed(self.time(now))
        return self._board_at(fixture, seconds - seconds % LONGEST_STALE_SECONDS, is_stale=True)

    def _board_at(self, fixture: Fixture, seconds: float, *, is_stale: bool) -> MatchBoard:
        name = (fixture.key, is_stale)
        board = self._boards.get(name)
        if board is None or board.seconds > seconds:
            board = self._boards[name] = MatchBoard(fixture.script)
        self._boards.move_to_end(name)
        if len(self._boards) > self._board_limit:
            self._boards.popitem(last=False)
        board.advance(seconds)
        return board

    @property
    def _board_limit(self) -> int:
        return 3 * (len(self._fixed) + self.options.matches) + 16

    # Names

    def player_name(self, code: str) -> str | None:
        return self._library.players.get(code) or self._slots.player_name(code)

    def team_name(self, code: str) -> tuple[str, str] | None:
        """The team's name and its short name."""
        return self._library.teams.get(code) or self._slots.team_name(code)

    def series_name(self, code: str) -> str | None:
        return self._library.series.get(code) or self._slots.series_name(code)


def _free_key(key: str, taken: set[str]) -> str:
    """The same match given twice gets a key of its own each time."""
    free, copy = key, 1
    while free in taken:
        copy += 1
        free = f"{key}X{base36(copy)}"
    return free


def _slot_options(options: WorldOptions) -> SlotOptions:
    return SlotOptions(
        count=options.matches,
        seed=options.seed,
        epoch=options.epoch,
        speed=options.speed,
        rolling=options.rolling,
        join_in_progress=options.join_in_progress,
        corrections=options.corrections,
    )
