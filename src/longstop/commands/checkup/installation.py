"""What is installed: Python, Longstop itself, SQLite, the extras, a browser, the commands of other packages."""

import os
import platform
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from pathlib import Path

import msgspec

from longstop import __version__
from longstop.commands.checkup.finding import Finding, absent, ok, problem, warning
from longstop.domain.extras import installing
from longstop.settings import Settings

PYTHON_MIN = (3, 11)
SQLITE_MIN = (3, 24, 0)
WAL_RESET_FROM, WAL_RESET_FIXED = (3, 7, 0), (3, 51, 3)
ORIGIN_COMMANDS = ("origin", "replay")
BROWSER_START_SECONDS = 30.0
_BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
_DOWNLOADED = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*")
_MARK = "longstop-was-here"
# It draws a page of ours and asks no name server for anything.
_BROWSER_WORDS = (
    "--headless",
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--dump-dom",
    f"data:text/html,<p>{_MARK}</p>",
)


class Extra(msgspec.Struct, frozen=True):
    """An optional part: the word for pip, the module it brings, and what it is for."""

    name: str
    module: str
    package: str
    purpose: str


EXTRAS = (
    Extra("browser", "playwright", "playwright", "sources that need a browser"),
    Extra("postgres", "asyncpg", "asyncpg", "a database on PostgreSQL"),
    Extra("redis", "redis", "redis", "a cache shared by several instances"),
    Extra("celery", "celery", "celery", "jobs on several machines"),
    Extra("sentry", "sentry_sdk", "sentry-sdk", "errors sent to Sentry"),
    Extra("coherent", "curl_cffi", "curl_cffi", "sources that ask for a browser's TLS"),
    Extra("stealth", "patchright", "patchright", "sources that ask for a browser that does not say it is driven"),
    Extra("parquet", "pyarrow", "pyarrow", "exports as Parquet files"),
)


