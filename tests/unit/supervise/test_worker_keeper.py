"""Who keeps a worker: on virtual time, with a child that answers, dies or goes deaf when a test wants it."""

import asyncio
import signal
from collections.abc import Callable

import pytest

from longstop.observe import signals
from longstop.supervise.service import Stop
from longstop.supervise.worker_keeper import WorkerKeeper
from tests.virtual import Heard, noon_clock, on_virtual_time


class Worker:
    """Stands in for a process: it answers pulses while it is not deaf."""

    def __init__(self) -> None:
        self.marks = 0
        self.code: int | None = None
        self.is_deaf = False
        self.was_asked = False
        self.was_killed = False

    def ended(self) -> int | None:
        return self.code

    def send(self, number: signal.Signals) -> None:
        self.was_asked = number is signal.SIGTERM
        self.code = 0

    def kill_all(self) -> None:
        self.was_killed = True

    def mark(self) -> int:
        return self.marks


class Yard:
    """Where workers are started, and the broker between them and their keeper."""

    def __init__(self) -> None:
        self.workers: list[Worker] = []
        self.is_broker_down = False

    def spawn(self) -> Worker:
        self.workers.append(Worker())
        return self.workers[-1]

    async def pulse(self, stamp: float) -> None:
        if self.is_broker_down:
            raise ConnectionError(stamp)
        if not self.workers[-1].is_deaf:
            self.workers[-1].marks += 1


async def kept(yard: Yard, seconds: float, *happenings: tuple[float, Callable[[], None]]) -> Heard:
    """A keeper for so long, and what happens on the way."""
    clock, heard = noon_clock(), Heard()
    stop = Stop(clock)
    keeping = asyncio.create_task(WorkerKeeper(yard.spawn, yard.pulse, clock, heard.bus).run(stop))
    for at, happen in happenings:
        await clock.sleep(at - clock.monotonic())
        happen()
    await clock.sleep(seconds - clock.monotonic())
    stop.ask("enough")
    await keeping
    return heard


@pytest.mark.req("E5")
@on_virtual_time
async def test_a_worker_that_answers_is_left_alone_and_asked_to_end_at_the_end() -> None:
    yard = Yard()
    heard = await kept(yard, 3600.0)

    (worker,) = yard.workers
    assert worker.was_asked
    assert not heard.all


@pytest.mark.req("E5")
@on_virtual_time
async def test_a_worker_that_is_there_and_takes_nothing_is_replaced_after_ten_seconds() -> None:
    yard = Yard()

    def go_deaf() -> None:
        yard.workers[0].is_deaf = True

    heard = await kept(yard, 80.0, (61.0, go_deaf))

    deaf, fresh = yard.workers
    assert deaf.was_killed
    assert not deaf.was_asked
    assert fresh.marks > 0
    assert [told.error_type for told in heard.of(signals.ErrorRaised)] == ["worker_lost"]


@pytest.mark.req("E5")
@on_virtual_time
async def test_a_worker_is_not_blamed_for_a_broker_that_is_down() -> None:
    yard = Yard()

    def cut() -> None:
        yard.is_broker_down = True

    def mend() -> None:
        yard.is_broker_down = False

    await kept(yard, 700.0, (61.0, cut), (600.0, mend))

    assert len(yard.workers) == 1


@pytest.mark.req("E5")
@on_virtual_time
async def test_a_worker_that_ended_is_started_again() -> None:
    yard = Yard()

    def crash() -> None:
        yard.workers[0].code = -9

    await kept(yard, 20.0, (9.0, crash))

    assert len(yard.workers) == 2


@pytest.mark.req("E5")
@on_virtual_time
async def test_a_worker_that_takes_long_to_begin_is_waited_for() -> None:
    yard = Yard()

    def go_deaf() -> None:
        yard.workers[0].is_deaf = True

    await kept(yard, 59.0, (1.0, go_deaf))

    assert len(yard.workers) == 1
