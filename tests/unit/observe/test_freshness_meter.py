"""Ages sampled once a second, exact to a bucket, in bounded memory."""

import asyncio
import math
import random
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.observe.freshness import AgeHistogram, FreshnessMeter

NOON = datetime(2025, 11, 12, 12, tzinfo=UTC)

pytestmark = pytest.mark.req("A1")


@pytest.mark.parametrize("seed", range(5))
def test_percentiles_are_exact_to_ten_milliseconds(seed: int) -> None:
    chance = random.Random(seed)
    ages = [chance.expovariate(0.5) for _ in range(60 * 200)]
    histogram = AgeHistogram()
    for age in ages:
        histogram.add(age)
    ordered = sorted(ages)
    for fraction in (0.5, 0.95, 0.99):
        true = ordered[math.ceil(len(ordered) * fraction) - 1]
        assert 0 <= histogram.percentile(fraction) - true <= 0.0100001
    assert histogram.max_seconds == ordered[-1]


def test_no_age_is_made_to_look_younger() -> None:
    for age in (0.0, 0.005, 0.01, 2.499, 9.999, 10.0, 599.99, 600.0, 601.0, 86_400.0, 1e6):
        histogram = AgeHistogram()
        histogram.add(age)
        histogram.add(age)
        histogram.add(age * 2 + 1)
        assert age - 1e-9 <= histogram.percentile(0.5) <= max(age + 0.01, age * 1.0101)


def test_beyond_all_buckets_the_oldest_age_answers() -> None:
    histogram = AgeHistogram()
    for age in (1e8, 2e8):
        histogram.add(age)
    assert histogram.percentile(0.5) == histogram.max_seconds == 2e8


def test_ten_seconds_are_within_ten_seconds() -> None:
    histogram = AgeHistogram()
    for age in (1.0, 10.0, 10.001, 30.0):
        histogram.add(age)
    assert histogram.count_within(10.0) == 2
    assert histogram.summary().within_10s_ratio == 0.5


def test_nothing_measured_is_said_as_nothing() -> None:
    summary = AgeHistogram().summary()
    assert summary.count == 0
    assert summary.p99_seconds == 0.0


def test_the_meter_samples_every_second_on_virtual_time() -> None:
    async def measure() -> FreshnessMeter:
        clock = LoopClock(NOON)

        def ages(now: datetime) -> Iterator[float]:
            yield (now - NOON).total_seconds() % 2.5

        meter = FreshnessMeter(clock, ages)
        task = asyncio.create_task(meter.run())
        await clock.sleep(3_600.5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return meter

    meter = virtual_time.run(measure())
    assert meter.histogram.count == 3_601
    assert meter.summary().max_seconds == 2.0
    assert meter.summary().p50_seconds == 1.0
