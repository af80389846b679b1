"""A match that has its place in the world: a key, a start, codes for its names."""

from collections.abc import Mapping

from msgspec import Struct

from longstop_origin.script import MatchScript


class MatchCodes(Struct, frozen=True):
    """The site's codes for the names of one match."""

    players: Mapping[str, str]
    teams: Mapping[str, str]
    series: str


class Fixture(Struct, frozen=True):
    """Times are seconds since 1970 on the world's clock; `elapsed` counts match seconds from the start."""

    key: str
    slug: str
    script: MatchScript
    codes: MatchCodes
    starts_at: float
    speed: float

    @property
    def ends_at(self) -> float:
        return self.starts_at + self.script.end_seconds / self.speed

    def elapsed(self, at: float) -> float:
        return (at - self.starts_at) * self.speed

    def milliseconds(self, match_seconds: float) -> int:
        return int((self.starts_at + match_seconds / self.speed) * 1000)

    def status(self, at: float) -> int:
        """0 upcoming, 1 live, 2 finished."""
        seconds = self.elapsed(at)
        return 0 if seconds < 0 else 1 if seconds < self.script.end_seconds else 2
