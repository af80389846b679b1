"""Real browsers for the pool: where they come from, what the kernel says about them, and what they leave behind."""

import asyncio
import itertools
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import BrowserError
from longstop.fetch.browser import processes
from longstop.fetch.browser.executable import find_executable
from longstop.fetch.browser.instance import Instance
from longstop.fetch.browser.orphans import OrphanReport, find_orphans, remove_orphans
from longstop.fetch.browser.reaping import Reaper, become_subreaper, resign_as_subreaper
from longstop.fetch.browser.short_path import forget_links
from longstop.fetch.browser.survey import Survey
from longstop.fetch.browser.unit import BrowserUnit, UnitOptions
from longstop.observe import signals
from longstop.observe.signals import Signals


class ChromiumOptions(msgspec.Struct, frozen=True):
    """`folder` is ours alone, for example <storage.root>/browser. `proxy` is the filtering proxy's address."""

    folder: Path
    executable: str = ""
    proxy: str | None = None
    headless: bool = True
    start_seconds: float = 20.0
    call_seconds: float = 8.0
    is_stealthy: bool = False


class ChromiumFleet:
    def __init__(self, options: ChromiumOptions, clock: Clock, bus: Signals) -> None:
        self._options = options
        self._clock = clock
        self._bus = bus
        self._numbers = itertools.count(1)
        self._reaper = Reaper()
        self._unit_options: UnitOptions | None = None
        self.instance = Instance(options.folder)
        self.is_subreaper = False

    async def open(self) -> None:
        """Removes what earlier runs left before anything new is started."""
        options = self._options
        executable = find_executable(options.executable)
        self._unit_options = UnitOptions(
            executable,
            options.proxy,
            options.headless,
            options.start_seconds,
            options.call_seconds,
            options.is_stealthy,
        )
        await self._claim()

    async def _claim(self) -> None:
        try:
            self.instance.claim()
        except OSError as error:
            hint = "Check that the folder may be written and that the disk has room."
            raise BrowserError(f"A browser would have nowhere to write: {error}.", hint=hint) from error
        self.is_subreaper = become_subreaper()
        await self.sweep()

    def new_unit(self) -> BrowserUnit:
        assert self._unit_options is not None, "the fleet is opened before units are asked for"
        return BrowserUnit(f"u{next(self._numbers)}", self.instance, self._unit_options, self._clock)

    async def survey(self, units: Sequence[BrowserUnit], with_pss: bool) -> Mapping[str, Survey]:
        """One look at the process table for all units; the reading of many small files is done in a thread."""
        table = await asyncio.to_thread(processes.all_processes)
        told = {unit.name: unit.survey(table) for unit in units}
        self._reaper.adopt_grandchildren(table)
        for unit in units:
            self._adopt(unit)
        self._reaper.reap(table)
        return await self._with_pss(told) if with_pss else told

    async def _with_pss(self, told: Mapping[str, Survey]) -> Mapping[str, Survey]:
        pids = [each.pid for survey in told.values() for each in survey.living]
        sizes = await asyncio.to_thread(processes.pss_of, pids)
        return {
            name: msgspec.structs.replace(survey, pss={each.pid: sizes[each.pid] for each in survey.living})
            for name, survey in told.items()
        }

    def _adopt(self, unit: BrowserUnit) -> None:
        if unit.browser is not None:
            self._reaper.adopt_session(unit.browser.pid)
        self._reaper.adopt(unit.known())

    async def sweep(self) -> OrphanReport:
        """At the start and every 30 minutes."""
        report = await remove_orphans(self.instance.root, self._clock)
        for orphan in report.killed:
            self._bus.emit(
                signals.OrphanKilled(
                    at=self._clock.now(),
                    pid=orphan.who.pid,
                    name=orphan.name,
                    mark=orphan.mark,
                    memory_bytes=orphan.memory_bytes,
                )
            )
        self._reaper.reap(processes.all_processes())
        return report

    def bury(self, unit: BrowserUnit) -> None:
        """After a unit's end: nobody else waits for its dead."""
        self._adopt(unit)
        self._reaper.reap(processes.all_processes())

    async def close(self) -> None:
        self._reaper.reap(processes.all_processes())
        resign_as_subreaper()
        await asyncio.to_thread(self._clear)
        self.instance.release()

    def _clear(self) -> None:
        """What was still being written while its folder was removed; nobody lives in it any more."""
        if self.instance.leftovers() and not find_orphans([self.instance.folder]):
            forget_links([self.instance.folder])
            for folder in self.instance.leftovers():
                shutil.rmtree(folder, ignore_errors=True)
