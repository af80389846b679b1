"""Who has to come round, and when. Each periodic service promises how soon it will be heard of again."""

from collections.abc import Callable

from longstop.clock import Clock
from longstop.supervise.service import Service, Stop

# Timers are never exact, and a loop may be busy for a moment.
GRACE_SECONDS = 10.0
# The longest turn of a service between two pauses: calls to a source and to the store, each with its own deadline.
WORK_SECONDS = 120.0


class Beats:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._promised: dict[str, float] = {}

    def promise(self, name: str, seconds: float) -> None:
        """Called at each turn: the next one comes within this time."""
        self._promised[name] = self._clock.monotonic() + seconds

    def leave(self, name: str) -> None:
        """Ended in order: nothing is promised any more."""
        self._promised.pop(name, None)

    def missing(self) -> dict[str, float]:
        """Who has not come, and by how many seconds he is late."""
        now = self._clock.monotonic()
        return {name: now - due for name, due in self._promised.items() if now - due > GRACE_SECONDS}


class Beating:
    """A service whose every pause is a promise: it is heard of again when that is over, and its work after it."""

    def __init__(self, service: Service, beats: Beats) -> None:
        self.name = service.name
        self._service = service
        self._beats = beats

    async def run(self, stop: Stop) -> None:
        # From the first moment on: it may hang before its first pause.
        self._promise(0.0)
        try:
            await self._service.run(_HeardStop(stop, self._promise))
        finally:
            self._beats.leave(self.name)

    def _promise(self, seconds: float) -> None:
        self._beats.promise(self.name, max(0.0, seconds) + WORK_SECONDS)


class _HeardStop(Stop):
    """The same wish to stop; somebody hears of each pause."""

    def __init__(self, wish: Stop, hear: Callable[[float], None]) -> None:
        self._wish = wish
        self._hear = hear

    @property
    def is_wanted(self) -> bool:
        return self._wish.is_wanted

    def ask(self, reason: str) -> None:
        self._wish.ask(reason)

    def on_asked(self, callback: Callable[[], None]) -> None:
        self._wish.on_asked(callback)

    async def pause(self, seconds: float) -> bool:
        self._hear(seconds)
        return await self._wish.pause(seconds)

    async def wait(self) -> None:
        await self._wish.wait()
