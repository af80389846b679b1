"""Is what we have of a match still what goes on out there? Pure: what is known of a match goes in, a finding comes out.

Three things are told apart, since a poll that succeeds is no proof that anything is new:

overdue  no good capture for 120 s, whatever the match does
unseen   none for the whole threshold of 300 s
frozen   captures come, and all of them show the same for the whole threshold, while the source itself says that they
         play. In stumps, lunch, tea, drinks, rain and between innings nothing has to change, and a source that does
         not say whether they play is not held to it.

A match that rests, ours or by the source's own word (`Retry-After`, a breaker), is not late; its time begins again when
the rest is over. Nor is one late that its source denies: there is nothing to be had of it.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import Enum
from typing import Final

import msgspec

from longstop.domain.cricket import PlayState
from longstop.domain.match import MatchStatus

# Without a word about play the match is held to be on, as far as captures go: that is the careful side.
_IN_PLAY: Final = frozenset({None, PlayState.PLAY, PlayState.DRINKS, PlayState.UNKNOWN})


class Staleness(Enum):
    OVERDUE = "overdue"
    UNSEEN = "unseen"
    FROZEN = "frozen"


class MatchView(msgspec.Struct, frozen=True):
    """One match as the watchdogs see it.

    `watched_since` is when this process began to watch it, and outlives restarts of its scraper. `captured_at` is the
    last good poll, `changed_at` the last one that told something new. `paused_until` is our own rest,
    `throttled_until` the source's wish or a breaker's. `is_denied`: the source shows it no more, by page and by list.
    """

    match_id: str
    status: MatchStatus
    watched_since: datetime
    url: str = ""
    play: PlayState | None = None
    captured_at: datetime | None = None
    changed_at: datetime | None = None
    in_play_since: datetime | None = None
    paused_until: datetime | None = None
    throttled_until: datetime | None = None
    is_denied: bool = False

    @property
    def is_live(self) -> bool:
        return self.status is MatchStatus.LIVE

    @property
    def is_in_play(self) -> bool:
        return self.is_live and self.play in _IN_PLAY


class StalenessLimits(msgspec.Struct, frozen=True):
    threshold_seconds: float = 300.0
    overdue_seconds: float = 120.0


class Finding(msgspec.Struct, frozen=True):
    kind: Staleness
    age_seconds: float


def find(view: MatchView, now: datetime, limits: StalenessLimits) -> Finding | None:
    """The worst that is wrong with this match, if anything is."""
    if not is_expected(view, now):
        return None
    unseen = capture_age_seconds(view, now)
    if unseen >= limits.threshold_seconds:
        return Finding(Staleness.UNSEEN, unseen)
    if unseen >= limits.overdue_seconds:
        return Finding(Staleness.OVERDUE, unseen)
    if view.play is PlayState.PLAY and (same := content_age_seconds(view, now)) >= limits.threshold_seconds:
        return Finding(Staleness.FROZEN, same)
    return None


def is_resting(view: MatchView, now: datetime) -> bool:
    return any(until is not None and until > now for until in (view.paused_until, view.throttled_until))


def capture_age_seconds(view: MatchView, now: datetime) -> float:
    """May be below zero: a clock that is set back must be seen, not hidden."""
    return (now - _latest(view.watched_since, view.captured_at, *_rests(view, now))).total_seconds()


def content_age_seconds(view: MatchView, now: datetime) -> float:
    """Each return to play begins the count anew."""
    since = _latest(view.watched_since, view.changed_at, view.in_play_since, *_rests(view, now))
    return (now - since).total_seconds()


def is_expected(view: MatchView, now: datetime) -> bool:
    """Whether captures of this match should be coming in now."""
    return view.is_live and not view.is_denied and not is_resting(view, now)


def stall_seconds(views: Iterable[MatchView], now: datetime) -> float:
    """Since the last good poll of any match, while something is live and due; 0 when nothing is."""
    seen = tuple(views)
    expected = [_latest(view.watched_since, *_rests(view, now)) for view in seen if is_expected(view, now)]
    if not expected:
        return 0.0
    captured = [view.captured_at for view in seen if view.captured_at is not None]
    return max(0.0, (now - _latest(min(expected), *captured)).total_seconds())


def _rests(view: MatchView, now: datetime) -> tuple[datetime, ...]:
    """Ends of rests that are over."""
    ends = (view.paused_until, view.throttled_until)
    return tuple(end for end in ends if end is not None and end <= now)


def _latest(first: datetime, *others: datetime | None) -> datetime:
    return max([first, *(other for other in others if other is not None)])
