"""Takes the age of every live match once a second, as a service of the tree."""

from typing import Protocol

from longstop.clock import Clock
from longstop.supervise.service import Stop


class Sampled(Protocol):
    def sample(self) -> None: ...


class Sampling:
    name = "freshness sampling"

    def __init__(self, meter: Sampled, clock: Clock, interval_seconds: float = 1.0) -> None:
        self._meter = meter
        self._clock = clock
        self._interval_seconds = interval_seconds

    async def run(self, stop: Stop) -> None:
        due = self._clock.monotonic()
        while not await stop.pause(due - self._clock.monotonic()):
            self._meter.sample()
            due = max(due + self._interval_seconds, self._clock.monotonic())
