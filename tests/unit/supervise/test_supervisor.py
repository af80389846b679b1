import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest

from longstop.domain.errors import LongstopError
from longstop.observe import signals
from longstop.supervise.budget import RestartBudget
from longstop.supervise.service import Stop
from longstop.supervise.supervisor import EscalatedError, Supervisor
from tests.virtual import Heard, noon_clock, on_virtual_time

BUDGET = RestartBudget(restarts=3, within_seconds=60.0, delay_seconds=0.5)
CLOCK = noon_clock()
Behaviour = Callable[[Stop, int], Awaitable[None]]


class Child:
    """Does as told; its behaviour hears for which time it runs, from 1."""

    def __init__(self, name: str, behaviour: Behaviour) -> None:
        self.name = name
        self.runs = 0
        self.began_at: list[float] = []
        self._behaviour = behaviour

    async def run(self, stop: Stop) -> None:
        self.runs += 1
        self.began_at.append(CLOCK.monotonic())
        await self._behaviour(stop, self.runs)


async def obedient(stop: Stop, _: int) -> None:
    await stop.wait()


async def failing(stop: Stop, _: int) -> None:
    raise KeyError("broken")


async def stubborn(stop: Stop, _: int) -> None:
    await asyncio.Event().wait()


class House:
    def __init__(self, budget: RestartBudget = BUDGET) -> None:
        self.heard = Heard()
        self.supervisor = Supervisor("house", budget, CLOCK, self.heard.bus)
        self.stop = Stop(CLOCK)

    def start(self, *children: Child) -> None:
        for child in children:
            self.supervisor.start(child, self.stop)

    async def end(self, deadline_seconds: float = 30.0) -> tuple[str, ...]:
        self.stop.ask("the test is over")
        return await self.supervisor.join(deadline_seconds)


@pytest.mark.req("B3")
@on_virtual_time
async def test_a_child_that_fails_is_started_again_and_what_failed_is_told() -> None:
    async def fails_twice(stop: Stop, run: int) -> None:
        if run <= 2:
            raise KeyError("broken")
        await stop.wait()

    house = House()
    child = Child("child", fails_twice)
    house.start(child)
    await CLOCK.sleep(10.0)
    assert child.runs == 3
    errors = house.heard.of(signals.ErrorRaised)
    assert [error.error_message for error in errors] == ["KeyError: 'broken'"] * 2
    assert "fails_twice" in errors[0].stack_trace
    assert errors[0].operation == "child"
    assert [told.restarts for told in house.heard.of(signals.ServiceRestarted)] == [1, 2]
    assert await house.end() == ()


@on_virtual_time
async def test_each_restart_waits_longer_than_the_one_before() -> None:
    house = House()
    child = Child("child", failing)
    house.start(child)
    await CLOCK.sleep(30.0)
    assert child.began_at == pytest.approx([0.0, 0.5, 1.5, 3.0])
    await house.end()


@pytest.mark.req("B3")
@on_virtual_time
async def test_a_child_that_spends_its_budget_escalates_and_is_not_started_again() -> None:
    house = House()
    child = Child("child", failing)
    house.start(child)
    error = await house.supervisor.escalated()
    assert isinstance(error, EscalatedError)
    assert error.message == "child failed more than 3 times in 60 s: KeyError: 'broken'"
    assert error.hint
    await CLOCK.sleep(600.0)
    assert child.runs == 4
    assert house.supervisor.children == ()
    await house.end()


@on_virtual_time
async def test_restarts_that_are_long_ago_do_not_count() -> None:
    async def fails_after_a_while(stop: Stop, _: int) -> None:
        if not await stop.pause(25.0):
            raise KeyError("broken")

    house = House()
    child = Child("child", fails_after_a_while)
    house.start(child)
    await CLOCK.sleep(3600.0)
    assert child.runs > 100
    assert house.supervisor.children == ("child",)
    await house.end()


@on_virtual_time
async def test_who_asked_to_hear_the_end_hears_it_instead_of_an_escalation() -> None:
    house = House()
    heard: list[LongstopError | None] = []
    house.supervisor.start(Child("failing", failing), house.stop, heard.append)
    await CLOCK.sleep(60.0)
    (error,) = heard
    assert isinstance(error, EscalatedError)
    with pytest.raises(TimeoutError):
        async with CLOCK.timeout(10.0):
            await house.supervisor.escalated()


