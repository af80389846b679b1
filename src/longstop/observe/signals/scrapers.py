"""What happens to those who watch: begun, replaced, paused, given up."""

from longstop.observe.signals.bus import Signal


class ScraperStarted(Signal, frozen=True, kw_only=True):
    match_id: str
    scraper_id: str
    source: str
    url: str = ""
    interval_seconds: float = 2.5


class ScraperStopped(Signal, frozen=True, kw_only=True):
    match_id: str
    scraper_id: str
    reason: str


class ScraperResumed(Signal, frozen=True, kw_only=True):
    """A scraper goes on where another stood; `disagreements` are what its state knew and the record does not."""

    match_id: str
    scraper_id: str
    saved_seconds_ago: float
    reason: str
    disagreements: tuple[str, ...] = ()


class ScraperReplaced(Signal, frozen=True, kw_only=True):
    """The successor has delivered, the predecessor leaves; `gap_seconds` lie between their last and first data."""

    match_id: str
    before: str
    after: str
    reason: str
    gap_seconds: float


class ReplacementFailed(Signal, frozen=True, kw_only=True):
    """The successor did not deliver, so the predecessor stays."""

    match_id: str
    scraper_id: str
    reason: str
    attempts: int


class PaceChanged(Signal, frozen=True, kw_only=True):
    match_id: str
    before_seconds: float
    seconds: float
    reason: str
    is_break: bool = False


class TaskAbandoned(Signal, frozen=True, kw_only=True):
    """A look at a match failed in all its attempts."""

    match_id: str
    scraper_id: str
    attempts: int
    error_type: str
    error_message: str


class MatchPaused(Signal, frozen=True, kw_only=True):
    """The match rests for so long, then begins afresh."""

    match_id: str
    scraper_id: str
    seconds: float
    reason: str
