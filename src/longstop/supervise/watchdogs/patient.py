"""Whom the watchdogs watch, and what they may do to him. The engine is one."""

from collections.abc import Sequence
from typing import Protocol

from longstop.resilience.halting import Progress
from longstop.resilience.staleness import MatchView

Figures = dict[str, str | int | float | bool | None]


class Patient(Protocol):
    def matches(self) -> Sequence[MatchView]:
        """Every match that is watched, as it is now."""
        ...

    def progress(self) -> Progress: ...

    def restart(self, match_id: str, reason: str) -> bool:
        """A fresh scraper for this match, which serves before its predecessor leaves. False when there is none."""
        ...

    def kill(self, match_id: str, reason: str) -> bool:
        """The scraper is ended at once, whatever it does, and another begins. False when there is none."""
        ...

    async def recycle(self, reason: str) -> Figures:
        """Browsers and connections of all sources are replaced; figures for the audit."""
        ...
