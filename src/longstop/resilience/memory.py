"""Whose memory it is, and how much is too much. Pure: readings in, shares and grades out.

One process watches all matches, so nobody can read what one of them takes. What the process has grown by since before
the first scraper is divided by what each is known to hold; what the browsers take is told apart for each page.

Nothing here takes a missing reading for a small one: a share that cannot be told is left out, never 0.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum

import msgspec

MB = 1024 * 1024

# Measured: a ball of the ledger, a code in a set; estimated: scraper, ladder, breakers, last observation together.
ROW_BYTES = 740
CODE_BYTES = 90
SCRAPER_BYTES = 16 * 1024


class Holding(msgspec.Struct, frozen=True):
    """What one scraper is known to hold. `browser_bytes`: None has no page; 0 has one that was not measured yet."""

    match_id: str
    weight_bytes: int
    browser_bytes: int | None = None

    @property
    def is_told(self) -> bool:
        return self.weight_bytes > 0 and self.browser_bytes != 0


class MemoryLimits(msgspec.Struct, frozen=True):
    soft_bytes: int = 1536 * MB
    hard_bytes: int = 2048 * MB
    warn_share: float = 0.8


class Pressure(IntEnum):
    """In the order of their urgency. UNKNOWN is no grade of well-being: nothing follows from it but an alarm."""

    UNKNOWN = 0
    FINE = 1
    HIGH = 2
    SOFT = 3
    HARD = 4


def weigh(rows: int, body_bytes: int, codes: int) -> int:
    """What a scraper holds, by what can be counted at no cost."""
    return SCRAPER_BYTES + rows * ROW_BYTES + body_bytes + codes * CODE_BYTES


def shares(holdings: Iterable[Holding], process_bytes: int | None, baseline_bytes: int) -> dict[str, int]:
    """Bytes by match, as far as they can be told. A share is never less than what the match is known to hold."""
    if not process_bytes or process_bytes <= 0:
        return {}
    held = [holding for holding in holdings if holding.weight_bytes > 0]
    weights = sum(holding.weight_bytes for holding in held)
    grown = max(process_bytes - baseline_bytes, weights)
    return {
        holding.match_id: grown * holding.weight_bytes // weights + (holding.browser_bytes or 0)
        for holding in held
        if holding.is_told
    }


def pressure_of(memory_bytes: int | None, limits: MemoryLimits) -> Pressure:
    """A reading of nothing is no reading: whatever runs takes memory."""
    if not memory_bytes or memory_bytes < 0:
        return Pressure.UNKNOWN
    if memory_bytes > limits.hard_bytes:
        return Pressure.HARD
    if memory_bytes > limits.soft_bytes:
        return Pressure.SOFT
    return Pressure.HIGH if memory_bytes > limits.warn_share * limits.soft_bytes else Pressure.FINE


def limit_of(reached: Pressure, limits: MemoryLimits) -> int:
    """The bound that was passed."""
    if reached is Pressure.HARD:
        return limits.hard_bytes
    return limits.soft_bytes if reached is Pressure.SOFT else round(limits.warn_share * limits.soft_bytes)


def largest(told: Mapping[str, int], count: int) -> tuple[tuple[str, int], ...]:
    """Those that take most, the largest first."""
    return tuple(sorted(told.items(), key=lambda item: (-item[1], item[0]))[:count])
