"""Puts on record what stays missing, in time: a match whose source fails, hangs, is not believed or asks for a pause
has no poll that could do it, and one in a break has none for half a minute."""

from collections.abc import Callable, Iterable
from typing import Protocol

from longstop.supervise.assignment import Assignment
from longstop.supervise.service import Stop
from longstop.watch import Watch

LOOK_SECONDS = 1.0


class Recorder(Protocol):
    async def record_overdue(self, watch: Watch) -> None:
        """Nothing, unless something has been missing for too long."""
        ...


class GapKeeping:
    """Of one source."""

    def __init__(self, source: str, recorder: Recorder, assignments: Callable[[], Iterable[Assignment]]) -> None:
        self.name = f"gap keeping {source}"
        self._recorder = recorder
        self._assignments = assignments

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(LOOK_SECONDS):
            await self.look()

    async def look(self) -> None:
        """While a successor is tried out, it is the one that writes."""
        for assignment in tuple(self._assignments()):
            if not assignment.is_replacing:
                await self._recorder.record_overdue(assignment.watch)