def python(found: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    said = f"{'.'.join(map(str, found))} ({platform.python_implementation()}, {sys.executable})"
    if found < PYTHON_MIN:
        return problem("python", f"{said} is too old", "Install Python 3.11 or a later one.")
    return ok("python", said)


def longstop(installed: str | None = None) -> Finding:
    """An editable clone that was updated keeps the old entry points until it is installed again."""
    installed = installed or _installed_version("longstop")
    if installed is None:
        return warning("longstop", f"{__version__}, not installed as a package", "Run `pip install .` in the project.")
    if installed != __version__:
        said = f"{__version__}, but installed as {installed}"
        return warning("longstop", said, "Install it again: `pip install .` in the project.")
    return ok("longstop", __version__)


def sqlite(found: tuple[int, ...] = sqlite3.sqlite_version_info, threads: int = sqlite3.threadsafety) -> Finding:
    said = ".".join(map(str, found))
    if found < SQLITE_MIN:
        return problem("sqlite", f"{said} is too old", "Use a Python whose SQLite is 3.24 or later.")
    if threads == 0:
        return problem("sqlite", f"{said} is built without threads", "Use a Python whose SQLite has them.")
    if WAL_RESET_FROM <= found < WAL_RESET_FIXED:
        said += (
            "; it has the WAL-reset fault of 3.7.0 to 3.51.2, which takes two connections that write or checkpoint"
            " at once. Longstop has one, so this is fine"
        )
    return ok("sqlite", said)


def optional_part(part: Extra, needed_by: str) -> Finding:
    """`needed_by` names the setting that cannot do without it; empty when none asks for it."""
    name, command = f"extra {part.name}", installing(part.name)
    if find_spec(part.module) is not None:
        return ok(name, f"{part.package} {_installed_version(part.package) or 'of an unknown version'}")
    if needed_by:
        return problem(name, f"{part.package} is not installed, and {needed_by} needs it", f"Run {command}.")
    return absent(name, f"not installed; only needed for {part.purpose}", f"If you want it, run {command}.")


def needs(settings: Settings | None) -> Mapping[str, str]:
    """Which extra the settings ask for, and where."""
    if settings is None:
        return {}
    sources = {name: getattr(settings.sources, name) for name in type(settings.sources).model_fields}
    coherent = [name for name, source in sources.items() if getattr(source, "coherent_tls", False) and source.enabled]
    stealthy = [name for name, source in sources.items() if getattr(source, "stealth", False) and source.enabled]
    asked = {
        "postgres": "database.url" if settings.database.url.get_secret_value().startswith("postgres") else "",
        "redis": "redis.url" if settings.redis.url.get_secret_value() else "",
        "celery": "jobs.broker_url" if settings.jobs.broker_url.get_secret_value() else "",
        "sentry": "alerts.sentry_dsn" if settings.scraper.monitoring.alerts.sentry_dsn.get_secret_value() else "",
        "coherent": f"sources.{coherent[0]}.coherent_tls" if coherent else "",
        "stealth": f"sources.{stealthy[0]}.stealth" if stealthy else "",
    }
    return {name: setting for name, setting in asked.items() if setting}


def chromium(configured: str, *, is_tried: bool) -> Finding:
    """Only looked for, unless it is to be tried: a browser that lacks a library is there and yet useless."""
    if configured and not (Path(configured).is_file() and os.access(configured, os.X_OK)):
        said = f"scraper.browser.executable_path names {configured}, which cannot be started"
        return problem("chromium", said, "Correct the path, or leave it empty: then one is looked for.")
    path = configured or next(browsers(), None)
    if path is None:
        hint = "If you want one: `apt-get install chromium` as root, or `playwright install chromium`."
        return absent("chromium", "not found; only needed for sources that need a browser", hint)
    return _tried(path) if is_tried else ok("chromium", path)


def browsers() -> Iterator[str]:
    """Those on the path, then those that Playwright fetched, the newest first."""
    yield from (path for name in _BROWSERS if (path := shutil.which(name)))
    own = _playwright_folder()
    fetched = [path for pattern in _DOWNLOADED for path in sorted(own.glob(pattern), reverse=True)] if own else []
    yield from (str(path) for path in fetched if os.access(path, os.X_OK))


def _playwright_folder() -> Path | None:
    """None for a user without a home, as in some containers."""
    given = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if given:
        return Path(given)
    try:
        return Path.home() / ".cache" / "ms-playwright"
    except RuntimeError:
        return None


def _tried(path: str, seconds: float = BROWSER_START_SECONDS) -> Finding:
    """In a process group of its own, which ends with it, and with a profile that is thrown away."""
    hint = "Start it by hand with --headless --no-sandbox --dump-dom about:blank and read what it says."
    with tempfile.TemporaryDirectory(prefix="longstop-doctor-", ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [path, f"--user-data-dir={profile}", *_BROWSER_WORDS],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            page, _ = browser.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return problem("chromium", f"{path} did not draw a page within {seconds:g} s", hint)
        finally:
            _end(browser)
    if browser.returncode != 0 or _MARK.encode() not in page:
        return problem("chromium", f"{path} does not start (exit {browser.returncode})", hint)
    return ok("chromium", f"{path}, started and drew a page")


def _end(browser: "subprocess.Popen[bytes]") -> None:
    """What it started goes with it; a group whose last member has ended is gone already."""
    try:
        os.killpg(browser.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
    finally:
        if browser.stdout is not None:
            browser.stdout.close()
        browser.wait()


def commands(found: Mapping[str, EntryPoint] | None = None) -> Finding:
    """`origin` and `replay` come from the simulator's package, by entry point."""
    points = found if found is not None else {point.name: point for point in entry_points(group="longstop.commands")}
    hint = "Install Longstop again: `pip install .` in the project."
    missing = [name for name in ORIGIN_COMMANDS if name not in points]
    if missing:
        return warning("commands", f"{' and '.join(missing)} missing: there is no simulated site", hint)
    for name, point in sorted(points.items()):
        try:
            point.load()
        except (ImportError, AttributeError) as error:
            return problem("commands", f"{name} cannot be loaded: {error}", hint)
    return ok("commands", ", ".join(sorted(points)))


def _installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
