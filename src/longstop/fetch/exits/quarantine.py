"""How long an exit rests that was sent away, and how slowly that is forgotten. Pure; times are handed in."""

import msgspec


class Rest(msgspec.Struct, frozen=True):
    """The first quarantine lasts `base_seconds`, each further one twice as long, up to `longest_seconds`. One strike is
    forgotten in each `forgotten_seconds` without another."""

    base_seconds: float = 120.0
    longest_seconds: float = 3600.0
    forgotten_seconds: float = 1800.0


class Record:
    """What is held against one exit."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest
        self._strikes = 0.0
        self._counted_at = 0.0
        self.until = 0.0

    def strikes(self, now: float) -> float:
        return max(0.0, self._strikes - max(0.0, now - self._counted_at) / self._rest.forgotten_seconds)

    def strike(self, now: float) -> None:
        self._strikes = self.strikes(now) + 1.0
        self._counted_at = now

    def eject(self, now: float) -> float:
        """Time in quarantine is not time without a strike: forgetting begins at its end."""
        doublings = max(0.0, self.strikes(now) - 1.0)
        length = min(self._rest.base_seconds * 2.0 ** min(doublings, 60.0), self._rest.longest_seconds)
        self.until = max(self.until, now + length)
        self._counted_at = self.until
        return self.until

    def is_resting(self, now: float) -> bool:
        return now < self.until
