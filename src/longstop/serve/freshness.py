"""How old an answer is, said the same way in headers and in the body."""

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec

from longstop.clock import age_seconds
from longstop.domain.cricket import Delivery
from longstop.domain.events import Gap
from longstop.domain.match import MatchStatus
from longstop.observe.health import Watched
from longstop.serve.reading import ReadModel
from longstop.store.contract import LiveRow, MatchRow

FRESHNESS_HEADER = "X-Data-Freshness"
AGE_HEADER = "X-Data-Age-Seconds"


class Age(msgspec.Struct, frozen=True):
    """`captured_at` is the last successful capture, also when it changed nothing."""

    captured_at: datetime
    seconds: float
    is_stale: bool = False

    @property
    def whole_seconds(self) -> int:
        return int(self.seconds)

    def headers(self) -> dict[str, str]:
        return {FRESHNESS_HEADER: iso(self.captured_at), AGE_HEADER: str(self.whole_seconds)}


class KnownMatch(msgspec.Struct, frozen=True):
    """What is known of one match, now or at a moment: from the store, from signals since, from the board."""

    row: MatchRow
    live: LiveRow | None
    watched: Watched | None
    gaps: tuple[Gap, ...] = ()
    recent: tuple[Delivery, ...] = ()
    told_at: datetime | None = None
    is_degraded: bool = False
    as_of: datetime | None = None

    @property
    def match_id(self) -> str:
        return self.row.ref.match_id

    @property
    def is_live(self) -> bool:
        return self.row.status is MatchStatus.LIVE

    @property
    def last_success_at(self) -> datetime | None:
        """The board knows of captures that changed nothing; after a restart the store's row has to do."""
        return latest_capture(self.live, self.watched)

    @property
    def last_word_at(self) -> datetime | None:
        """Before the first capture, what is shown comes from the source's list."""
        return self.last_success_at or self.row.last_scraper_update or self.row.discovered_at

    @property
    def last_balls(self) -> list[Delivery]:
        if self.watched is not None and self.watched.observation is not None:
            return [ball for over in self.watched.observation.overs for ball in over.deliveries]
        return list(self.recent)

    def moment(self, now: datetime) -> datetime:
        """Ages are told as they were then."""
        return self.as_of or now


def latest_capture(live: LiveRow | None, watched: Watched | None) -> datetime | None:
    stored = live.captured_at if live is not None else None
    seen = watched.captured_at if watched is not None else None
    if stored is None or seen is None:
        return stored or seen
    return max(stored, seen)


def age_of(known: KnownMatch, model: ReadModel) -> Age:
    """A live match that was never captured is stale as well: there is nothing fresh about it."""
    now = known.moment(model.clock.now())
    captured_at = known.last_word_at or now
    seconds = age_seconds(now, captured_at)
    is_late = seconds > model.stale_after_seconds or known.last_success_at is None
    return Age(captured_at, seconds, is_stale=known.is_live and is_late)


def age_of_all(matches: Iterable[KnownMatch], model: ReadModel) -> Age:
    """The promise a list can keep: of the live matches in it the oldest, else the freshest of the rest, else now, since
    an empty list is a fresh answer."""
    ages = [(known.is_live, age_of(known, model)) for known in matches]
    live = [age for is_live, age in ages if is_live]
    if live:
        return max(live, key=lambda age: age.seconds)
    if ages:
        return min((age for _, age in ages), key=lambda age: age.seconds)
    return Age(model.clock.now(), 0.0)


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC, to the millisecond."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_or_none(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


HEADERS: Mapping[str, str] = {
    FRESHNESS_HEADER: "When the data was last captured at the source (ISO 8601); on a list, its oldest live match.",
    AGE_HEADER: "Whole seconds since then.",
}
