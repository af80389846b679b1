"""The invented matches: a row of slots, each with one match after the other, made when they are needed.

Only starting times are kept for ever. Scripts are made again from their seed when somebody asks for a match long over,
so a world may roll for weeks in bounded memory.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from longstop_origin.corrections import with_corrections
from longstop_origin.fixture import Fixture, MatchCodes
from longstop_origin.invented import PLAYERS_A_TEAM, League
from longstop_origin.model import invent_match
from longstop_origin.script import MatchScript
from longstop_origin.timing import with_times

# The formats in the order of the slots: any ten neighbours hold all of them.
FORMATS = ("T20", "ODI", "Test", "T20", "T10", "ODI", "The Hundred", "T20", "ODI", "T20")
# In match time, so that a fast world does not list whole seasons; bounded in real time, so that a list can be read.
ANNOUNCED_BEFORE_SECONDS = 600.0
LISTED_AFTER_SECONDS = 3600.0
ANNOUNCED_AT_MOST_SECONDS = 60.0
LISTED_AT_LEAST_SECONDS = 15.0


class SlotOptions(Struct, frozen=True, kw_only=True):
    count: int
    seed: int
    epoch: float
    speed: float
    rolling: bool
    join_in_progress: bool
    corrections: str


class Slots:
    """`count` matches at a time. Times are those of the world's clock."""

    def __init__(self, options: SlotOptions) -> None:
        self._options = options
        self.announced_before = min(ANNOUNCED_BEFORE_SECONDS / options.speed, ANNOUNCED_AT_MOST_SECONDS)
        self.listed_after = max(LISTED_AFTER_SECONDS / options.speed, LISTED_AT_LEAST_SECONDS)
        self._cached_at_most = 4 * options.count + 16
        self._league = League(options.count, options.seed)
        self._fixtures: OrderedDict[int, Fixture] = OrderedDict()
        self._starts: list[list[float]] = [[] for _ in range(options.count)]
        for slot in range(options.count):
            self._begin_first(slot)
        self._ends = [(self._made(slot, 0).ends_at, slot) for slot in range(options.count)]
        heapify(self._ends)

    def fixture(self, key: str, at: float) -> Fixture | None:
        ordinal = self._league.match_ordinal(key)
        if ordinal is None or not self._options.count:
            return None
        self._roll(at)
        generation, slot = divmod(ordinal, self._options.count)
        starts = self._starts[slot]
        if generation >= len(starts) or starts[generation] > at + self.announced_before:
            return None
        return self._made(slot, generation)

    def listed(self, at: float) -> list[Fixture]:
        """Per slot what is on, what comes next when it is near, what ended lately."""
        self._roll(at)
        listed = list(self._near(at))
        self._cached_at_most = max(self._cached_at_most, 2 * len(listed))
        return listed

    def _near(self, at: float) -> Iterator[Fixture]:
        for slot, starts in enumerate(self._starts):
            generation = bisect_right(starts, at + self.announced_before) - 1
            while generation >= 0:
                fixture = self._made(slot, generation)
                if fixture.ends_at < at - self.listed_after:
                    break
                yield fixture
                generation -= 1

    def listed_until(self, at: float) -> float:
        turns = [fixture.ends_at + self.listed_after for fixture in self.listed(at)]
        if self._options.rolling and self._ends:
            turns.append(self._ends[0][0] - self.announced_before)
        return min((turn for turn in turns if turn > at), default=float("inf"))

    def begun(self, at: float) -> Iterator[Fixture]:
        self._roll(at)
        for slot, starts in enumerate(self._starts):
            for generation in range(bisect_right(starts, at)):
                yield self._made(slot, generation)

    def player_name(self, code: str) -> str | None:
        return self._league.player_of(code)

    def team_name(self, code: str) -> tuple[str, str] | None:
        team = self._league.team_of(code)
        return None if team is None else (team.name, team.short)

    def series_name(self, code: str) -> str | None:
        return self._league.series_of(code)

    def _begin_first(self, slot: int) -> None:
        """A match already under way began before the world did, and a ball is bowled about now."""
        starts_at = self._options.epoch
        if self._options.join_in_progress:
            script = self._script(slot)
            balls = [ball for innings in script.innings for ball in innings.balls]
            share = Random(f"{self._options.seed}:{slot}:stage").uniform(0.05, 0.75)
            starts_at -= balls[int(share * len(balls))].at_seconds / self._options.speed
        self._starts[slot].append(starts_at)

    def _roll(self, at: float) -> None:
        """Puts the next match into every slot whose match is over or soon will be."""
        while self._options.rolling and self._ends and self._ends[0][0] <= at + self.announced_before:
            ends_at, slot = heappop(self._ends)
            self._starts[slot].append(ends_at)
            following = self._made(slot, len(self._starts[slot]) - 1)
            heappush(self._ends, (following.ends_at, slot))

    def _made(self, slot: int, generation: int) -> Fixture:
        ordinal = generation * self._options.count + slot
        fixture = self._fixtures.get(ordinal)
        if fixture is None:
            fixture = self._fixtures[ordinal] = self._make(ordinal, self._starts[slot][generation])
            if len(self._fixtures) > self._cached_at_most:
                self._fixtures.popitem(last=False)
        else:
            self._fixtures.move_to_end(ordinal)
        return fixture

    def _make(self, ordinal: int, starts_at: float) -> Fixture:
        script = self._script(ordinal)
        return Fixture(
            key=script.key,
            slug=script.slug,
            script=with_corrections(script, self._options.seed, self._options.corrections),
            codes=self._codes(ordinal),
            starts_at=starts_at,
            speed=self._options.speed,
        )

    def _script(self, ordinal: int) -> MatchScript:
        generation, slot = divmod(ordinal, self._options.count)
        pairing = self._league.pairing(ordinal)
        match_format = FORMATS[(slot + 3 * generation) % len(FORMATS)]
        script = invent_match(pairing, match_format, Random(f"{self._options.seed}:{ordinal}:match"))
        return with_times(replace(script, key=self._league.match_code(ordinal)), self._options.seed)

    def _codes(self, ordinal: int) -> MatchCodes:
        pairing = self._league.pairing(ordinal)
        players = {
            name: self._league.player_code(team.ordinal * PLAYERS_A_TEAM + number)
            for team in pairing.teams
            for number, name in enumerate(team.squad)
        }
        teams = {team.name: self._league.team_code(team.ordinal) for team in pairing.teams}
        return MatchCodes(players, teams, self._league.series_code(pairing.series_ordinal))
