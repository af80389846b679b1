"""One browser with a driver of its own: what happens to it happens to nobody else.

Every call has our own deadline, also those that end it, because a stopped driver answers none and Playwright's own
timeouts live in the driver. Whether it lives is asked of the kernel and of itself, never of `is_connected`.
"""

import asyncio
import contextlib
import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, BrowserLostError, BrowserMissingError
from longstop.fetch.browser import command_line, processes
from longstop.fetch.browser.driver import find_driver, start_driver, stop_driver
from longstop.fetch.browser.drivers import PATCHRIGHT, PLAYWRIGHT
from longstop.fetch.browser.instance import Instance, UnitRecord
from longstop.fetch.browser.needs import ContextNeed, Profile, proxy_address
from longstop.fetch.browser.orphans import gone, marked
from longstop.fetch.browser.processes import Identity, Process, Table
from longstop.fetch.browser.short_path import forget_links, shorten
from longstop.fetch.browser.start_watch import StartWatch
from longstop.fetch.browser.survey import Ending, Survey
from longstop.fetch.browser.translate import in_time

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Playwright, ProxySettings

    from longstop.fetch.browser.held_context import HeldContext

# Of the 10 seconds that everything may take: asked kindly, told, made.
KINDLY_SECONDS = 2.5
TERM_SECONDS = 1.0
KILL_SECONDS = 3.0

# Run in a fresh page; true in a driven browser that says so.
WEBDRIVER_QUESTION = "navigator.webdriver"
UNPATCHED_HINT = "Install another version of it, or switch sources.*.stealth off."
PLAIN_USER_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36"
)


class UnitOptions(msgspec.Struct, frozen=True):
    """`proxy` is the filtering proxy's address; with it nothing goes out beside it, not even to this machine."""

    executable: Path
    proxy: str | None = None
    headless: bool = True
    start_seconds: float = 20.0
    call_seconds: float = 8.0
    is_stealthy: bool = False


