"""Can what the watchdogs look at be true? Pure: readings go in, alarms come out.

A watchdog whose inputs are broken sees nothing wrong for ever. So a reading of 0 where there cannot be 0, a counter
that stands still while polls are finished, a clock that stands or jumps, an age below zero: each is an alarm of its
own kind, and never "all is well".
"""

from datetime import datetime
from enum import Enum

import msgspec


class Blindness(Enum):
    MEMORY_MISSING = "memory_missing"
    MEMORY_STUCK = "memory_stuck"
    CPU_TIME_STUCK = "cpu_time_stuck"
    PROCESSES_MISSING = "processes_missing"
    MEASURE_MISSING = "measure_missing"
    CLOCK_STOOD = "clock_stood"
    CLOCK_JUMPED = "clock_jumped"
    AGE_NEGATIVE = "age_negative"


class BlindnessLimits(msgspec.Struct, frozen=True):
    """A counter is stuck when it has been the same for so long and so many polls were finished meanwhile.

    The memory of a small and steady process may well be the same for minutes, to the byte; its CPU time never is.
    """

    measure_seconds: float = 30.0
    stuck_seconds: float = 600.0
    memory_stuck_seconds: float = 3600.0
    stuck_polls: int = 100
    jump_seconds: float = 5.0
    ahead_seconds: float = 1.0


class Measure(msgspec.Struct, frozen=True):
    """What was measured last, and when; None where it was not. `processes_least` is how many there must be."""

    measured_at: float
    rss_bytes: int | None = None
    cpu_seconds: float | None = None
    processes: int | None = None
    processes_least: int = 1


class Counter(msgspec.Struct, frozen=True):
    """A reading, and since when and since which poll it has been the same."""

    reading: float | None = None
    since: float = 0.0
    polls: int = 0


class Memory(msgspec.Struct, frozen=True):
    """What has to be remembered between two looks."""

    rss: Counter = Counter()
    cpu: Counter = Counter()
    wall: datetime | None = None
    elapsed: float = 0.0


class Alarm(msgspec.Struct, frozen=True):
    kind: Blindness
    detail: str


def remember(memory: Memory, measure: Measure | None, polls: int, now: datetime, elapsed: float) -> Memory:
    """After a look."""
    rss = measure.rss_bytes if measure else None
    cpu = measure.cpu_seconds if measure else None
    return Memory(_moved(memory.rss, rss, polls, elapsed), _moved(memory.cpu, cpu, polls, elapsed), now, elapsed)


def clock_alarms(memory: Memory, now: datetime, elapsed: float, limits: BlindnessLimits) -> tuple[Alarm, ...]:
    """Two clocks must agree how long it was since the last look."""
    if memory.wall is None:
        return ()
    by_wall, by_monotonic = (now - memory.wall).total_seconds(), elapsed - memory.elapsed
    if by_monotonic <= 0 or (by_wall == 0 and by_monotonic >= limits.ahead_seconds):
        return (Alarm(Blindness.CLOCK_STOOD, f"{by_wall:.3f} s of the day, {by_monotonic:.3f} s of running"),)
    if abs(by_wall - by_monotonic) >= limits.jump_seconds:
        return (Alarm(Blindness.CLOCK_JUMPED, f"by {by_wall - by_monotonic:+.1f} s"),)
    return ()


def age_alarms(ages_seconds: dict[str, float], limits: BlindnessLimits) -> tuple[Alarm, ...]:
    """What was captured in the future makes everything look fresh."""
    ahead = {match_id: age for match_id, age in ages_seconds.items() if age < -limits.ahead_seconds}
    if not ahead:
        return ()
    worst = min(ahead, key=lambda match_id: ahead[match_id])
    return (Alarm(Blindness.AGE_NEGATIVE, f"{len(ahead)} matches, {worst} by {-ahead[worst]:.1f} s"),)


def measure_alarms(memory: Memory, measure: Measure | None, elapsed: float, limits: BlindnessLimits) -> list[Alarm]:
    """`memory` is what was remembered with this very measure."""
    if measure is None or elapsed - measure.measured_at > limits.measure_seconds:
        return [Alarm(Blindness.MEASURE_MISSING, f"nothing was measured for {limits.measure_seconds:g} s")]
    alarms = []
    if not measure.rss_bytes:
        alarms.append(Alarm(Blindness.MEMORY_MISSING, f"the memory reads {measure.rss_bytes}"))
    elif is_stuck(memory.rss, elapsed, limits.memory_stuck_seconds, limits.stuck_polls):
        alarms.append(
            Alarm(Blindness.MEMORY_STUCK, f"{measure.rss_bytes} bytes for {elapsed - memory.rss.since:.0f} s")
        )
    if is_stuck(memory.cpu, elapsed, limits.stuck_seconds, limits.stuck_polls):
        alarms.append(
            Alarm(Blindness.CPU_TIME_STUCK, f"{measure.cpu_seconds} s since {elapsed - memory.cpu.since:.0f} s")
        )
    if measure.processes is not None and measure.processes < measure.processes_least:
        wanted = f"{measure.processes} processes, at least {measure.processes_least} must be there"
        alarms.append(Alarm(Blindness.PROCESSES_MISSING, wanted))
    return alarms


def is_stuck(counter: Counter, elapsed: float, seconds: float, polls: int) -> bool:
    """`counter.polls` counts those finished while it stood still."""
    return counter.reading is not None and elapsed - counter.since >= seconds and counter.polls >= polls


def _told(counter: Counter, unit: str, elapsed: float) -> str:
    return f"{counter.reading:g} {unit} for {elapsed - counter.since:.0f} s, while {counter.polls} polls were finished"


def _moved(counter: Counter, reading: float | None, polls: int, elapsed: float) -> Counter:
    """`polls` are those finished since the last look."""
    if reading is None or reading != counter.reading:
        return Counter(reading, elapsed, 0)
    return Counter(counter.reading, counter.since, counter.polls + polls)
