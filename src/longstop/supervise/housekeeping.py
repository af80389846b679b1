"""Joins the services that look after resources: who measures, who holds the bounds, who clears away, who admits."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import LongstopError
from longstop.observe.signals import Signals
from longstop.resilience.lifetime import LifetimeLimits
from longstop.resilience.memory import MB, MemoryLimits
from longstop.settings import Settings
from longstop.supervise.admission import Admission, AdmissionLimits
from longstop.supervise.bounds import MemoryBounds
from longstop.supervise.cleanup import Cleanup, CleanupLimits, Sweeper
from longstop.supervise.hands import Hands
from longstop.supervise.lifetime import Lifetime
from longstop.supervise.machine import LinuxMachine, Machine
from longstop.supervise.memory import BrowserMemory, MemoryMeter
from longstop.supervise.service import Service

# What is asked for each time. The others are the browsers' bounds too, which are set when those are started.
RESOURCE_SETTINGS = (
    "scraper.resources.admission",
    "scraper.resources.cleanup_interval",
    "scraper.resources.memory.min_available_mb",
    "scraper.resources.memory.warn_percent",
)


class Browsers(BrowserMemory, Sweeper, Protocol):
    """What is asked of the browsers."""


class ResourceLimits(msgspec.Struct, frozen=True):
    memory: MemoryLimits = MemoryLimits()
    lifetime: LifetimeLimits = LifetimeLimits()
    cleanup: CleanupLimits = CleanupLimits()
    admission: AdmissionLimits = AdmissionLimits()


def resource_limits(settings: Settings) -> ResourceLimits:
    resources = settings.scraper.resources
    memory, admission = resources.memory, resources.admission
    return ResourceLimits(
        memory=MemoryLimits(memory.soft_limit_mb * MB, memory.hard_limit_mb * MB, memory.warn_percent / 100),
        lifetime=LifetimeLimits(settings.scraper.lifecycle.max_lifetime_hours * 3600),
        cleanup=CleanupLimits(resources.cleanup_interval, admission.idle_timeout),
        admission=AdmissionLimits(memory.min_available_mb * MB, admission.retry_delay),
    )


class Housekeeping:
    """`limits` is asked each time, so that settings read anew count at once. To be made before the first scraper is:
    what the process takes by then is nobody's."""

    def __init__(
        self,
        hands: Hands,
        browsers: Browsers,
        limits: Callable[[], ResourceLimits],
        surrender: Callable[[LongstopError], None],
        clock: Clock,
        bus: Signals,
        machine: Machine | None = None,
    ) -> None:
        self._machine = machine or LinuxMachine()
        bounds = MemoryBounds(hands, self._machine, lambda: limits().memory, surrender, clock, bus)
        self.memory = MemoryMeter(hands, self._machine, browsers, bounds, clock, bus)
        self.lifetime = Lifetime(hands, lambda: limits().lifetime, clock, bus)
        self.cleanup = Cleanup(hands, browsers, lambda: self.memory.told, lambda: limits().cleanup, clock, bus)
        self.admission = Admission(self._machine, self._relieve, lambda: limits().admission, clock, bus)

    def services(self) -> tuple[Service, ...]:
        return (self.memory, self.lifetime, self.cleanup, self.admission)

    async def _relieve(self, available_bytes: int) -> None:
        self.memory.break_down(available_bytes)
        await self.cleanup.relieve()
        self._machine.release()
