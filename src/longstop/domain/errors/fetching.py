"""The bytes did not come, or the browser could not bring them."""

from longstop.domain.errors.root import LongstopError


class FetchError(LongstopError):
    """The bytes did not come. `evidence` is where the page was kept that was open meanwhile, if one was."""

    evidence: tuple[str, ...] = ()
    kind = "network"
    heals = True
    exit_code = 75


class SourceUnreachableError(FetchError):
    default_hint = "Check the network and that the source is up; the next poll tries again."


class UnreadableBodyError(SourceUnreachableError):
    default_hint = "The answer was damaged or packed strangely; the next poll tries again."


class SourceTimeoutError(FetchError):
    default_hint = "The source is slow; the next poll tries again."


class SourceFailingError(FetchError):
    default_hint = "The source itself is in trouble; the next poll tries again."


class SourceThrottledError(FetchError):
    """The source asked us to slow down; `retry_after_seconds` is its own wish."""

    default_hint = "Polling pauses as long as the source asks."

    def __init__(self, message: str, *, retry_after_seconds: float = 0.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class SourceRefusedError(FetchError):
    kind = "auth"
    default_hint = "Access was refused: renew the token, or check on what terms the source may be used."


class TokenUnavailableError(SourceRefusedError):
    """Whoever gives out tokens does not answer, or gives none; it is asked again after `retry_after_seconds`."""

    default_hint = "It is asked again by itself. Check the API key, and whether the token desk answers."

    def __init__(self, message: str, *, retry_after_seconds: float = 0.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class ChallengeError(SourceRefusedError):
    """It is never solved. `challenge` is whose page it is, in one word of a small set; `verdict` is what readers of
    saved payloads say of such a page."""

    kind = "anti_bot_challenge"
    verdict = "challenge"
    default_hint = "It is not solved. If it stays, ask the source less, or its owner for leave."

    def __init__(self, message: str, *, challenge: str = "unknown", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.challenge = challenge


class MatchGoneError(FetchError):
    default_hint = "The source no longer shows this match."


class UnexpectedStatusError(FetchError):
    default_hint = "Look at the address and at the source's terms."


class OversizedBodyError(FetchError):
    heals = False
    default_hint = "Raise the source's body limit only if such a size is really expected."


class EgressRefusedError(FetchError):
    """Nothing was sent. `reason` is one word of a small set, fit for a metric."""

    kind = "egress"
    heals = False
    default_hint = "If the source is meant to reach it, name the host in sources.<source>.allowed_hosts."

    def __init__(self, message: str, *, reason: str = "host", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class SentAwayError(EgressRefusedError):
    """A redirect led there: a login or consent page elsewhere, as a rule. What the source says to one way of asking it
    need not say to another."""


class ExitFailedError(FetchError):
    """Nothing is said about the source: it was not reached. `reason` is one word of a small set. No address and no
    account of a proxy stands in the message, nor in what this was raised from."""

    kind = "proxy"
    default_hint = "Another exit is used. If all of them fail, check scraper.proxy and the account."

    def __init__(self, message: str, *, reason: str = "unreachable", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class RobotsRefusedError(FetchError):
    kind = "robots"
    heals = False
    default_hint = "Set sources.<source>.respect_robots to false only where its owner allowed it."


class SourceCrowdedError(FetchError):
    default_hint = "Watch fewer matches of this source, or raise its rate_limits if its terms allow it."


class BudgetSpentError(FetchError):
    """Nothing was sent, and nothing is until the month is over or the budget is raised."""

    kind = "bandwidth"
    heals = False
    default_hint = "It goes on with the next month; scraper.proxy.bandwidth_budget_mb allows more."


class BrowserError(LongstopError):
    """The browser could not do what it was asked."""

    kind = "browser"
    heals = True
    exit_code = 75


class BrowserMissingError(BrowserError):
    heals = False
    exit_code = 72
    default_hint = "Install one, on Debian with: apt-get install chromium; or set scraper.browser.executable_path."


class BrowserLostError(BrowserError):
    default_hint = "The pool replaces it; the next poll gets another."


class BrowserTimeoutError(BrowserError):
    default_hint = "A browser that stays silent is killed and replaced."


class PoolExhaustedError(BrowserError):
    default_hint = "Raise scraper.browser.pool.browsers or .contexts, or watch fewer matches by browser."
