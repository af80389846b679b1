"""The settings of the scraping itself: how often, how long, how much, and what to do when it fails."""

from pydantic import field_validator

from longstop.settings.browsing import BrowserSettings, CaptureSettings, FetchSettings, ProxySettings
from longstop.settings.keys import Count, Group, Hours, Megabytes, Percent, Seconds, setting
from longstop.settings.monitoring import MonitoringSettings
from longstop.settings.watching import WatchdogSettings

DAY = 86400


class LifecycleSettings(Group):
    """How often a match is polled, when its data counts as stale, and how long a scraper lives."""

    max_lifetime_hours: Hours = setting(
        6.0, "A scraper is replaced after this time.", env="SCRAPER_MAX_LIFETIME_HOURS", ge=0.005, le=168
    )
    polling_interval: Seconds = setting(
        2.5, "Time between two polls of a live match in play.", env="POLLING_INTERVAL_SECONDS", ge=0.1, le=3600
    )
    staleness_threshold: Seconds = setting(
        300.0,
        "A live match without new data for this time is stale: alert and restart.",
        env="STALENESS_THRESHOLD_SECONDS",
        ge=1,
        le=DAY,
    )
    poll_deadline: Seconds = setting(4.0, "One poll ends after this time, whatever it waits for.", ge=0.1, le=300)
    completed_interval: Seconds = setting(300.0, "Time between two polls of a completed match.", ge=1, le=DAY)
    imminent_window: Seconds = setting(3600.0, "A match that starts within this time is imminent.", ge=0, le=7 * DAY)
    archive_ttl: Seconds = setting(
        float(DAY), "A completed match is archived when its data is older.", env="ARCHIVE_TTL", ge=60, le=30 * DAY
    )
    shutdown_timeout: Seconds = setting(30.0, "A shutdown finishes, flushes and saves within this time.", ge=1, le=600)


class SchedulingSettings(Group):
    """The queue of scrape tasks."""

    concurrency_cap: Count = setting(
        256, "Tasks that may run at the same time, over all sources.", env="CONCURRENCY_CAP", ge=1, le=10000
    )
    max_attempts: Count = setting(3, "Attempts of one task before it is abandoned.", ge=1, le=100)
    base_delay: Seconds = setting(2.0, "Pause before the second attempt; it doubles, with jitter.", ge=0, le=300)
    navigation_timeout: Seconds = setting(15.0, "Longest navigation within one task.", ge=0.1, le=600)
    total_timeout: Seconds = setting(45.0, "Longest time for one whole task.", ge=0.1, le=3600)


