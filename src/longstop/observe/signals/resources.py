"""What happens to memory: measured, risen, run short; and who had to go for it."""

from longstop.observe.signals.bus import Signal


class ScrapersMeasured(Signal, frozen=True, kw_only=True):
    """Who is not in `memory_bytes` could not be measured: nothing is known of it, which is not little."""

    process_bytes: int
    browser_bytes: int
    memory_bytes: dict[str, int]


class MemoryRose(Signal, frozen=True, kw_only=True):
    """`level` is high (80 % of the soft limit), soft or hard. Without a match it is the process as a whole."""

    level: str
    memory_bytes: int
    limit_bytes: int
    match_id: str = ""
    scraper_id: str = ""


class ReadingFailed(Signal, frozen=True, kw_only=True):
    """A watchdog that cannot see is an alarm, not good news."""

    reading: str
    reason: str


class ReplacementOrdered(Signal, frozen=True, kw_only=True):
    """`action` is replace (make before break) or kill; not `is_accepted`: there was nobody to do it to."""

    match_id: str
    scraper_id: str
    action: str
    reason: str
    detail: str = ""
    is_accepted: bool = True


class StartRefused(Signal, frozen=True, kw_only=True):
    """`retry_seconds` is None when too many wait already."""

    match_id: str
    available_bytes: int
    needed_bytes: int
    retry_seconds: float | None


class StartRetried(Signal, frozen=True, kw_only=True):
    match_id: str
    attempt: int
    waited_seconds: float


class MemoryBrokenDown(Signal, frozen=True, kw_only=True):
    """The largest first; the rest together."""

    available_bytes: int
    process_bytes: int
    browser_bytes: int
    largest: dict[str, int]
    others: int
    others_bytes: int
    unmeasured: int


class ScraperIdled(Signal, frozen=True, kw_only=True):
    """`pid` is the process it lived in; `memory_bytes` 0 was not known."""

    match_id: str
    scraper_id: str
    pid: int
    memory_bytes: int
    idle_seconds: float
    reason: str


class CleanupFinished(Signal, frozen=True, kw_only=True):
    reason: str
    orphans: int
    orphan_bytes: int
    folders: int
    scrapers: int
    duration_seconds: float
