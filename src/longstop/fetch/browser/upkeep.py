"""Looks after the pool's browsers, round after round: are they there, do they answer, how large are they, is it time?

A round never waits for a browser. Questions to browsers are tasks of their own; what comes back is acted on at once.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from typing import Any

from longstop.clock import Clock
from longstop.domain.errors import BrowserError, LongstopError
from longstop.fetch.browser import processes
from longstop.fetch.browser.berths import Berth, Fleet
from longstop.fetch.browser.held_context import attributed, with_overhead
from longstop.fetch.browser.lease import Lease, seen
from longstop.fetch.browser.lifecycle import UnitState
from longstop.fetch.browser.recycling import Action, ContextFigures, judge_context, judge_unit
from longstop.fetch.browser.roster import PoolOptions, Roster
from longstop.fetch.browser.survey import Survey

# Timeouts are retried once, with half as long again.
PATIENCE = (1.0, 1.5)


class Upkeep:
    def __init__(
        self,
        roster: Roster,
        fleet: Fleet[Any],
        clock: Clock,
        options: PoolOptions,
        follow: Callable[[Lease], None],
        on_measured: Callable[[], None],
    ) -> None:
        self._roster = roster
        self._fleet = fleet
        self._clock = clock
        self._options = options
        self._follow = follow
        self._on_measured = on_measured
        self._asked: set[Lease] = set()
        self._measured_at = float("-inf")
        self._swept_at = clock.monotonic()

    async def run(self) -> None:
        while True:
            await self.round()
            await self._rest()

    async def _rest(self) -> None:
        """Until the next round, or until somebody saw something odd."""
        self._roster.wake.clear()
        with contextlib.suppress(TimeoutError):
            async with self._clock.timeout(self._options.probe_every_seconds):
                await self._roster.wake.wait()

    async def round(self) -> None:
        self._end_overdue()
        berths = [each for each in self._roster.berths if each.is_usable]
        is_measuring = self._is_time_to_measure(berths)
        surveys = await self._fleet.survey([each.unit for each in berths], is_measuring)
        for berth in berths:
            self._look(berth, surveys[berth.unit.name], is_measuring)
        if is_measuring:
            self._on_measured()
        self._ask_all()
        self._sweep_when_due()
        self._roster.settle()

    # Time.

    def _end_overdue(self) -> None:
        now = self._clock.monotonic()
        for lease in self._roster.leases:
            if now > lease.expires_at:
                self._roster.take_back(lease, "it was not renewed in time")
        for berth in tuple(self._roster.berths):
            if berth.state is UnitState.DRAINING and now > berth.drain_until:
                self._roster.end_overdue(berth)

    def _sweep_when_due(self) -> None:
        if self._clock.monotonic() - self._swept_at > self._options.sweep_every_seconds:
            self._swept_at = self._clock.monotonic()
            self._roster.spawn(self._fleet.sweep(), "sweep orphans")

    def _is_time_to_measure(self, berths: list[Berth]) -> bool:
        """At its interval; at once when one may have passed the hard limit: PSS never grows by more than RSS does."""
        now = self._clock.monotonic()
        hard = self._options.unit_limits.pss_hard_bytes
        is_near = hard > 0 and any(each.pss_bytes_at_most > hard for each in berths)
        if not is_near and now - self._measured_at < self._options.measure_every_seconds:
            return False
        self._measured_at = now
        return True

    # What the kernel says.

    def _look(self, berth: Berth, survey: Survey, is_measured: bool) -> None:
        if not berth.is_usable:
            return
        berth.survey = survey
        if ailment := self._ailment(berth, survey):
            self._roster.lose(berth, ailment)
            return
        if is_measured:
            self._measure(berth, survey)
        self._judge(berth)

    def _ailment(self, berth: Berth, survey: Survey) -> str | None:
        if not survey.is_driver_alive:
            return "its driver died"
        if not survey.is_browser_alive:
            return "the browser died"
        # Seen twice, since a process may be stopped for a moment for good reasons.
        stuck = survey.stopped & berth.stopped
        berth.stopped = survey.stopped
        renderers = {who for who in stuck if who.pid in survey.renderers}
        for who in renderers:
            # Its page then crashes, which is noticed; left alone it would outlive its context.
            processes.send(who, signal.SIGKILL)
        return "one of its processes was stopped" if stuck - renderers else None

    def _measure(self, berth: Berth, survey: Survey) -> None:
        # Who lives takes memory: a sum of nothing is a reading that failed, and RSS, never less, stands in for it.
        berth.pss_bytes = sum(survey.pss.values()) or survey.rss_bytes
        if survey.living and not berth.pss_bytes:
            self._roster.tell_unmeasured(berth)
        berth.rss_bytes_then = survey.rss_bytes
        leases = {str(number): lease for number, lease in enumerate(berth.leases)}
        renderers = {pid: survey.pss.get(pid, 0) for pid in survey.renderers}
        told = attributed(renderers, {key: lease.held.claimed for key, lease in leases.items()})
        whole = with_overhead(told, berth.pss_bytes)
        for key, lease in leases.items():
            lease.pids = tuple(sorted(lease.held.claimed & survey.renderers))
            lease.measured_bytes = told[key]
            lease.share_bytes = whole[key]

    def _judge(self, berth: Berth) -> None:
        verdict = judge_unit(berth.figures(self._clock.monotonic()), self._options.unit_limits)
        if verdict is not None and verdict.action is Action.KILL:
            self._roster.lose(berth, f"{verdict.reason}: {verdict.detail}", verdict)
        elif berth.state is not UnitState.READY:
            return
        elif verdict is None:
            self._judge_leases(berth)
        elif verdict.action is Action.CLOSE:
            self._roster.close_idle(berth, verdict)
        else:
            self._roster.replace(berth, verdict)

    def _judge_leases(self, berth: Berth) -> None:
        for lease in berth.leases:
            figures = ContextFigures(
                age_seconds=lease.age_seconds,
                tasks=lease.tasks,
                memory_bytes=lease.measured_bytes,
                first_tasks=lease.trend.first,
                recent_tasks=lease.trend.recent,
            )
            verdict = judge_context(figures, self._options.context_limits)
            if verdict is not None and not lease.retiring.is_set() and not lease.is_followed:
                lease.is_followed = True
                self._roster.tell_lease_recycled(lease, verdict)
                self._follow(lease)

    # What they say themselves.

    def _ask_all(self) -> None:
        for berth in self._roster.berths:
            if berth.is_usable and not berth.is_probing:
                berth.is_probing = True
                self._roster.ask(berth, self._ask_unit(berth), f"ask browser {berth.unit.name}")
        for lease in self._roster.leases:
            if lease.held.crashed.is_set():
                self._roster.take_back(lease, "its page crashed")
            elif lease not in self._asked:
                self._asked.add(lease)
                self._roster.spawn(self._ask_lease(lease), f"ask a page of {lease.unit}")

    async def _ask_unit(self, berth: Berth) -> None:
        try:
            berth.probes.add(await self._answer(berth))
        except BrowserError as error:
            self._roster.lose(berth, error.message.rstrip("."))
        finally:
            berth.is_probing = False

    async def _answer(self, berth: Berth) -> float:
        try:
            return await berth.unit.probe(self._options.probe_seconds * PATIENCE[0])
        except BrowserError:
            return await berth.unit.probe(self._options.probe_seconds * PATIENCE[1])

    async def _ask_lease(self, lease: Lease) -> None:
        """A crash is told by an event; what does not answer is told by nobody."""
        asking = asyncio.create_task(lease.held.probe(self._options.page_seconds))
        crash = asyncio.create_task(lease.held.crashed.wait())
        lost = asyncio.create_task(lease.lost.wait())
        asking.add_done_callback(seen)
        try:
            await asyncio.wait({asking, crash, lost}, return_when=asyncio.FIRST_COMPLETED)
            if lease.held.crashed.is_set():
                self._roster.take_back(lease, "its page crashed")
            elif asking.done() and isinstance(error := asking.exception(), LongstopError):
                self._roster.take_back(lease, error.message.rstrip("."))
        finally:
            self._asked.discard(lease)
            for task in (asking, crash, lost):
                task.cancel()