class AdaptiveSettings(Group):
    """What adapts by itself."""

    polling: bool = setting(
        True, "Poll faster in busy play, slower in breaks and on errors.", env="ENABLE_ADAPTIVE_POLLING"
    )
    timeouts: bool = setting(True, "Fit browser timeouts to the latency seen.", env="ENABLE_ADAPTIVE_TIMEOUTS")
    match_state_detection: bool = setting(
        True, "Detect breaks, innings changes and the end of a match.", env="ENABLE_MATCH_STATE_DETECTION"
    )
    busy_interval: Seconds = setting(2.0, "Polling interval in busy play; never above the baseline.", ge=0.1, le=3600)
    break_interval: Seconds = setting(30.0, "Polling interval in a break; never below the baseline.", ge=0.1, le=3600)
    break_after_cycles: Count = setting(10, "Polls in a row without a change that make a break.", ge=1, le=10000)
    error_intervals: tuple[float, ...] = setting(
        (5.0, 10.0, 20.0), "Polling intervals in seconds after 5, 10 and 20 errors; exactly three, rising."
    )
    calm_period: Seconds = setting(300.0, "Time below the error threshold before the baseline returns.", ge=1, le=DAY)
    important: tuple[str, ...] = setting(
        ("final",), "A match with one of these words in its title, teams or series is polled at the busy interval."
    )

    @field_validator("error_intervals")
    @classmethod
    def _are_rising(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if len(values) != 3 or not 0 < values[0] <= values[1] <= values[2] <= 3600:
            raise ValueError("is not three rising intervals; give three numbers of seconds, for example 5, 10, 20")
        return values


class HealthSettings(Group):
    """When the instance calls itself degraded or failing."""

    degraded_age: Seconds = setting(60.0, "Median or p95 age of the data that makes it degraded.", ge=1, le=DAY)
    failing_age: Seconds = setting(120.0, "Age of any one live match that makes it failing.", ge=1, le=DAY)
    stall: Seconds = setting(90.0, "Time without any successful poll that makes it failing.", ge=1, le=DAY)
    check_interval: Seconds = setting(15.0, "Time between two judgements.", ge=0.1, le=3600)
    errors_per_minute: Count = setting(
        10, "Errors a minute of one match above which an alert is raised.", ge=1, le=100000
    )


class MemorySettings(Group):
    """Memory of one scraper with its share of the browser."""

    soft_limit_mb: Megabytes = setting(
        1536, "Above this a scraper is replaced at the end of its cycle.", env="MEMORY_SOFT_LIMIT_MB", ge=16, le=1048576
    )
    hard_limit_mb: Megabytes = setting(
        2048, "Above this it is killed and started anew.", env="MEMORY_HARD_LIMIT_MB", ge=16, le=1048576
    )
    warn_percent: Percent = setting(80.0, "Share of the soft limit that raises an alert.", ge=1, le=100)
    min_available_mb: Megabytes = setting(
        500, "With less memory free on the machine no scraper is started.", ge=0, le=1048576
    )


class QueueSettings(Group):
    """The buffer in memory while the database is away. Whichever bound is reached first counts."""

    max_size: Count = setting(1000, "Most items.", env="MAX_QUEUE_SIZE", ge=1, le=10000000)
    max_size_mb: Megabytes = setting(10, "Most memory.", env="MAX_QUEUE_SIZE_MB", ge=1, le=65536)


class AdmissionSettings(Group):
    """What happens when memory is too short for another scraper."""

    retry_delay: Seconds = setting(60.0, "A refused start is tried again after this time.", ge=1, le=3600)
    idle_timeout: Seconds = setting(
        1800.0, "Scrapers without match activity for this time are stopped first.", ge=60, le=DAY
    )


class ResourceSettings(Group):
    """Memory and the bounds of what is kept in it."""

    memory: MemorySettings = MemorySettings()
    queue: QueueSettings = QueueSettings()
    admission: AdmissionSettings = AdmissionSettings()
    cleanup_interval: Seconds = setting(
        1800.0, "Time between two searches for orphaned browser processes.", ge=1, le=DAY
    )


class CircuitBreakerSettings(Group):
    """The breaker of each match and rung: it opens after failures in a row."""

    threshold: Count = setting(5, "Failures in a row that open it.", env="CIRCUIT_BREAKER_THRESHOLD", ge=1, le=1000)
    timeout: Seconds = setting(
        60.0, "Time it stays open before a probe.", env="CIRCUIT_BREAKER_TIMEOUT_SECONDS", ge=0.1, le=DAY
    )
    success_threshold: Count = setting(
        5, "Successful probes that close it.", env="CIRCUIT_BREAKER_SUCCESS_THRESHOLD", ge=1, le=1000
    )


class SourceBreakerSettings(Group):
    """The breaker of each source: it opens on the share of failures in a rolling window."""

    window: Seconds = setting(600.0, "Length of the window.", ge=1, le=DAY)
    min_attempts: Count = setting(30, "With fewer attempts in the window it never opens.", ge=1, le=100000)
    error_percent: Percent = setting(35.0, "Share of failed attempts that opens it.", ge=1, le=100)
    cooldown: Seconds = setting(900.0, "Time it stays open.", ge=1, le=DAY)
    probes: Count = setting(3, "Canary attempts that decide whether it closes.", ge=1, le=100)


class RetrySettings(Group):
    """Retries of network errors, with exponential delay and jitter."""

    max_attempts: Count = setting(5, "Most retries.", env="RETRY_MAX_ATTEMPTS", ge=1, le=100)
    base_delay: Seconds = setting(
        1.0, "First delay; it doubles each time.", env="RETRY_BASE_DELAY_SECONDS", ge=0.01, le=3600
    )
    max_delay: Seconds = setting(16.0, "Longest delay.", env="RETRY_MAX_DELAY_SECONDS", ge=0.01, le=3600)


class PauseSettings(Group):
    """A match that keeps failing rests, then starts afresh with the configuration read again."""

    threshold: Count = setting(
        5, "Failures within the window that pause a match.", env="PAUSE_THRESHOLD", ge=1, le=1000
    )
    window: Seconds = setting(600.0, "Length of the window.", ge=1, le=DAY)
    duration: Seconds = setting(300.0, "Length of the pause.", ge=1, le=DAY)


class ParseFailureSettings(Group):
    """A source whose shape has changed."""

    threshold: Count = setting(10, "More parse failures in a row than this raise a critical alert.", ge=1, le=1000)
    retry_interval: Seconds = setting(300.0, "Time between two attempts from then on.", ge=1, le=DAY)


class TokenSettings(Group):
    """Tokens that sources want from us."""

    max_delay: Seconds = setting(32.0, "Longest delay between two attempts to get a token.", ge=1, le=3600)
    degraded_after: Seconds = setting(300.0, "Without a token for this time the match is degraded.", ge=1, le=DAY)


class SupervisionSettings(Group):
    """Restart budgets. Above them the next level takes over."""

    scraper_restarts: Count = setting(5, "Restarts of one scraper within its window.", ge=1, le=1000)
    scraper_window: Seconds = setting(30.0, "Window for one scraper.", ge=1, le=3600)
    top_restarts: Count = setting(3, "Restarts at the top within its window.", ge=1, le=1000)
    top_window: Seconds = setting(60.0, "Window at the top.", ge=1, le=3600)


class ResilienceSettings(Group):
    """What is done when something fails."""

    circuit_breaker: CircuitBreakerSettings = CircuitBreakerSettings()
    source_breaker: SourceBreakerSettings = SourceBreakerSettings()
    retry: RetrySettings = RetrySettings()
    pause: PauseSettings = PauseSettings()
    parse_failures: ParseFailureSettings = ParseFailureSettings()
    token: TokenSettings = TokenSettings()
    supervision: SupervisionSettings = SupervisionSettings()


class RepairSettings(Group):
    """Filling gaps in the record from the source's ball feed."""

    overs_per_call: Count = setting(10, "Overs asked for in one call.", ge=1, le=100)
    calls_per_poll: Count = setting(2, "Calls to the feed that one poll of a match may add.", ge=0, le=100)
    gap_deadline: Seconds = setting(10.0, "A gap that is not filled by then is recorded as one.", ge=0.1, le=3600)


class ScraperSettings(Group):
    """Everything about fetching and watching matches."""

    lifecycle: LifecycleSettings = LifecycleSettings()
    scheduling: SchedulingSettings = SchedulingSettings()
    adaptive: AdaptiveSettings = AdaptiveSettings()
    health: HealthSettings = HealthSettings()
    watchdog: WatchdogSettings = WatchdogSettings()
    resources: ResourceSettings = ResourceSettings()
    resilience: ResilienceSettings = ResilienceSettings()
    repair: RepairSettings = RepairSettings()
    fetch: FetchSettings = FetchSettings()
    browser: BrowserSettings = BrowserSettings()
    proxy: ProxySettings = ProxySettings()
    capture: CaptureSettings = CaptureSettings()
    monitoring: MonitoringSettings = MonitoringSettings()
