"""Which browsers the settings want: those that we start, or one that runs already."""

from pathlib import Path

import msgspec

from longstop.approach_options import pool_options
from longstop.clock import Clock
from longstop.domain.errors import SettingsError
from longstop.fetch.browser.attached import AttachedFleet, CdpAddress
from longstop.fetch.browser.fleet import ChromiumFleet, ChromiumOptions
from longstop.fetch.browser.pool import BrowserPool
from longstop.observe.signals import Signals
from longstop.settings import Settings


def browser_pool(
    settings: Settings, door: str, clock: Clock, bus: Signals, *, is_stealthy: bool = False
) -> BrowserPool:
    """`door` is where a browser of ours goes by itself: the filtering proxy's port that leads nowhere."""
    wanted = settings.scraper.browser
    options = ChromiumOptions(
        folder=Path(settings.storage.root) / "browser",
        executable=wanted.executable_path,
        proxy=door,
        headless=wanted.headless,
        is_stealthy=is_stealthy,
    )
    name = "stealthy" if is_stealthy else "plain"
    if not wanted.use_cdp:
        return BrowserPool(ChromiumFleet(options, clock, bus), clock, bus, pool_options(settings), name)
    if is_stealthy:
        raise SettingsError(
            "A browser that is not ours cannot be driven in stealth.",
            hint="Switch sources.*.stealth or scraper.browser.use_cdp off.",
        )
    fleet = AttachedFleet(options, CdpAddress(wanted.cdp_url.get_secret_value()), clock, bus)
    return BrowserPool(fleet, clock, bus, msgspec.structs.replace(pool_options(settings), browsers=1), "attached")
