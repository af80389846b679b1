"""Every call to Playwright gets our own deadline, and its errors the words of the house."""

import re
from collections.abc import Awaitable
from typing import TypeVar

from longstop.clock import Clock
from longstop.domain.errors import (
    BrowserError,
    BrowserLostError,
    BrowserTimeoutError,
    LongstopError,
    SourceUnreachableError,
)
from longstop.fetch.browser.drivers import driver_errors, driver_timeouts

T = TypeVar("T")

# Words of Playwright for a browser, page or driver that is not there any more.
_GONE = ("has been closed", "target crashed", "page crashed", "connection closed", "target closed", "browser closed")
_CHROMIUM_SAYS = re.compile(
    r"\[err\]\s*(?:\[[^\]]*\])?\s*(.*(?:FATAL|No usable sandbox|without --no-sandbox|error while loading|Failed to).*)"
)
_REFUSED = "net::ERR_BLOCKED_BY_CLIENT"
_NETWORK = "net::ERR_"


async def in_time(clock: Clock, call: Awaitable[T], seconds: float, what: str) -> T:
    """`what` completes the sentence "the browser did not …"."""
    try:
        async with clock.timeout(seconds):
            return await call
    except TimeoutError as error:
        raise BrowserTimeoutError(f"The browser did not {what} within {seconds:g} s.") from error
    except driver_errors() as error:
        raise translated(error) from error


def translated(error: Exception) -> LongstopError:
    """A failure of the network is the source's, everything else the browser's."""
    words = " ".join(filter(None, (first_line(error), _own_words(str(error)))))
    if isinstance(error, driver_timeouts()):
        return BrowserTimeoutError(words)
    if any(each in words.lower() for each in _GONE):
        return BrowserLostError(words)
    if _REFUSED in words:
        return BrowserError(words, hint="Our own rules refuse it: see the source's allow-list and documents_max.")
    if _NETWORK in words:
        return SourceUnreachableError(words)
    return BrowserError(words)


def _own_words(text: str) -> str:
    """What Chromium itself said when it did not start, which Playwright hides in its log."""
    found = _CHROMIUM_SAYS.search(text)
    return f"Chromium says: {found[1].strip().rstrip('.')}." if found else ""


def first_line(error: BaseException) -> str:
    """Playwright adds logs of many lines; the first says it."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0].strip()
    return line if line.endswith((".", "!")) else f"{line}."