@on_virtual_time
async def test_a_child_that_comes_to_its_end_is_gone_and_nobody_calls_it_a_failure() -> None:
    async def ends(stop: Stop, _: int) -> None:
        await stop.pause(5.0)

    house = House()
    heard: list[LongstopError | None] = []
    child = Child("child", ends)
    house.supervisor.start(child, house.stop, heard.append)
    await CLOCK.sleep(60.0)
    assert (child.runs, heard, house.supervisor.children) == (1, [None], ())
    assert house.heard.all == []


@on_virtual_time
async def test_a_wanted_stop_is_not_told_as_an_end() -> None:
    house = House()
    heard: list[LongstopError | None] = []
    house.supervisor.start(Child("child", obedient), house.stop, heard.append)
    await CLOCK.sleep(1.0)
    assert await house.end() == ()
    assert heard == []


@on_virtual_time
async def test_a_stray_cancellation_out_of_a_library_is_a_failure_like_any_other() -> None:
    async def strays(stop: Stop, run: int) -> None:
        if run == 1:
            raise asyncio.CancelledError
        await stop.wait()

    house = House()
    child = Child("child", strays)
    house.start(child)
    await CLOCK.sleep(5.0)
    assert child.runs == 2
    assert [told.reason for told in house.heard.of(signals.ServiceRestarted)] == ["CancelledError"]
    assert await house.end() == ()


@on_virtual_time
async def test_strays_without_end_spend_the_budget_too() -> None:
    async def strays(stop: Stop, run: int) -> None:
        raise asyncio.CancelledError

    house = House()
    house.start(Child("child", strays))
    error = await house.supervisor.escalated()
    assert "CancelledError" in error.message


@on_virtual_time
async def test_a_stray_cancellation_after_the_stop_restarts_nothing() -> None:
    async def strays_at_the_end(stop: Stop, _: int) -> None:
        await stop.wait()
        raise asyncio.CancelledError

    house = House()
    child = Child("child", strays_at_the_end)
    house.start(child)
    await CLOCK.sleep(1.0)
    assert await house.end() == ()
    assert child.runs == 1


@on_virtual_time
async def test_a_failure_after_the_stop_is_told_and_restarts_nothing() -> None:
    async def fails_at_the_end(stop: Stop, _: int) -> None:
        await stop.wait()
        raise KeyError("broken")

    house = House()
    child = Child("child", fails_at_the_end)
    house.start(child)
    await CLOCK.sleep(1.0)
    assert await house.end() == ()
    assert child.runs == 1
    assert len(house.heard.of(signals.ErrorRaised)) == 1


