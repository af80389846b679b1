"""A browser that somebody else started, driven over its debugging port (CDP).

It is never closed and never killed: ours are the driver, and the contexts that we open in it. They go out through the
filtering proxy like all others, each by its own port; what its owner does in it is its owner's business.
"""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserLostError
from longstop.fetch.browser.fleet import ChromiumFleet, ChromiumOptions
from longstop.fetch.browser.held_context import HeldContext
from longstop.fetch.browser.instance import Instance
from longstop.fetch.browser.needs import ContextNeed
from longstop.fetch.browser.processes import Table
from longstop.fetch.browser.survey import Survey
from longstop.fetch.browser.translate import in_time
from longstop.fetch.browser.unit import BrowserUnit, UnitOptions
from longstop.observe.signals import Signals

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

HINT: Final = (
    "Start it with --remote-debugging-port and name that in scraper.browser.cdp_url, or switch"
    " scraper.browser.use_cdp off."
)
CLOSE_SECONDS: Final = 1.0
# Its command line is not ours, so what could send datagrams past the proxy is taken out of our pages.
NO_DATAGRAMS: Final = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete window[name]"


class CdpAddress:
    """Where that browser listens. It may hold a token, and shows itself to nobody."""

    __slots__ = ("url",)

    def __init__(self, url: str) -> None:
        self.url = url

    def __repr__(self) -> str:
        return "CdpAddress(***)"


class AttachedUnit(BrowserUnit):
    """One driver attached to it. `browser`, as a process, is nobody of ours and stays unknown."""

    def __init__(self, name: str, instance: Instance, options: UnitOptions, address: CdpAddress, clock: Clock) -> None:
        super().__init__(name, instance, options, clock)
        self._address = address
        self._ours: list[HeldContext] = []
        self._is_gone = False

    async def open_context(self, need: ContextNeed) -> HeldContext:
        if need.proxy is None:
            raise BrowserError(
                f"A context of {need.source} in a browser that is not ours has no filtering proxy, so it is not opened."
            )
        held = await super().open_context(need)
        self._ours = [each for each in self._ours if each.pages] + [held]
        silencing = held.raw.add_init_script(NO_DATAGRAMS)
        await in_time(self._clock, silencing, self._options.call_seconds, "prepare a context")
        return held

    def survey(self, table: Table) -> Survey:
        """Its processes are not looked at; whether it is there, the driver knows first."""
        return msgspec.structs.replace(super().survey(table), is_browser_alive=not self._is_gone)

    async def _launched(self, playwright: "Playwright", _: str) -> "Browser":
        """What the driver says of a failure repeats the address, so it is not told on."""
        seconds = self._options.start_seconds
        connecting = playwright.chromium.connect_over_cdp(self._address.url, timeout=seconds * 1000)
        try:
            browser = await in_time(self._clock, connecting, seconds, "let us in")
        except BrowserError:
            raise BrowserLostError("The running browser does not let us attach to it.", hint=HINT) from None
        browser.on("disconnected", lambda _: self._lose())
        return browser

    def _identify(self) -> None:
        """Nothing of it is ours to record."""

    def _lose(self) -> None:
        self._is_gone = True

    async def _ask_to_close(self) -> None:
        """Our contexts, and nothing else; those that are left the browser closes when the driver goes."""
        for held in self._ours:
            with contextlib.suppress(BrowserError):
                await held.close(CLOSE_SECONDS)
        self._ours = []


class AttachedFleet(ChromiumFleet):
    """There is one browser, whoever started it; a unit is one more driver of it."""

    def __init__(self, options: ChromiumOptions, address: CdpAddress, clock: Clock, bus: Signals) -> None:
        super().__init__(options, clock, bus)
        self._address = address

    async def open(self) -> None:
        options = self._options
        self._unit_options = UnitOptions(
            Path(), options.proxy, options.headless, options.start_seconds, options.call_seconds
        )
        await self._claim()

    def new_unit(self) -> AttachedUnit:
        assert self._unit_options is not None, "the fleet is opened before units are asked for"
        name = f"u{next(self._numbers)}"
        return AttachedUnit(name, self.instance, self._unit_options, self._address, self._clock)
