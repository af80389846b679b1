"""Which package drives the browser: Playwright, or patchright where a source's own configuration asks for stealth.

Patchright is Playwright with its driver patched: the same interface, but classes of its own, errors too. So errors
are caught as `driver_errors()`, whoever drives.
"""

import sys

PLAYWRIGHT = "playwright.async_api"
PATCHRIGHT = "patchright.async_api"


def driver_errors() -> tuple[type[Exception], ...]:
    """The errors of the drivers that are in use; one that was never imported has raised none."""
    return tuple(sys.modules[name].Error for name in (PLAYWRIGHT, PATCHRIGHT) if name in sys.modules)


def driver_timeouts() -> tuple[type[Exception], ...]:
    return tuple(sys.modules[name].TimeoutError for name in (PLAYWRIGHT, PATCHRIGHT) if name in sys.modules)
