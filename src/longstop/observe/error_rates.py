"""Errors a minute of each match, and of which kinds they are (S0 FR-016, US3.4)."""

from collections import Counter, deque
from datetime import datetime, timedelta
from typing import Final

from longstop.observe.signals import AlertRaised, ErrorRaised

MATCHES_MAX: Final = 5_000
REMEMBERED_MAX: Final = 100
_MINUTE: Final = timedelta(minutes=1)


class ErrorRates:
    """`per_minute` may be exceeded by none. It can be changed at any time."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._recent: dict[str, deque[tuple[datetime, str]]] = {}

    def count(self, error: ErrorRaised) -> AlertRaised | None:
        """An alert at each error above the rate; how often that is told is decided elsewhere."""
        if error.match_id is None:
            return None
        recent = self._of(error.match_id)
        recent.append((error.at, error.error_type))
        while recent[0][0] <= error.at - _MINUTE or len(recent) > max(REMEMBERED_MAX, self.per_minute + 1):
            recent.popleft()
        return self._alert(error, recent) if len(recent) > self.per_minute else None

    def _of(self, match_id: str) -> deque[tuple[datetime, str]]:
        recent = self._recent.pop(match_id, None)
        if recent is None:
            recent = deque()
            if len(self._recent) >= MATCHES_MAX:
                self._recent.pop(next(iter(self._recent)))
        # At its end, so that the first one is the match that has been quiet longest.
        self._recent[match_id] = recent
        return recent

    def _alert(self, error: ErrorRaised, recent: deque[tuple[datetime, str]]) -> AlertRaised:
        kinds = dict(Counter(kind for _, kind in recent).most_common(10))
        return AlertRaised(
            at=error.at,
            alert="error rate",
            severity="ERROR",
            match_id=error.match_id,
            message=f"{len(recent)} errors within a minute, more than {self.per_minute}.",
            hint="Look at the kinds of error, and at the source's site; the runbook has a row for each.",
            context={"errors": kinds, "last_error": error.error_message},
            is_news=True,
        )
