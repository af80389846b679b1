"""A real Chromium, started for each test and gone after it, that tells on every page it shows."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright

from tests.browser.stage import Site

# Nothing but what a test asks for: no update, no synchronisation, no request of its own.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


Scheme = Literal["light", "dark"]


def chromium_path(own: str) -> str:
    """Debian's, or the one that playwright has downloaded."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None and not Path(own).exists():
        pytest.skip("there is no Chromium; `apt-get install chromium` or `playwright install chromium` brings one")
    return found or own


class Visitor:
    """A browser, and what went wrong on its pages."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.dialogs: list[str] = []

    @asynccontextmanager
    async def page(
        self, url: str, *, width: int = 1280, height: int = 900, scheme: Scheme = "light", is_calm: bool = False
    ) -> AsyncIterator[Page]:
        """`is_calm`: whoever looks has asked for less motion."""
        context = await self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce" if is_calm else "no-preference",
        )
        page = await context.new_page()
        self._listen(page)
        await page.goto(url)
        yield page
        await context.close()

    def _listen(self, page: Page) -> None:
        def on_console(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"}:
                self.complaints.append(message.text)

        def on_request(request: Request) -> None:
            self.requests.append(request.url)

        page.on("console", on_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", on_request)
        page.on("dialog", lambda dialog: self.dialogs.append(dialog.message))


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    await made.server.start()
    yield made
    await made.close()


@pytest.fixture
async def visitor() -> AsyncIterator[Visitor]:
    async with async_playwright() as playwright:
        path = chromium_path(playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield Visitor(browser)
        await browser.close()
