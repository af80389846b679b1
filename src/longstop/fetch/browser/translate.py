"""Playwright's errors in the words of the house."""

from playwright.async_api import Error, TimeoutError  # noqa: A004 - Playwright's own name

from longstop.domain.errors import BrowserError, BrowserLostError, BrowserTimeoutError, LongstopError, SourceUnreachableError

# Words of Playwright for a browser, page or driver that is not there any more.
_GONE = ("has been closed", "target crashed", "page crashed", "connection closed", "target closed", "browser closed")
_NETWORK = "net::ERR_"


def translated(error: Error) -> LongstopError:
    """A failure of the network is the source's, everything else the browser's."""
    words = first_line(error)
    if isinstance(error, TimeoutError):
        return BrowserTimeoutError(words)
    if any(each in words.lower() for each in _GONE):
        return BrowserLostError(words)
    if _NETWORK in words:
        return SourceUnreachableError(words)
    return BrowserError(words)


def first_line(error: BaseException) -> str:
    """Playwright adds logs of many lines; the first says it."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0].strip()
    return line if line.endswith((".", "!")) else f"{line}."
