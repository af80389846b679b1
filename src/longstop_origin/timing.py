"""Gives a match script its times: when each ball is bowled, when play stops and goes on.

Cricsheet tells no times, so believable ones are drawn from a seed. Nights are shorter than real ones, but longer
than any other break.
"""

from random import Random

from msgspec import Struct
from msgspec.structs import replace

from longstop_origin.script import Announcement, Delivery, MatchScript, PlaySpan, ScriptBall, ScriptInnings

HOUR = 3600.0


class Rhythm(Struct, frozen=True):
    """How a kind of match breathes. A kind without sessions has none of lunch, tea and stumps."""

    innings_break_seconds: tuple[float, float]
    drinks_after_seconds: float | None
    drinks_seconds: float
    has_sessions: bool = False
    rain_chance: float = 0.06


SHORT = Rhythm(innings_break_seconds=(600, 900), drinks_after_seconds=2700, drinks_seconds=150)
ONE_DAY = Rhythm(innings_break_seconds=(1500, 2400), drinks_after_seconds=4200, drinks_seconds=240)
MULTI_DAY = Rhythm((600, 600), drinks_after_seconds=HOUR, drinks_seconds=240, has_sessions=True, rain_chance=0.2)

SESSION_SECONDS = 2 * HOUR
# The breaks of a day in their order, with their lengths.
SESSION_BREAKS = (("L", 2400.0, 2400.0), ("T", 1200.0, 1200.0), ("S", 1.2 * HOUR, 1.5 * HOUR))


# For who wants to see whole nights: play from late morning to early evening.
REAL_NIGHT = (16.5 * HOUR, 17.0 * HOUR)


def with_times(script: MatchScript, seed: int, night: tuple[float, float] = SESSION_BREAKS[-1][1:]) -> MatchScript:
    """The same match with a time for every ball, innings and break."""
    return _Timekeeper(script, Random(f"{seed}:{script.key}:times"), night).timed()


def _rhythm(script: MatchScript) -> Rhythm:
    if script.overs_limit is None:
        return MULTI_DAY
    return SHORT if script.overs_limit * script.balls_per_over <= 150 else ONE_DAY


class _Timekeeper:
    """Walks once through the match with a clock in hand."""

    def __init__(self, script: MatchScript, rng: Random, night: tuple[float, float]) -> None:
        self._script, self._rng, self._night = script, rng, night
        self._rhythm = _rhythm(script)
        self._now = 0.0
        self._session_from = 0.0
        self._drinks_from = 0.0
        self._breaks_had = 0
        self._spans: list[PlaySpan] = []
        self._announcements: list[Announcement] = []
        self._rain_at = self._draw_rain()

    def timed(self) -> MatchScript:
        innings = tuple(self._innings(number, each) for number, each in enumerate(self._script.innings))
        return replace(
            self._script,
            innings=innings,
            spans=tuple(self._spans),
            announcements=tuple(self._announcements),
            end_seconds=self._tick(self._between(25, 45)),
        )

    def _draw_rain(self) -> tuple[int, int] | None:
        """The innings and the over before which a shower comes, in matches whose result says nothing of rain."""
        innings = self._script.innings
        if not innings or self._rng.random() > self._rhythm.rain_chance:
            return None
        number = self._rng.randrange(len(innings))
        return number, self._rng.randrange(2, 40)

    def _innings(self, number: int, innings: ScriptInnings) -> ScriptInnings:
        if number:
            self._interval(innings)
        begins = self._tick(5.0)
        self._announce_reduction(innings)
        self._now += self._between(20, 35)
        balls = tuple(self._balls(number, innings))
        if self._is_washed_out(number):
            self._pause("R", self._between(1800, 3000))
        return replace(innings, begins_seconds=begins, balls=balls, closes_seconds=self._tick(self._between(8, 15)))

    def _is_washed_out(self, number: int) -> bool:
        return self._script.outcome.result == "no result" and number == len(self._script.innings) - 1

    def _balls(self, number: int, innings: ScriptInnings) -> list[ScriptBall]:
        timed, over = [], None
        for ball in innings.balls:
            if over is not None and ball.over != over:
                self._between_overs(number, ball.over)
            over = ball.over
            timed.append(replace(ball, at_seconds=self._tick(self._between(26, 40))))
            self._now += self._aftermath(ball.delivery)
        return timed

    def _aftermath(self, delivery: Delivery) -> float:
        """What a ball costs in time beyond itself."""
        if delivery.wickets or delivery.replacements:
            return self._between(50, 110)
        return self._between(4, 12) if delivery.runs >= 4 else 0.0

    def _between_overs(self, number: int, over: int) -> None:
        self._now += self._between(20, 40)
        if self._rain_at == (number, over):
            self._pause("R", self._between(480, 1800))
        elif self._rhythm.has_sessions and self._now - self._session_from > SESSION_SECONDS:
            self._session_break()
        elif self._is_drinks_due():
            self._pause("D", self._rhythm.drinks_seconds)
            self._drinks_from = self._now

    def _is_drinks_due(self) -> bool:
        after = self._rhythm.drinks_after_seconds
        return after is not None and self._now - self._drinks_from > after

    def _session_break(self) -> None:
        state, shortest, longest = SESSION_BREAKS[self._breaks_had % len(SESSION_BREAKS)]
        self._breaks_had += 1
        self._pause(state, self._between(*(self._night if state == "S" else (shortest, longest))))
        self._session_from = self._drinks_from = self._now

    def _interval(self, following: ScriptInnings) -> None:
        """The time between two innings, longer when rain took overs away."""
        if self._rhythm.has_sessions and self._now - self._session_from > 0.75 * SESSION_SECONDS:
            self._session_break()
            return
        if following.super_over:
            self._pause("I", self._between(240, 420))
        else:
            self._pause("I", self._between(*self._rhythm.innings_break_seconds))
            if self._is_reduced(following):
                self._pause("R", self._between(900, 2700))
        self._drinks_from = self._now

    def _is_reduced(self, innings: ScriptInnings) -> bool:
        limit, overs = self._script.overs_limit, innings.target_overs
        return limit is not None and overs is not None and overs < limit and not innings.super_over

    def _announce_reduction(self, innings: ScriptInnings) -> None:
        if self._is_reduced(innings):
            text = f"Match reduced to {innings.target_overs:g} overs"
            self._announcements.append(Announcement(round(self._now, 1), text))

    def _pause(self, state: str, seconds: float) -> None:
        start = self._tick(3.0)
        self._spans.append(PlaySpan(state, start, self._tick(seconds)))

    def _tick(self, seconds: float) -> float:
        self._now = round(self._now + seconds, 1)
        return self._now

    def _between(self, low: float, high: float) -> float:
        return low + (high - low) * self._rng.random()
