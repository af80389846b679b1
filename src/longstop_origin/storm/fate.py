"""What befalls the process, and when: it is asked before every step of the loop."""

from collections import deque
from collections.abc import Callable

from longstop_origin.storm.loop import KilledError
from longstop_origin.storm.plan import CANCEL, FREEZE, POWER, STOP, Blow
from longstop_origin.storm.scene import Scene

# Some thirty times what a storm takes: who needs more turns on the spot.
STEPS_MAX = 1_000_000


class Fate:
    """`is_stop_wanted` is the one blow that asks; the others just fall. `freeze` lets time pass
    without the process, `cancel` ends one of its tasks that nobody wanted to end."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._blows = deque(scene.plan.blows)
        self._steps_left: int | None = None
        self.freeze: Callable[[float], None] = lambda _: None
        self.cancel: Callable[[int], None] = lambda _: None
        self.steps = 0
        self.is_stop_wanted = False
        self.last: Blow | None = None

    def begin_life(self) -> None:
        self.is_stop_wanted = False
        self._steps_left = None

    def step(self) -> None:
        self.steps += 1
        if self.steps > STEPS_MAX:
            raise KilledError
        if self._scene.disk.is_dead:
            if self._steps_left is not None:
                self._take()
            raise KilledError
        if self._blows and self._scene.timeline.seconds >= self._blows[0].at:
            if self._comes_too_late(self._blows[0]):
                self._blows.popleft()
            else:
                self._approach(self._blows[0])

    def _comes_too_late(self, blow: Blow) -> bool:
        """Blows end with the storm; one may have been put off by another."""
        return self._steps_left is None and self._scene.timeline.seconds + blow.lasts + 5.0 > self._scene.plan.seconds

    def _approach(self, blow: Blow) -> None:
        if self._steps_left is None:
            self._steps_left = blow.steps
            if blow.in_writing:
                disk = self._scene.disk
                disk.faults.die_at = disk.operations + 1 + blow.steps % 12
        self._steps_left -= 1
        if self._steps_left < 0:
            self._fall()

    def _fall(self) -> None:
        blow = self._take()
        if blow.kind == FREEZE:
            self.freeze(blow.lasts)
            self._scene.witness.thawed_at = self._scene.timeline.seconds
        elif blow.kind == STOP:
            self.is_stop_wanted = True
        elif blow.kind == CANCEL:
            self._scene.witness.cancelled_at = self._scene.timeline.seconds
            self.cancel(blow.steps)
        else:
            raise KilledError

    def _take(self) -> Blow:
        self._steps_left = None
        self.last = self._blows.popleft()
        return self.last

    @property
    def has_power_failed(self) -> bool:
        return self.last is not None and self.last.kind == POWER

    @property
    def down_seconds(self) -> float:
        """How long the machine takes to begin the next life."""
        return self.last.lasts if self.last is not None else 1.0
