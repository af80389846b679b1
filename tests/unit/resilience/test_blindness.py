"""A watchdog whose inputs cannot be true says so."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from longstop.resilience.blindness import (
    Blindness,
    BlindnessLimits,
    Measure,
    Memory,
    age_alarms,
    clock_alarms,
    measure_alarms,
    remember,
)
from longstop.resilience.halting import Movement, Progress, forgotten_seconds, halted_seconds, seen
from tests.cricket import NOON

LIMITS = BlindnessLimits()

pytestmark = pytest.mark.req("B3")


def kinds(*measures: Measure, every: float = 60.0, polls: int = 20) -> list[Blindness]:
    """What is said at the last of these looks."""
    memory, found = Memory(), []
    for turn, measure in enumerate(measures):
        elapsed = turn * every
        taken = replace(measure, measured_at=elapsed)
        memory = remember(memory, taken, polls, NOON + timedelta(seconds=elapsed), elapsed)
        found = measure_alarms(memory, taken, elapsed, LIMITS)
    return [alarm.kind for alarm in found]


def rows(count: int, rss: int | None = 1, cpu: float | None = None) -> list[Measure]:
    return [Measure(0.0, rss, cpu) for _ in range(count)]


@pytest.mark.parametrize("rss", [0, None])
def test_a_memory_of_nothing_is_an_alarm(rss: int | None) -> None:
    assert kinds(Measure(0.0, rss)) == [Blindness.MEMORY_MISSING]


def test_cpu_time_that_stands_while_polls_are_finished_is_an_alarm() -> None:
    growing = [Measure(0.0, turn, 0.1) for turn in range(1, 12)]
    assert kinds(*growing) == [Blindness.CPU_TIME_STUCK]
    assert kinds(*growing[:-1]) == []
    assert kinds(*growing, polls=0) == [], "without work it may stand"
    assert kinds(*[Measure(0.0, turn, turn / 10) for turn in range(1, 12)]) == []


def test_memory_that_is_the_same_to_the_byte_for_an_hour_is_an_alarm_and_for_minutes_is_none() -> None:
    assert kinds(*rows(20)) == []
    assert kinds(*rows(62)) == [Blindness.MEMORY_STUCK]


def test_fewer_processes_than_there_must_be_are_an_alarm() -> None:
    assert kinds(Measure(0.0, 1, processes=0)) == [Blindness.PROCESSES_MISSING]
    assert kinds(Measure(0.0, 1, processes=2, processes_least=3)) == [Blindness.PROCESSES_MISSING]
    assert kinds(Measure(0.0, 1, processes=3, processes_least=3)) == []


def test_a_measure_that_is_missing_or_old_is_an_alarm() -> None:
    assert measure_alarms(Memory(), None, 0.0, LIMITS)[0].kind is Blindness.MEASURE_MISSING
    assert measure_alarms(Memory(), Measure(0.0, 1), 31.0, LIMITS)[0].kind is Blindness.MEASURE_MISSING


@pytest.mark.parametrize(
    ("wall", "elapsed", "kind"),
    [
        (5.0, 5.0, None),
        (9.0, 5.0, None),
        (3605.0, 5.0, Blindness.CLOCK_JUMPED),
        (-5.0, 5.0, Blindness.CLOCK_JUMPED),
        (5.0, 3605.0, Blindness.CLOCK_JUMPED),
        (0.0, 5.0, Blindness.CLOCK_STOOD),
        (5.0, 0.0, Blindness.CLOCK_STOOD),
    ],
)
def test_two_clocks_have_to_agree(wall: float, elapsed: float, kind: Blindness | None) -> None:
    memory = remember(Memory(), None, 0, NOON, 100.0)
    found = clock_alarms(memory, NOON + timedelta(seconds=wall), 100.0 + elapsed, LIMITS)
    assert [alarm.kind for alarm in found] == ([kind] if kind else [])


def test_an_age_below_zero_is_an_alarm_that_names_the_worst() -> None:
    (alarm,) = age_alarms({"a": 5.0, "b": -3.0, "c": -90.0, "d": -0.5}, LIMITS)
    assert alarm.kind is Blindness.AGE_NEGATIVE
    assert alarm.detail == "2 matches, c by 90.0 s"


def moved(*looks: tuple[float, Progress]) -> Movement:
    movement = Movement()
    for now, progress in looks:
        movement = seen(movement, progress, now)
    return movement


def test_work_that_is_due_and_never_finished_is_a_halt() -> None:
    stuck = Progress(100, due=3, oldest_due_seconds=90.0)
    movement = moved((0.0, stuck), (90.0, stuck))
    assert halted_seconds(movement, stuck, 89.0, 90.0) == 0.0
    assert halted_seconds(movement, stuck, 90.0, 90.0) == 90.0


def test_a_turn_that_runs_for_ever_is_a_halt_and_one_after_a_long_idleness_is_none() -> None:
    idle, running = Progress(100), Progress(100, running=1)
    assert halted_seconds(moved((0.0, idle), (290.0, running)), running, 300.0, 90.0) == 0.0
    assert halted_seconds(moved((0.0, idle), (290.0, running)), running, 380.0, 90.0) == 90.0


def test_work_that_moves_is_no_halt_however_much_is_due() -> None:
    movement = moved(*((turn * 60.0, Progress(turn, due=500, oldest_due_seconds=400.0)) for turn in range(10)))
    assert halted_seconds(movement, Progress(9, due=500, oldest_due_seconds=400.0), 560.0, 90.0) == 0.0


def test_nothing_due_while_live_data_grows_old_is_a_match_forgotten() -> None:
    movement = moved((0.0, Progress(7)))
    assert forgotten_seconds(movement, 200.0, 95.0, 90.0) == 95.0
    assert forgotten_seconds(movement, 20.0, 95.0, 90.0) == 0.0
    busy = moved((0.0, Progress(7, running=1)))
    assert forgotten_seconds(busy, 200.0, 95.0, 90.0) == 0.0