class BrowserUnit:
    def __init__(self, name: str, instance: Instance, options: UnitOptions, clock: Clock) -> None:
        self.name = name
        self._instance = instance
        self._mark = instance.mark(name)
        self._folder = instance.unit_folder(name)
        self._options = options
        self._clock = clock
        self._opening = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._line: CDPSession | None = None
        self._temporary = self._folder
        self.driver: Identity | None = None
        self.browser: Identity | None = None
        self._watch = StartWatch(self._mark, clock)
        self._known: dict[int, Identity] = {}
        self._kinds: dict[Identity, str] = {}

    # Beginning.

    async def start(self) -> None:
        """All or nothing: what fails to start leaves no process and no folder."""
        is_up = False
        try:
            self._folder.mkdir(parents=True, mode=0o700)
            await self._start_in_sight()
            is_up = True
        except OSError as error:
            hint = "Check that the folder may be written and that the disk has room."
            raise BrowserError(f"The browser has nowhere to write: {error}.", hint=hint) from error
        finally:
            if not is_up:
                await self.end(gently=False)

    async def _start_in_sight(self) -> None:
        starting = asyncio.create_task(self._start(), name=f"start of {self.name}")
        watching = asyncio.create_task(self._watch.until_stopped(), name=f"watch the start of {self.name}")
        try:
            await asyncio.wait({starting, watching}, return_when=asyncio.FIRST_COMPLETED)
            # Started is started, whatever was seen meanwhile; the pool looks after it from now on.
            await (starting if starting.done() else watching)
        finally:
            for task in (starting, watching):
                task.cancel()
            await asyncio.gather(starting, watching, return_exceptions=True)

    async def _start(self) -> None:
        self._temporary = shorten(self._folder)
        temporary = str(self._temporary)
        module = PATCHRIGHT if self._options.is_stealthy else PLAYWRIGHT
        self._playwright = await start_driver(self._mark, temporary, self._clock, self._options.start_seconds, module)
        self.driver = find_driver(self._mark)
        self._browser = await self._launched(self._playwright, temporary)
        self._identify()
        opening = self._browser.new_browser_cdp_session()
        self._line = await in_time(self._clock, opening, self._options.call_seconds, "open a line to itself")
        if self._options.is_stealthy:
            await self._prove_patched()

    async def _prove_patched(self) -> None:
        """More than one release of patchright was shipped without its patch: the page is asked, not the package."""
        raw = await self._raw_context({})
        page = await in_time(self._clock, raw.new_page(), self._options.call_seconds, "open a page")
        asking = page.evaluate(WEBDRIVER_QUESTION)
        answer = await in_time(self._clock, asking, self._options.call_seconds, "answer")
        await in_time(self._clock, raw.close(), self._options.call_seconds, "close a context")
        if answer:
            raise BrowserMissingError(
                "The installed patchright does not hide that it drives the browser.", hint=UNPATCHED_HINT
            )

    async def _launched(self, playwright: "Playwright", temporary: str) -> "Browser":
        options = self._options
        launching = playwright.chromium.launch(
            executable_path=options.executable,
            args=command_line.switches(self._mark, options.proxy),
            env={**command_line.environment(os.environ, self._mark, self._folder, temporary)},
            headless=options.headless,
            # Chromium refuses its sandbox to root; for everybody else it stays on.
            chromium_sandbox=os.geteuid() != 0,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            proxy=_proxy_settings(options.proxy),
            timeout=options.start_seconds * 1000,
        )
        return await in_time(self._clock, launching, options.start_seconds, "start")

    def _identify(self) -> None:
        """Chromium's main process is the driver's child that carries our mark; it leads a session of its own."""
        driver = self.driver
        children = [] if driver is None else processes.children(driver.pid)
        found = next((pid for pid in children if command_line.mark_of(processes.arguments(pid)) == self._mark), None)
        process = None if found is None else processes.read_process(found)
        if process is None or driver is None:
            raise BrowserLostError("The browser died while it started.")
        self.browser = process.identity
        table = processes.all_processes()
        companions = [pid for pid in table if table[pid].parent in {1, os.getpid()} and marked(pid) == self._mark]
        self._known = {pid: table[pid].identity for pid in companions}
        executable = processes.executable(process.pid)
        UnitRecord(self._mark, self.browser, driver, executable).write(self._folder)

    # Use.

    async def open_context(self, need: ContextNeed) -> "HeldContext":
        from longstop.fetch.browser.held_context import HeldContext

        profile = need.profile
        width, height = profile.viewport
        raw = await self._raw_context(
            {
                "user_agent": profile.user_agent or (self._plain_user_agent() if profile.is_plain else None),
                "locale": profile.locale,
                "timezone_id": profile.timezone_id,
                "viewport": {"width": width, "height": height},
                "extra_http_headers": dict(profile.extra_headers),
                "proxy": _proxy_settings(need.proxy),
                **_whereabouts(profile),
            }
        )
        held = HeldContext(raw, need, self._clock, self._opening, self._renderers)
        await in_time(self._clock, held.traffic.watch(raw), self._options.call_seconds, "watch a context's requests")
        return held

    def _plain_user_agent(self) -> str:
        """Chromium's own, of its own version, as it says it with a window."""
        version = "" if self._browser is None else self._browser.version
        return PLAIN_USER_AGENT.format(version.partition(".")[0])

    async def _raw_context(self, wanted: dict[str, object]) -> "BrowserContext":
        """Service workers are blocked, since what they fetch is seen by nobody."""
        if self._browser is None:
            raise BrowserLostError("The browser is not running.")
        creating = self._browser.new_context(
            accept_downloads=False,
            service_workers="block",
            **wanted,  # type: ignore[arg-type]  # one table of Playwright's own names, typed where it is filled
        )
        return await in_time(self._clock, creating, self._options.call_seconds, "open a context")

    async def probe(self, seconds: float) -> float:
        """How long driver and browser took to answer the smallest question. Renderers are asked through their pages."""
        if self._line is None:
            raise BrowserLostError("The browser is not running.")
        began = self._clock.monotonic()
        await in_time(self._clock, self._line.send("Browser.getVersion"), seconds, "answer")
        return self._clock.monotonic() - began

    # What the kernel says.

    def survey(self, table: Table) -> Survey:
        members = tuple(table[pid] for pid in sorted(self._members(table)))
        self._known = {each.pid: each.identity for each in members}
        here = set(self._known.values())
        self._kinds = {who: kind for who, kind in self._kinds.items() if who in here}
        driver = table.get(self.driver.pid) if self.driver else None
        return Survey(
            members=members,
            is_driver_alive=_is_there(self.driver, table),
            is_browser_alive=_is_there(self.browser, table),
            driver_rss_bytes=0 if driver is None else driver.rss_bytes,
            renderers=frozenset(each.pid for each in members if self._kind(each) == "renderer"),
        )

    def known(self) -> list[Identity]:
        """Who was seen to belong to it when last looked."""
        return list(self._known.values())

    def _members(self, table: Table) -> set[int]:
        ours = [who for who in (self.driver, self.browser) if who is not None]
        roots = [who.pid for who in ours if who.pid in table and table[who.pid].identity == who]
        companions = {pid for pid, who in self._known.items() if pid in table and table[pid].identity == who}
        sessions = [] if self.browser is None else [self.browser.pid]
        members = processes.descendants(table, roots) | processes.in_sessions(table, sessions) | companions
        # Once it is known who the browser is, that says more than what was seen on the way.
        return members if self.browser is not None else members | self._watch.members(table)

    def _kind(self, process: Process) -> str:
        """Chromium's own word for what a process is for, empty for its main process. Zygotes become renderers."""
        if self._kinds.get(process.identity, "zygote") == "zygote":
            self._kinds[process.identity] = command_line.kind_of(processes.arguments(process.pid))
        return self._kinds[process.identity]

    def _renderers(self) -> set[int]:
        below = set() if self.browser is None else processes.below(self.browser.pid)
        found = [process for process in map(processes.read_process, below) if process is not None]
        return {process.pid for process in found if not process.is_zombie and self._kind(process) == "renderer"}

    # End.

    async def end(self, gently: bool) -> Ending:
        """Asked kindly when there is a chance that it hears; then the whole group, the driver, and the folder."""
        began = self._clock.monotonic()
        before = len(self._everybody())
        if gently:
            await self._ask_to_close()
        stopping = await self._stop_driver(KINDLY_SECONDS / 2 if gently else 0.05)
        left = await self._kill()
        if stopping is not None:
            await self._settle(stopping)
        await self._remove_folder(bool(left))
        return Ending(before, len(left), self._clock.monotonic() - began)

    def _everybody(self) -> list[Identity]:
        """Who is known, and who carries the mark though we never saw it start."""
        table = processes.all_processes()
        pids = self._members(table) | {pid for pid in table if marked(pid) == self._mark}
        pids |= processes.descendants(table, pids)
        self._known = {pid: table[pid].identity for pid in pids}
        return [table[pid].identity for pid in pids if not table[pid].is_zombie]

    async def _ask_to_close(self) -> None:
        if self._browser is not None:
            with contextlib.suppress(BrowserError):
                await in_time(self._clock, self._browser.close(), KINDLY_SECONDS, "close")

    async def _stop_driver(self, seconds: float) -> "asyncio.Task[None] | None":
        return None if self._playwright is None else await stop_driver(self._playwright, self._clock, seconds)

    async def _kill(self) -> list[Identity]:
        left = self._everybody()
        if left and self.browser is not None:
            processes.kill_group(self.browser, signal.SIGTERM)
            left = await gone(left, self._clock, TERM_SECONDS)
        if left:
            if self.browser is not None:
                processes.kill_group(self.browser)
            for who in left:
                processes.send(who, signal.SIGKILL)
            await gone(left, self._clock, KILL_SECONDS)
        return self._everybody()

    async def _settle(self, stopping: "asyncio.Task[None]") -> None:
        """With its driver dead, Playwright's own end has nothing to wait for."""
        await asyncio.wait({stopping}, timeout=TERM_SECONDS)
        if not stopping.cancel():
            stopping.exception()

    async def _remove_folder(self, is_inhabited: bool) -> None:
        """What still lives may still write: its folder stays for the sweep, which finds both by it."""
        if is_inhabited:
            return
        if self._temporary != self._folder:
            await asyncio.to_thread(forget_links, [self._folder])
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


def _is_there(who: Identity | None, table: Table) -> bool:
    found = None if who is None else table.get(who.pid)
    return found is not None and found.identity == who and not found.is_zombie


def _whereabouts(profile: Profile) -> dict[str, object]:
    if profile.place is None:
        return {}
    latitude, longitude = profile.place
    return {"geolocation": {"latitude": latitude, "longitude": longitude}, "permissions": ["geolocation"]}


def _proxy_settings(url: str | None) -> "ProxySettings | None":
    """Loopback too goes through the proxy; Chromium would leave it out by itself."""
    if url is None:
        return None
    address = proxy_address(url)
    settings: ProxySettings = {"server": address.server, "bypass": "<-loopback>"}
    if address.username:
        settings |= {"username": address.username, "password": address.password}
    return settings
