"""How soon a recovery may be tried again. Pure.

What did not help the first time seldom helps at once: the second attempt waits 5 minutes, then 10, then 20 each time.
Who has been well for as long as the first wait begins anew.
"""

import msgspec


class Patience(msgspec.Struct, frozen=True):
    waits_seconds: tuple[float, ...] = (300.0, 600.0, 1200.0)


class Attempts(msgspec.Struct, frozen=True):
    """Moments are of the monotonic clock. `well_since` is None while there is something to mend."""

    count: int = 0
    last_at: float = 0.0
    well_since: float | None = None


def wait_seconds(attempts: Attempts, patience: Patience, now: float) -> float:
    """0 when it may be tried now."""
    if attempts.count == 0:
        return 0.0
    step = min(attempts.count, len(patience.waits_seconds)) - 1
    return max(0.0, attempts.last_at + patience.waits_seconds[step] - now)


def after_attempt(attempts: Attempts, now: float) -> Attempts:
    return Attempts(attempts.count + 1, now)


def while_unwell(attempts: Attempts) -> Attempts:
    return msgspec.structs.replace(attempts, well_since=None)


def while_well(attempts: Attempts, patience: Patience, now: float) -> Attempts:
    since = now if attempts.well_since is None else attempts.well_since
    if now - since >= patience.waits_seconds[0]:
        return Attempts()
    return msgspec.structs.replace(attempts, well_since=since)
