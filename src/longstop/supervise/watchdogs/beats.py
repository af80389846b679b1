"""Who has to come round, and when. Each periodic service promises how soon it will be heard of again."""

from longstop.clock import Clock

# Timers are never exact, and a loop may be busy for a moment.
GRACE_SECONDS = 10.0


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
