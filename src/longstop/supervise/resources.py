"""Reads what the process uses, at an interval, never in a request."""

import asyncio
import contextlib

import psutil

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.supervise.service import Stop


class ResourceMeter:
    name = "resource meter"

    def __init__(self, clock: Clock, bus: Signals, interval_seconds: float = 5.0) -> None:
        self._clock = clock
        self._bus = bus
        self._interval_seconds = interval_seconds

    async def run(self, stop: Stop) -> None:
        process = psutil.Process()
        process.cpu_percent()
        self._measure(process)
        due = self._clock.monotonic() + self._interval_seconds
        while not await stop.pause(due - self._clock.monotonic()):
            self._measure(process)
            due = self._clock.monotonic() + self._interval_seconds

    def _measure(self, process: psutil.Process) -> None:
        with contextlib.suppress(psutil.Error):
            self._bus.emit(
                signals.ResourcesMeasured(
                    at=self._clock.now(),
                    rss_bytes=process.memory_info().rss,
                    cpu_percent=process.cpu_percent(),
                    tasks=len(asyncio.all_tasks()),
                    open_files=process.num_fds(),
                    cpu_seconds=_cpu_seconds(process),
                )
            )


def _cpu_seconds(process: psutil.Process) -> float:
    """Used since the start: it must grow while there is work, which the watchdogs hold us to."""
    times = process.cpu_times()
    return float(times.user + times.system)
