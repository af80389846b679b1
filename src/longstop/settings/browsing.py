"""The settings of fetching: plain HTTP, the browser, proxies, and captures before kickoff."""

import re
from typing import Literal

from pydantic import SecretStr, field_validator

from longstop.settings.addresses import require_address
from longstop.settings.keys import Count, Group, Hours, Megabytes, Percent, Seconds, setting
from longstop.settings.masks import SecretUrl

DAY = 86400
RUNGS = ("replay", "in_page", "intercept", "dom")


class FetchSettings(Group):
    """Direct HTTP calls."""

    user_agent: str = setting("", "What we call ourselves; empty is Longstop with its version.")
    rungs: tuple[str, ...] = setting(
        RUNGS, "Ways of fetching that may be used, cheapest first: replay, in_page, intercept, dom."
    )
    max_body_mb: Megabytes = setting(16, "Larger answers, after decompression, are refused.", ge=1, le=1024)
    max_redirects: Count = setting(5, "Redirects followed for one call; 0 follows none.", ge=0, le=20)

    @field_validator("rungs")
    @classmethod
    def _are_rungs(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if not values or list(values) != [name for name in RUNGS if name in values]:
            raise ValueError(f"is not some of {', '.join(RUNGS)} in this order; give those that may be used")
        return values


class BrowserTimeoutSettings(Group):
    """Deadlines for browser calls."""

    page: Seconds = setting(
        30.0,
        "Opening a page as a whole; fitted to the latency seen, and tried twice.",
        env="PAGE_TIMEOUT_SECONDS",
        ge=0.1,
        le=600,
    )
    navigation: Seconds = setting(
        30.0,
        "The answer to a page's address; fitted to the latency seen, and tried twice.",
        env="NAVIGATION_TIMEOUT_SECONDS",
        ge=0.1,
        le=600,
    )
    selector: Seconds = setting(
        5.0,
        "Waiting for what a page shows before it is read first; fitted to the latency seen.",
        env="SELECTOR_TIMEOUT_SECONDS",
        ge=0.1,
        le=600,
    )
    hung: Seconds = setting(
        30.0, "A browser that does not answer is killed by then; from 7.5 on it is killed after 7.5.", ge=1, le=600
    )
    close: Seconds = setting(10.0, "Everything is closed within this time of a scraper's end.", ge=1, le=600)
    silence: Seconds = setting(15.0, "A held page that shows no new answer for this time is reopened.", ge=1, le=3600)


class BrowserPoolSettings(Group):
    """How many browsers there are and when one is replaced. The age bound is lifecycle.max_lifetime_hours."""

    browsers: Count = setting(2, "Browsers at the same time.", ge=1, le=64)
    contexts: Count = setting(16, "Contexts in each browser; 1 isolates matches fully.", ge=1, le=1000)
    max_tasks: Count = setting(10000, "A browser is replaced after this many tasks.", ge=1, le=100000000)
    max_pids: Count = setting(200, "A browser with more processes is replaced.", ge=5, le=100000)


class BrowserSettings(Group):
    """The browser, for the rungs of the ladder that need one."""

    timeouts: BrowserTimeoutSettings = BrowserTimeoutSettings()
    headless: bool = setting(True, "Run without a window.", env="BROWSER_HEADLESS")
    executable_path: str = setting("", "The Chromium to start; empty looks for one.")
    use_cdp: bool = setting(False, "Attach to a running browser instead of starting one.", env="SCRAPER_USE_CDP")
    cdp_url: SecretUrl = setting(SecretUrl("http://127.0.0.1:9222"), "Where that browser listens.")
    pool: BrowserPoolSettings = BrowserPoolSettings()

    @field_validator("cdp_url")
    @classmethod
    def _is_debugger_address(cls, value: SecretUrl) -> SecretUrl:
        return require_address(value, ("http", "https", "ws", "wss"), may_be_empty=False)


_PARAMETER = re.compile(r"\{(?:session|minutes|country)\}")


class IproyalSettings(Group):
    """The account at IPRoyal. Without a host it is not used."""

    host: str = setting("", "Host name of the gateway.", env="IPROYAL_HOST")
    port: Count = setting(12321, "Port of the gateway.", env="IPROYAL_PORT", ge=1, le=65535)
    username: SecretStr = setting(SecretStr(""), "User name.", env="IPROYAL_USERNAME")
    password: SecretStr = setting(SecretStr(""), "Password.", env="IPROYAL_PASSWORD")
    country: str = setting("", "Country of the exit, two letters; empty is any.", env="IPROYAL_COUNTRY")
    scheme: Literal["http", "https", "socks5", "socks5h"] = setting("http", "How the gateway is spoken to.")
    exits: Count = setting(10, "Exits behind the gateway that are used at the same time.", ge=1, le=1000)
    parameters: str = setting(
        "",
        "How it is told which exit is meant, with {session}, {minutes} and {country}; what stands in [] is left"
        " out without a country. Empty is IPRoyal's own, [_country-{country}]_session-{session}_lifetime-{minutes}m.",
    )
    parameters_behind: Literal["password", "username"] = setting("password", "Where these parameters are put.")

    @field_validator("parameters")
    @classmethod
    def _name_a_session(cls, value: str) -> str:
        rest = _PARAMETER.sub("", value)
        if (value and "{session}" not in value) or "{" in rest or "}" in rest or len(value) > 200:
            raise ValueError("does not hold {session}, or holds another field than {session}, {minutes} and {country}")
        return value

    @field_validator("country")
    @classmethod
    def _is_country_code(cls, value: str) -> str:
        if value and not (len(value) == 2 and value.isascii() and value.isalpha()):
            raise ValueError("is not a country code; give two letters, for example DE")
        return value.upper()


class ProxySettings(Group):
    """Proxies. Only sources that ask for one use them."""

    mode: Literal["sticky", "rotating"] = setting(
        "sticky", "Keep one exit for a batch of matches, or change it for each.", env="SCRAPER_PROXY_MODE"
    )
    sticky_ttl: Seconds = setting(
        600.0, "Longest life of a sticky session.", env="SCRAPER_STICKY_TTL_SECONDS", ge=1, le=DAY
    )
    sticky_max_matches: Count = setting(20, "Most matches of one sticky session.", ge=1, le=1000)
    max_timeouts: Count = setting(2, "More timeouts in a row than this change the exit.", ge=0, le=100)
    quarantine: Seconds = setting(
        120.0, "An exit that was sent away rests this long; twice as long each time after.", ge=0, le=DAY
    )
    quarantine_max: Seconds = setting(3600.0, "It never rests longer than this.", ge=0, le=DAY)
    bandwidth_budget_mb: Megabytes = setting(
        2048,
        "Traffic of a calendar month (UTC); captures slow down near it and stop at it.",
        env="SCRAPER_BANDWIDTH_BUDGET_MB",
        ge=1,
        le=10**9,
    )
    iproyal: IproyalSettings = IproyalSettings()
    urls: tuple[SecretUrl, ...] = setting(
        (), "Other proxies: http, https, socks5 or socks5h addresses; #DE at the end tells the country."
    )

    @field_validator("urls")
    @classmethod
    def _are_proxies(cls, values: tuple[SecretUrl, ...]) -> tuple[SecretUrl, ...]:
        return tuple(require_address(v, ("http", "https", "socks5", "socks5h"), may_be_empty=False) for v in values)


class CaptureSettings(Group):
    """Football captures before kickoff."""

    window_hours: Hours = setting(
        72.0, "Captures begin this long before kickoff; none is made after it.", ge=0.1, le=720
    )
    max_attempts: Count = setting(4, "Attempts for one match.", ge=1, le=100)
    base_delay: Seconds = setting(2.0, "First delay between attempts; it doubles each time.", ge=0, le=3600)
    jitter: Seconds = setting(1.0, "Random time added to each delay, at most.", ge=0, le=3600)
    concurrency: Count = setting(4, "Matches that are captured at the same time.", ge=1, le=64)
    list_interval: Seconds = setting(900.0, "Time between two looks at the lists of the days ahead.", ge=60, le=DAY)
    tournaments: tuple[str, ...] = setting(
        (), "Capture only tournaments whose name has one of these words; empty is all."
    )
    max_null_percent: Percent = setting(20.0, "Share of empty fields above which an alert is raised.", ge=0, le=100)
