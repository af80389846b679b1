"""What goes wrong, when: a plan drawn from a seed, the same for the same question.

Single faults fall on single requests; bursts fall on all requests for one match during some seconds.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b

from msgspec import Struct

LEVELS = ("none", "mild", "storm")
WINDOW_SECONDS = 60.0

# What a request asks for. Faults that make no sense for it are never drawn.
LIST, PAGE, PARTIAL, STATE, CARD, FEED, NAMES = "list", "page", "partial", "state", "card", "feed", "names"
OF_A_MATCH = frozenset({PAGE, PARTIAL, STATE, CARD, FEED})


class Fault(Struct, frozen=True):
    """One thing going wrong. `kind` names it; which other fields count depends on it."""

    kind: str
    status: int = 200
    retry_after_seconds: int | None = None
    delay_seconds: float = 0.0
    share: float = 0.0
    variant: int = 0


class Level(Struct, frozen=True):
    """How much goes wrong: the share of single requests, and how often and how long bursts come."""

    single: float
    burst: float
    burst_seconds: tuple[float, float]
    longest_delay_seconds: float
    disappearing: float


LEVEL_FIGURES = {
    "none": Level(0.0, 0.0, (0.0, 0.0), 0.0, 0.0),
    "mild": Level(0.037, 0.18, (2.0, 6.0), 1.0, 0.05),
    "storm": Level(0.15, 0.75, (4.0, 20.0), 3.0, 0.15),
}

SINGLE_WEIGHTS = {
    "latency": 0.22,
    "server error": 0.20,
    "too many requests": 0.10,
    "unauthorised": 0.04,
    "forbidden": 0.06,
    "reset": 0.10,
    "hang": 0.03,
    "truncated": 0.08,
    "malformed": 0.08,
    "stale": 0.06,
    "changed page": 0.03,
}
BURST_WEIGHTS = {
    "server error": 0.30,
    "too many requests": 0.15,
    "forbidden": 0.10,
    "reset": 0.15,
    "not found": 0.15,
    "malformed": 0.05,
    "stale": 0.10,
}
KINDS = frozenset(SINGLE_WEIGHTS) | frozenset(BURST_WEIGHTS)


class FaultPlan:
    """Pure: it remembers nothing, so a run can be repeated from its seed."""

    def __init__(self, name: str = "none", seed: int = 0, *, hang_seconds: float = 30.0) -> None:
        if name not in LEVELS:
            raise ValueError(f"there is no fault level {name!r}. Choose one of {', '.join(LEVELS)}.")
        self.name, self.seed, self.hang_seconds = name, seed, hang_seconds
        self._figures = LEVEL_FIGURES[name]

    def decide(self, key: str, ordinal: int, asked: str, now: float) -> Fault | None:
        """The fault that hits request number `ordinal` for this match and this kind of path, if any."""
        if self.name == "none":
            return None
        kind = self._burst_kind(key, asked, now)
        if kind is None:
            kind = self._single_kind(key, ordinal, asked)
        if kind is None or not _makes_sense(kind, asked):
            return None
        return self._fault(kind, self._chances(f"{key}:{asked}:{ordinal}:how"))

    def disappears_at(self, key: str, ends_at: float) -> float | None:
        """When a finished match is gone for good, None when it stays. Minutes pass before: what it showed was seen."""
        first, second, _ = self._chances(f"{key}:gone")
        return ends_at + 180 + 420 * second if first < self._figures.disappearing else None

    def _burst_kind(self, key: str, asked: str, now: float) -> str | None:
        shift = self._chances(f"{key}:shift")[0] * WINDOW_SECONDS
        window, inside = divmod(now + shift, WINDOW_SECONDS)
        happens, begins, lasts = self._chances(f"{key}:{window:.0f}:burst")
        shortest, longest = self._figures.burst_seconds
        length = shortest + (longest - shortest) * lasts
        start = (WINDOW_SECONDS - length) * begins
        if happens >= self._figures.burst or not start <= inside < start + length:
            return None
        which, scope, _ = self._chances(f"{key}:{window:.0f}:kind")
        # A third of the bursts hits one kind of path only, so that one call works while another does not.
        if scope < 0.33 and asked != (STATE if scope < 0.165 else FEED):
            return None
        return _drawn(BURST_WEIGHTS, which)

    def _single_kind(self, key: str, ordinal: int, asked: str) -> str | None:
        happens, which, _ = self._chances(f"{key}:{asked}:{ordinal}")
        return _drawn(SINGLE_WEIGHTS, which) if happens < self._figures.single else None

    def _fault(self, kind: str, chances: tuple[float, float, float]) -> Fault:
        first, second, third = chances
        if kind == "latency":
            return Fault(kind, delay_seconds=0.2 + (self._figures.longest_delay_seconds - 0.2) * first)
        if kind == "server error":
            return Fault(kind, status=(500, 502, 503)[int(3 * first)])
        if kind == "too many requests":
            return Fault(kind, status=429, retry_after_seconds=1 + int(4 * first))
        if kind == "hang":
            return Fault(kind, delay_seconds=self.hang_seconds)
        statuses = {"unauthorised": 401, "forbidden": 403, "not found": 404}
        return Fault(kind, status=statuses.get(kind, 200), share=0.05 + 0.9 * second, variant=int(4 * third))

    def _chances(self, what: str) -> tuple[float, float, float]:
        """Three numbers from 0 up to 1 that belong to this question for ever."""
        return _three_numbers(f"{self.seed}:{what}")


@lru_cache(maxsize=4096)
def _three_numbers(what: str) -> tuple[float, float, float]:
    digest = blake2b(what.encode(), digest_size=12).digest()
    first, second, third = (int.from_bytes(digest[at : at + 4]) / 2**32 for at in (0, 4, 8))
    return first, second, third


def _makes_sense(kind: str, asked: str) -> bool:
    if kind == "changed page":
        return asked == PAGE
    if kind in ("stale", "not found"):
        return asked in OF_A_MATCH
    return True


def _drawn(weights: Mapping[str, float], chance: float) -> str:
    left = chance * sum(weights.values())
    kind = ""
    for kind, weight in weights.items():
        if left < weight:
            return kind
        left -= weight
    return kind