@on_virtual_time
async def test_a_task_that_is_cancelled_by_nobody_we_know_cleans_up_and_is_started_again() -> None:
    cleaned: list[int] = []

    async def tidy(stop: Stop, run: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(run)

    house = House()
    child = Child("child", tidy)
    house.start(child)
    await CLOCK.sleep(1.0)
    (task,) = house.supervisor._tasks.values()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert (cleaned, child.runs) == ([1], 1)
    await CLOCK.sleep(1.0)
    assert (child.runs, house.supervisor.children) == (2, ("child",))
    assert [told.reason for told in house.heard.of(signals.ServiceRestarted)] == ["CancelledError"]
    assert await house.end(1.0) == ("child",)
    assert child.runs == 2


@on_virtual_time
async def test_a_stop_during_the_wait_before_a_restart_ends_it_at_once() -> None:
    house = House(RestartBudget(restarts=3, within_seconds=60.0, delay_seconds=1000.0))
    child = Child("child", failing)
    house.start(child)
    await CLOCK.sleep(1.0)
    assert await house.end() == ()
    assert CLOCK.monotonic() == pytest.approx(1.0)
    assert child.runs == 1


@on_virtual_time
async def test_a_service_that_runs_is_not_started_a_second_time() -> None:
    house = House()
    first, second = Child("child", obedient), Child("child", obedient)
    house.start(first, second)
    await CLOCK.sleep(1.0)
    assert (first.runs, second.runs, house.supervisor.children) == (1, 0, ("child",))
    await house.end()


@on_virtual_time
async def test_a_name_is_free_again_when_its_service_has_ended() -> None:
    async def ends(stop: Stop, _: int) -> None:
        await stop.pause(1.0)

    house = House()
    child = Child("child", ends)
    house.start(child)
    await CLOCK.sleep(2.0)
    house.start(child)
    await CLOCK.sleep(2.0)
    assert child.runs == 2


@on_virtual_time
async def test_nothing_is_started_after_the_stop() -> None:
    house = House()
    house.stop.ask("over")
    child = Child("child", obedient)
    house.start(child)
    await CLOCK.sleep(1.0)
    assert child.runs == 0


@on_virtual_time
async def test_children_live_though_nobody_else_holds_them() -> None:
    house = House()
    house.start(*(Child(f"child {number}", obedient) for number in range(50)))
    for _ in range(5):
        await CLOCK.sleep(1.0)
        gc.collect()
    assert len(house.supervisor.children) == 50
    assert await house.end() == ()


@pytest.mark.req("B11")
@on_virtual_time
async def test_those_who_are_late_are_named_and_cancelled() -> None:
    async def slow(stop: Stop, _: int) -> None:
        await stop.wait()
        await CLOCK.sleep(5.0)

    house = House()
    house.start(Child("good", obedient), Child("slow", slow), Child("stubborn", stubborn), Child("deaf", stubborn))
    await CLOCK.sleep(1.0)
    assert await house.end(30.0) == ("stubborn", "deaf")
    assert CLOCK.monotonic() == pytest.approx(31.0)
    await CLOCK.sleep(0.0)
    assert house.supervisor.children == ()


@pytest.mark.req("B11")
@on_virtual_time
async def test_a_child_that_refuses_to_end_does_not_hold_the_house_for_ever() -> None:
    released = asyncio.Event()

    async def refuses(stop: Stop, _: int) -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue

    house = House()
    house.start(Child("refuses", refuses))
    await CLOCK.sleep(1.0)
    assert await house.end(10.0) == ("refuses",)
    assert CLOCK.monotonic() == pytest.approx(21.0)
    released.set()
    await CLOCK.sleep(1.0)


@on_virtual_time
async def test_an_empty_house_ends_at_once() -> None:
    assert await House().end() == ()
    assert CLOCK.monotonic() == 0.0


@pytest.mark.req("B3")
@on_virtual_time
async def test_one_child_that_fails_does_not_disturb_the_beat_of_the_others() -> None:
    beats: list[float] = []

    async def steady(stop: Stop, _: int) -> None:
        due = CLOCK.monotonic()
        while not await stop.pause(due - CLOCK.monotonic()):
            beats.append(CLOCK.monotonic())
            due += 2.5

    house = House()
    house.start(Child("steady", steady), *(Child(f"failing {number}", failing) for number in range(20)))
    await CLOCK.sleep(99.0)
    assert beats == pytest.approx([number * 2.5 for number in range(40)])
    await house.end()


@on_virtual_time
async def test_the_first_reason_to_stop_stays() -> None:
    stop = Stop(CLOCK)
    assert not stop.is_wanted
    stop.ask("first")
    stop.ask("second")
    assert (stop.is_wanted, stop.reason) == (True, "first")
    await stop.wait()


@on_virtual_time
async def test_a_pause_ends_when_the_stop_comes() -> None:
    stop = Stop(CLOCK)
    assert await stop.pause(5.0) is False
    asyncio.get_running_loop().call_later(2.0, stop.ask, "over")
    assert await stop.pause(3600.0) is True
    assert CLOCK.monotonic() == pytest.approx(7.0)
    assert await stop.pause(-5.0) is True


@on_virtual_time
async def test_a_stop_in_the_very_moment_of_waking_is_not_missed() -> None:
    for order in (1, -1):
        stop = Stop(CLOCK)
        due = asyncio.get_running_loop().time() + 5.0
        if order > 0:
            asyncio.get_running_loop().call_at(due, stop.ask, "over")
        pausing = asyncio.create_task(stop.pause(5.0))
        await asyncio.sleep(0)
        if order < 0:
            asyncio.get_running_loop().call_at(due, stop.ask, "over")
        assert await pausing is True


@on_virtual_time
async def test_a_cancelled_pause_is_cancelled() -> None:
    pausing = asyncio.create_task(Stop(CLOCK).pause(100.0))
    await CLOCK.sleep(1.0)
    pausing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pausing
