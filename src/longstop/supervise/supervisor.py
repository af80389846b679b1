"""One for one: a child that fails is started again, alone, until its budget is spent; then the failure goes up.

The only place in the house that catches everything.
"""

import asyncio
import traceback
from collections import deque
from collections.abc import Callable

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import LongstopError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.supervise.service import Service, Stop


class RestartBudget(msgspec.Struct, frozen=True):
    """So many restarts in so many seconds; one more and the failure escalates."""

    restarts: int
    within_seconds: float
    delay_seconds: float = 0.5


SCRAPER_BUDGET = RestartBudget(restarts=5, within_seconds=30.0)
TOP_BUDGET = RestartBudget(restarts=3, within_seconds=60.0)


class EscalatedError(LongstopError):
    default_hint = "The log has each failure with its stack; the last one is the cause."


Ended = Callable[[LongstopError | None], None]


class Supervisor:
    """Holds its children by strong references. Children may be added and dropped while it runs."""

    def __init__(self, name: str, budget: RestartBudget, clock: Clock, bus: Signals) -> None:
        self.name = name
        self._budget = budget
        self._clock = clock
        self._bus = bus
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._failed: asyncio.Queue[LongstopError] = asyncio.Queue()

    @property
    def children(self) -> tuple[str, ...]:
        return tuple(self._tasks)

    def start(self, service: Service, stop: Stop, ended: Ended | None = None) -> None:
        """`ended` hears when the service came to its end by itself (None) or spent its budget; else a spent budget
        escalates."""
        if service.name in self._tasks:
            return
        task = asyncio.create_task(self._keep(service, stop, ended), name=service.name)
        self._tasks[service.name] = task
        task.add_done_callback(lambda _: self._tasks.pop(service.name, None))

    async def escalated(self) -> LongstopError:
        """Waits for a failure that restarts could not mend."""
        return await self._failed.get()

    async def join(self, deadline_seconds: float) -> tuple[str, ...]:
        """Waits for the children to end by themselves, then cancels the rest; names those that had to be cancelled."""
        tasks = dict(self._tasks)
        if tasks:
            await asyncio.wait(tasks.values(), timeout=deadline_seconds)
        late = tuple(name for name, task in tasks.items() if not task.done())
        for name in late:
            tasks[name].cancel()
        if late:
            await asyncio.wait([tasks[name] for name in late], timeout=deadline_seconds)
        return late

    async def _keep(self, service: Service, stop: Stop, ended: Ended | None) -> None:
        restarts: deque[float] = deque()
        while not stop.is_wanted:
            failure = await self._run_once(service, stop)
            if failure is None:
                if ended is not None and not stop.is_wanted:
                    ended(None)
                return
            restarts.append(self._clock.monotonic())
            self._forget_old(restarts)
            if len(restarts) > self._budget.restarts:
                self._escalate(service, failure, ended)
                return
            self._tell_restart(service, failure, len(restarts))
            await stop.pause(self._budget.delay_seconds * len(restarts))

    async def _run_once(self, service: Service, stop: Stop) -> BaseException | None:
        try:
            await service.run(stop)
        except asyncio.CancelledError as cancelled:
            # Cancelled from outside while nobody asked us to stop: the task was lost, not ended.
            if stop.is_wanted or asyncio.current_task() is None or _is_ours(asyncio.current_task()):
                raise
            return cancelled
        except Exception as failure:
            self._tell_failure(service, failure)
            return failure
        return None

    def _forget_old(self, restarts: deque[float]) -> None:
        while restarts and restarts[0] < self._clock.monotonic() - self._budget.within_seconds:
            restarts.popleft()

    def _escalate(self, service: Service, failure: BaseException, ended: Ended | None) -> None:
        error = EscalatedError(
            f"{service.name} failed more than {self._budget.restarts} times in {self._budget.within_seconds:g} s:"
            f" {type(failure).__name__}: {failure}"
        )
        if ended is not None:
            ended(error)
        else:
            self._failed.put_nowait(error)

    def _tell_failure(self, service: Service, failure: Exception) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="ERROR",
                error_type=getattr(failure, "kind", "internal"),
                error_message=f"{type(failure).__name__}: {failure}",
                hint="This is a fault of ours, not of the source: please report it with this stack.",
                operation=service.name,
                stack_trace="".join(traceback.format_exception(failure)),
            )
        )

    def _tell_restart(self, service: Service, failure: BaseException, restarts: int) -> None:
        self._bus.emit(
            signals.ServiceRestarted(
                at=self._clock.now(), service=service.name, reason=type(failure).__name__, restarts=restarts
            )
        )


def _is_ours(task: asyncio.Task[object] | None) -> bool:
    """A task that was really cancelled says so; a stray CancelledError out of a library does not."""
    return task is not None and task.cancelling() > 0
