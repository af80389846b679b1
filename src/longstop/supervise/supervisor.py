"""One for one: a child that fails is started again, alone, until its budget is spent; then the failure goes up.

The only place in the house that catches everything.
"""

import asyncio
import traceback
from collections.abc import Callable

from longstop.clock import Clock
from longstop.domain.errors import LongstopError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.supervise.budget import RestartBudget, Restarts
from longstop.supervise.service import Service, Stop


class EscalatedError(LongstopError):
    default_hint = "The log has each failure with its stack; the last one is the cause."


Ended = Callable[[LongstopError | None], None]


class _Child:
    """One service and how often it was started again; `is_lost` while it runs, until it is known how that ended."""

    def __init__(self, service: Service, stop: Stop, ended: Ended | None, budget: RestartBudget) -> None:
        self.service = service
        self.stop = stop
        self.ended = ended
        self.budget = budget
        self.restarts = Restarts()
        self.is_lost = False


class Supervisor:
    """Holds its children by strong references. Children may be added and dropped while it runs."""

    def __init__(self, name: str, budget: RestartBudget, clock: Clock, bus: Signals) -> None:
        self.name = name
        self._budget = budget
        self._clock = clock
        self._bus = bus
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._children: dict[str, _Child] = {}
        self._is_joining = False
        self._failed: asyncio.Queue[LongstopError] = asyncio.Queue()

    @property
    def children(self) -> tuple[str, ...]:
        return tuple(self._tasks)

    def start(
        self, service: Service, stop: Stop, ended: Ended | None = None, budget: RestartBudget | None = None
    ) -> None:
        """`ended` hears when the service came to its end by itself (None) or spent its budget; else a spent budget
        escalates."""
        if service.name not in self._tasks:
            self._start(_Child(service, stop, ended, budget or self._budget))

    def _start(self, child: "_Child") -> None:
        task = asyncio.create_task(self._keep(child), name=child.service.name)
        self._tasks[child.service.name] = task
        self._children[child.service.name] = child
        task.add_done_callback(lambda done: self._gone(child, done))

    def _gone(self, child: "_Child", task: asyncio.Task[None]) -> None:
        """A task that somebody cancelled while nobody wanted it to stop was lost: it is started again."""
        if self._tasks.get(child.service.name) is not task:
            return  # it was let go of, and another runs in its place
        del self._tasks[child.service.name]
        if task.cancelled() and not child.stop.is_wanted and not self._is_joining:
            self._start(child)

    def restart(self, name: str) -> bool:
        """Ends a child that hangs; it counts as lost, and is started again. One that did not even end when it was asked
        to before is let go of: another takes its place. False when nobody of this name can be restarted."""
        task, child = self._tasks.get(name), self._children.get(name)
        if task is None or child is None or self._is_joining or child.stop.is_wanted:
            return False
        if task.cancelling() > 0:
            child.is_lost = True
            self._start(child)
        else:
            task.cancel()
        return True

    def escalate(self, error: LongstopError) -> None:
        """Something is beyond all restarts, and whoever runs us should hear of it."""
        self._failed.put_nowait(error)

    async def escalated(self) -> LongstopError:
        """Waits for a failure that restarts could not mend."""
        return await self._failed.get()

    async def join(self, deadline_seconds: float, unwind_seconds: float | None = None) -> tuple[str, ...]:
        """Waits for the children to end by themselves, then cancels the rest; names those that had to be cancelled. Who
        still runs after `unwind_seconds`, the same again if nothing is said, is left behind."""
        self._is_joining = True
        tasks = dict(self._tasks)
        if tasks:
            await asyncio.wait(tasks.values(), timeout=deadline_seconds)
        late = tuple(name for name, task in tasks.items() if not task.done())
        for name in late:
            tasks[name].cancel()
        if late:
            await asyncio.wait(
                [tasks[name] for name in late], timeout=deadline_seconds if unwind_seconds is None else unwind_seconds
            )
        return late

    async def _keep(self, child: "_Child") -> None:
        stop = child.stop
        if child.is_lost and not await self._may_restart(child, asyncio.CancelledError("the task was lost")):
            return
        while not stop.is_wanted:
            child.is_lost = True
            failure = await self._run_once(child.service, stop)
            child.is_lost = False
            if failure is None:
                if child.ended is not None and not stop.is_wanted:
                    child.ended(None)
                return
            if not await self._may_restart(child, failure):
                return

    async def _may_restart(self, child: "_Child", failure: BaseException) -> bool:
        if not child.restarts.spend(child.budget, self._clock.monotonic()):
            self._escalate(child, failure)
            return False
        self._tell_restart(child.service, failure, child.restarts.count)
        await child.stop.pause(child.budget.delay_seconds * child.restarts.count)
        return True

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

    def _escalate(self, child: "_Child", failure: BaseException) -> None:
        budget = child.budget
        error = EscalatedError(
            f"{child.service.name} failed more than {budget.restarts} times in {budget.within_seconds:g} s:"
            f" {type(failure).__name__}: {failure}"
        )
        if child.ended is not None:
            child.ended(error)
        else:
            self.escalate(error)

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
