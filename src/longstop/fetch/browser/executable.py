"""Where the browser is: the configured path, then the search path, then Playwright's own."""

import os
import shutil
from pathlib import Path

from longstop.domain.errors import BrowserMissingError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_BUILDS = ("chromium-*/chrome-linux*/chrome", "chromium_headless_shell-*/chrome-*/*headless*shell")


def find_executable(configured: str = "", search_path: str | None = None, own_folder: Path | None = None) -> Path:
    """Raises BrowserMissingError, which says how to install one."""
    if configured:
        return _configured(configured)
    for name in NAMES:
        if found := shutil.which(name, path=search_path):
            return Path(found)
    own = _newest_build(own_folder or _playwright_folder())
    if own is None:
        raise BrowserMissingError("There is no Chromium on this machine.")
    return own


def _configured(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_file():
        raise BrowserMissingError(f"There is no browser at {path}.", hint="Check scraper.browser.executable_path.")
    if not os.access(path, os.X_OK):
        raise BrowserMissingError(
            f"{path} may not be executed.", hint="Check scraper.browser.executable_path and its rights."
        )
    return path.resolve()


def _playwright_folder() -> Path:
    given = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    return Path(given) if given and given != "0" else Path.home() / ".cache" / "ms-playwright"


def _newest_build(folder: Path) -> Path | None:
    for pattern in _BUILDS:
        builds = [path for path in folder.glob(pattern) if os.access(path, os.X_OK)]
        if builds:
            return max(builds, key=lambda path: path.stat().st_mtime)
    return None
