"""Keeps one worker working: a child that is started again when it ends, and when it is there but takes nothing more.

A worker that stays connected and consumes no longer looks healthy to everybody who asks it how it is. So it is not
asked: it gets messages of its own, as it gets work, and whoever does not answer them is ended.
"""

import signal
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.supervise.service import Stop

LOOK_SECONDS: Final = 0.1


class KeeperLimits(msgspec.Struct, frozen=True):
    """A child that has just begun has `start_seconds` for its first answer."""

    pulse_seconds: float = 2.0
    silence_seconds: float = 10.0
    start_seconds: float = 60.0
    drain_seconds: float = 25.0
    restart_seconds: float = 1.0


class Child(Protocol):
    """A process in a group of its own. `mark` changes with each answer."""

    def ended(self) -> int | None: ...

    def send(self, number: signal.Signals) -> None: ...

    def kill_all(self) -> None: ...

    def mark(self) -> int: ...


class Silence:
    """For how long a child has not answered although it could have."""

    def __init__(self, mark: int, now: float) -> None:
        self._mark = mark
        self._since = now
        self.has_answered = False

    def heard(self, mark: int, now: float) -> None:
        if mark != self._mark:
            self._mark, self._since, self.has_answered = mark, now, True

    def excuse(self, now: float) -> None:
        """The broker took no pulse, so there was nothing to answer."""
        self._since = now

    def seconds(self, now: float) -> float:
        return now - self._since


class WorkerKeeper:
    """`pulse` sends one message to the child by way of the broker; it may raise anything."""

    def __init__(
        self,
        spawn: Callable[[], Child],
        pulse: Callable[[float], Awaitable[None]],
        clock: Clock,
        bus: Signals,
        limits: KeeperLimits = KeeperLimits(),
    ) -> None:
        self.name = "worker keeper"
        self._spawn = spawn
        self._pulse = pulse
        self._clock = clock
        self._bus = bus
        self._limits = limits
        self.starts = 0

    async def run(self, stop: Stop) -> None:
        while not stop.is_wanted:
            child = self._spawn()
            self.starts += 1
            try:
                reason = await self._watch(child, stop)
                if not reason:
                    await self._drain(child)
                    return
            finally:
                child.kill_all()
            self._tell(reason)
            await stop.pause(self._limits.restart_seconds)

    async def _watch(self, child: Child, stop: Stop) -> str:
        """Why it is to be replaced; nothing when a stop is wanted."""
        silence = Silence(child.mark(), self._clock.monotonic())
        while not await stop.pause(self._limits.pulse_seconds):
            if (code := child.ended()) is not None:
                return f"The worker ended by itself ({code})."
            is_taken = await self._is_pulse_taken()
            silence.heard(child.mark(), self._clock.monotonic())
            if not is_taken:
                silence.excuse(self._clock.monotonic())
            seconds = silence.seconds(self._clock.monotonic())
            if seconds > self._patience(silence):
                return f"The worker is there, but has taken no message for {seconds:.0f} s."
        return ""

    def _patience(self, silence: Silence) -> float:
        return self._limits.silence_seconds if silence.has_answered else self._limits.start_seconds

    async def _is_pulse_taken(self) -> bool:
        try:
            await self._pulse(self._clock.monotonic())
        except Exception:  # whatever the broker's client raises, it means that the broker did not take it
            return False
        return True

    async def _drain(self, child: Child) -> None:
        """What is under way may end; what does not is taken again by somebody when its lease runs out."""
        child.send(signal.SIGTERM)
        deadline = self._clock.monotonic() + self._limits.drain_seconds
        while child.ended() is None and self._clock.monotonic() < deadline:
            await self._clock.sleep(LOOK_SECONDS)

    def _tell(self, reason: str) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type="worker_lost",
                error_message=reason,
                hint="Another one is started. What it held is taken again when its leases run out.",
                operation="rounds",
            )
        )
