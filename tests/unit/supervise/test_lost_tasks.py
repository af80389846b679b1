"""A wanted stop is told from a lost task."""

import asyncio

from longstop.supervise.budget import RestartBudget
from longstop.supervise.service import Stop
from longstop.supervise.supervisor import EscalatedError, Supervisor
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
BUDGET = RestartBudget(restarts=3, within_seconds=60.0)


class Waiting:
    """Runs until it is cancelled or told to stop."""

    name = "waiting"

    def __init__(self) -> None:
        self.runs = 0

    async def run(self, stop: Stop) -> None:
        self.runs += 1
        await stop.wait()


@on_virtual_time
async def test_a_task_that_is_lost_again_and_again_escalates_like_any_failure() -> None:
    supervisor, service = Supervisor("house", BUDGET, CLOCK, Heard().bus), Waiting()
    supervisor.start(service, Stop(CLOCK))
    for _ in range(BUDGET.restarts + 1):
        await CLOCK.sleep(3.0)
        supervisor._tasks["waiting"].cancel()
    assert isinstance(await supervisor.escalated(), EscalatedError)
    assert service.runs == BUDGET.restarts + 1


@on_virtual_time
async def test_a_task_that_ends_because_it_was_asked_to_is_not_started_again() -> None:
    supervisor, service, stop = Supervisor("house", BUDGET, CLOCK, Heard().bus), Waiting(), Stop(CLOCK)
    supervisor.start(service, stop)
    await CLOCK.sleep(1.0)
    stop.ask("enough")
    supervisor._tasks["waiting"].cancel()
    await CLOCK.sleep(10.0)
    assert (service.runs, supervisor.children) == (1, ())


@on_virtual_time
async def test_what_is_cancelled_at_the_end_is_not_started_again() -> None:
    class Stubborn(Waiting):
        async def run(self, stop: Stop) -> None:
            self.runs += 1
            await asyncio.Event().wait()

    supervisor, service, stop = Supervisor("house", BUDGET, CLOCK, Heard().bus), Stubborn(), Stop(CLOCK)
    supervisor.start(service, stop)
    await CLOCK.sleep(1.0)
    stop.ask("enough")
    assert await supervisor.join(5.0) == ("waiting",)
    await CLOCK.sleep(10.0)
    assert service.runs == 1
