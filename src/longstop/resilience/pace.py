"""How soon to look again. Pure: what is known goes in, seconds and the reason come out. The numbers are the documents'.

over and whole              300 s
gone from the site           10 s
not begun                    30 s
5, 10, 20 errors             5, 10, 20 s   until 5 minutes have passed below the threshold
a break, 10 polls unchanged  30 s          never while the source says that play goes on
more than half changed        2 s
a match that matters more     2 s
in play, nothing new for 2 min 5 s
else                        2.5 s
"""

import msgspec

from longstop.resilience.rhythm import Rhythm


class PaceLimits(msgspec.Struct, frozen=True):
    """`is_adaptive` off keeps the baseline through play, breaks and errors alike."""

    baseline_seconds: float = 2.5
    completed_seconds: float = 300.0
    upcoming_seconds: float = 30.0
    gone_seconds: float = 10.0
    busy_seconds: float = 2.0
    break_seconds: float = 30.0
    break_after_polls: int = 10
    error_seconds: tuple[float, ...] = (5.0, 10.0, 20.0)
    error_counts: tuple[int, ...] = (5, 10, 20)
    quiet_after_seconds: float = 120.0
    quiet_factor: float = 2.0
    calm_seconds: float = 300.0
    is_adaptive: bool = True
    detects_play: bool = True


class Pace(msgspec.Struct, frozen=True):
    """`is_break`: nothing goes on out there, so nobody is late who looks as rarely as this."""

    seconds: float
    reason: str
    is_break: bool = False


class Standing(msgspec.Struct, frozen=True):
    """What the pace depends on. `is_in_play` is None where the source does not tell play from a break."""

    is_finished: bool = False
    is_upcoming: bool = False
    is_gone: bool = False
    throttled_seconds: float = 0.0
    is_in_play: bool | None = None
    is_important: bool = False
    rhythm: Rhythm = Rhythm()
    unchanged_seconds: float = 0.0
    starts_in_seconds: float | None = None


def choose(standing: Standing, limits: PaceLimits) -> Pace:
    """A pause that the source asks for never brings us back sooner than we would have come."""
    unasked = _unasked(standing, limits)
    if standing.throttled_seconds > 0:
        return Pace(max(standing.throttled_seconds, unasked.seconds), "the source asked for a pause")
    return unasked


def _unasked(standing: Standing, limits: PaceLimits) -> Pace:
    if standing.is_finished:
        return Pace(limits.completed_seconds, "the match is over and whole")
    if standing.is_gone:
        return Pace(limits.gone_seconds, "the source does not show the match")
    if standing.is_upcoming:
        return Pace(_until_the_start(standing, limits), "the match has not begun")
    if not limits.is_adaptive:
        return Pace(limits.baseline_seconds, "play")
    return _after_errors(standing, limits) or _after_changes(standing, limits)


def _until_the_start(standing: Standing, limits: PaceLimits) -> float:
    """Nobody should miss the first ball because he has just looked."""
    left = standing.starts_in_seconds
    if left is None or left <= 0:
        return limits.upcoming_seconds
    return min(limits.upcoming_seconds, max(left, limits.baseline_seconds))


def _after_errors(standing: Standing, limits: PaceLimits) -> Pace | None:
    errors = standing.rhythm.errors
    reached = [rung for rung, count in enumerate(limits.error_counts) if errors >= count]
    if not reached:
        return None
    seconds = max(limits.error_seconds[reached[-1]], limits.baseline_seconds)
    return Pace(seconds, f"{limits.error_counts[reached[-1]]} errors or more")


def _after_changes(standing: Standing, limits: PaceLimits) -> Pace:
    is_in_play = standing.is_in_play if limits.detects_play else None
    if not is_in_play and standing.rhythm.unchanged >= limits.break_after_polls:
        return Pace(max(limits.break_seconds, limits.baseline_seconds), "a break", is_break=True)
    busy = min(limits.busy_seconds, limits.baseline_seconds)
    if standing.rhythm.is_busy:
        return Pace(busy, "busy play")
    if standing.is_important and is_in_play is not False:
        return Pace(busy, "a match that matters more")
    if standing.unchanged_seconds >= limits.quiet_after_seconds:
        return Pace(limits.baseline_seconds * limits.quiet_factor, "little happens")
    return Pace(limits.baseline_seconds, "play")


def first_delay(match_id_hash: int, interval_seconds: float) -> float:
    """Spreads the starts over one interval, so that many matches do not poll in step."""
    return (match_id_hash % 1000) / 1000 * interval_seconds


def latest_beat(due: float, interval_seconds: float, now: float) -> float:
    """The last moment of this beat that is not in the future. Who comes late by many beats, perhaps with all others
    since the loop stood still, keeps his own place in it."""
    if due >= now:
        return now
    return due + (now - due) // interval_seconds * interval_seconds
