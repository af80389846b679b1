"""How soon to look again. Pure: the state goes in, seconds and the reason come out."""

import msgspec


class PaceLimits(msgspec.Struct, frozen=True):
    baseline_seconds: float = 2.5
    completed_seconds: float = 300.0
    upcoming_seconds: float = 30.0
    gone_seconds: float = 10.0


class Pace(msgspec.Struct, frozen=True):
    seconds: float
    reason: str


class Standing(msgspec.Struct, frozen=True):
    """What the pace depends on."""

    is_finished: bool = False
    is_upcoming: bool = False
    is_gone: bool = False
    throttled_seconds: float = 0.0


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
        return Pace(limits.upcoming_seconds, "the match has not begun")
    return Pace(limits.baseline_seconds, "play")


def first_delay(match_id_hash: int, interval_seconds: float) -> float:
    """Spreads the starts over one interval, so that many matches do not poll in step."""
    return (match_id_hash % 1000) / 1000 * interval_seconds
