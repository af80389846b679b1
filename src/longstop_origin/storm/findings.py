"""What a storm found out: the words of the oracle, and what broke a rule."""

from collections import Counter
from typing import Any

from msgspec import Struct

FINDINGS_MAX = 20

LOST, DUPLICATED, UNEXPECTED, STALE, BROKEN = "lost", "duplicated", "unexpected", "stale", "broken"
WORDS = (LOST, DUPLICATED, UNEXPECTED, STALE, BROKEN)


class Finding(Struct, frozen=True):
    """`word` is the oracle's; `at` is in virtual seconds."""

    word: str
    rule: str
    text: str
    at: float

    def __str__(self) -> str:
        return f"{self.at:8.2f} s  {self.word}: {self.rule}: {self.text}"


class Report(Struct, frozen=True, kw_only=True):
    """One seed. `digest` is that of every signal and every commit, in their order."""

    seed: int
    families: tuple[str, ...]
    seconds: float
    matches: int
    events: int
    lives: int
    faults: int
    polls: int
    steps: int
    recovered_seconds: tuple[float, ...]
    findings: tuple[Finding, ...]
    digest: str

    @property
    def is_clean(self) -> bool:
        return not self.findings

    @property
    def counts(self) -> dict[str, int]:
        seen = Counter(finding.word for finding in self.findings)
        return {word: seen[word] for word in WORDS}

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {name: getattr(self, name) for name in self.__struct_fields__}
        return plain | {"is_clean": self.is_clean, "counts": self.counts}
