"""All that is known of one match, from wherever it is known, and how bad it is."""

from datetime import datetime
from typing import Any, Final

from msgspec import Struct

from longstop.clock import age_seconds
from longstop.domain.cricket import PlayState
from longstop.domain.match import MatchStatus, Names
from longstop.domain.observation import Observation
from longstop.observe.health import Watched
from longstop.observe.health_rules import scraper_health
from longstop.serve.freshness import latest_capture
from longstop.store.contract import LiveRow, MatchRow

FAILING, DEGRADED, IN_PLAY, BREAK, UPCOMING, OVER = range(6)
_PLAYING: Final = frozenset({PlayState.PLAY, PlayState.UNKNOWN})


class Standing(Struct, frozen=True):
    """How a match is fetched: why by this rung, and the rungs whose breaker is not closed, as in `replay open`."""

    why: str = ""
    shut: tuple[str, ...] = ()


class Scene(Struct, frozen=True, eq=False):
    """Either part may be missing: the store knows what is not watched, the board what is not stored yet."""

    row: MatchRow | None
    live: LiveRow | None
    watched: Watched | None
    standing: Standing = Standing()

    @property
    def state(self) -> LiveRow | Observation | None:
        """The board is never behind the store; the store still knows after a restart."""
        if self.watched is not None and self.watched.observation is not None:
            return self.watched.observation
        return self.live

    @property
    def match_id(self) -> str:
        if self.row is not None:
            return self.row.ref.match_id
        return self.watched.match_id if self.watched is not None else ""

    @property
    def source(self) -> str:
        if self.row is not None:
            return self.row.ref.source
        return self.watched.source if self.watched is not None else ""

    @property
    def teams(self) -> tuple[str, str]:
        if self.row is not None:
            return self.row.teams
        state = self.state
        return state.teams if isinstance(state, Observation) else ("?", "?")

    @property
    def status(self) -> MatchStatus:
        state = self.state
        if state is not None and state.play is PlayState.ENDED:
            return MatchStatus.COMPLETED
        if isinstance(state, Observation) and self.watched is not None and self.watched.is_active:
            return state.status
        return self.row.status if self.row is not None else MatchStatus.LIVE

    @property
    def captured_at(self) -> datetime | None:
        return latest_capture(self.live, self.watched)

    def key(self, names: Names) -> tuple[Any, ...]:
        """Equal keys mean that the row would come out the same."""
        watched = self.watched
        how = (
            (watched.revision, watched.rung, watched.interval_seconds, watched.pace_reason, watched.paused_until)
            if watched is not None
            else None
        )
        held = watched.hold if watched is not None else None
        return (
            self.row,
            self.live,
            how,
            held,
            self.standing,
            len(names.teams),
            len(names.teams_short),
            len(names.series),
        )

    def grade(self, now: datetime) -> int:
        """Lower is worse and comes first; the rules are those of the health of a scraper."""
        status = self.status
        if status is MatchStatus.UPCOMING:
            return UPCOMING
        if status is not MatchStatus.LIVE:
            return OVER
        watched = self.watched
        since = self.captured_at or (watched.started_at if watched is not None else None)
        if since is None:
            return FAILING
        if watched is not None and watched.paused_until is not None:
            return DEGRADED  # however old it gets: it is known, and it ends
        health = scraper_health(watched.error_count if watched is not None else 0, age_seconds(now, since))
        if health == "failing":
            return FAILING
        if health == "degraded" or (watched is not None and watched.is_stale):
            return DEGRADED
        state = self.state
        return IN_PLAY if state is None or state.play in _PLAYING else BREAK
