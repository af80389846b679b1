"""A4: several processes share one limit through a real Redis; it hangs, comes back, and has forgotten everything."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from longstop.clock import SystemClock
from longstop.observe import signals
from longstop.serve.entry.limits import Policy
from longstop.serve.entry.shared_limits import SharedLimiter
from longstop.settings.masks import SecretUrl
from longstop.settings.serving import RedisSettings
from tests.servers.redis import RedisServer
from tests.unit.serve.entry.house import MATCH, House, settings_in
from tests.virtual import Heard

pytestmark = pytest.mark.req("G2")
POLICY = Policy("standard", 100)
WORKERS = 3


class Turned(SystemClock):
    """Real time, and as much more as a test says. Redis counts by the clock of the day, which is moved as well."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


class Fleet:
    """Several workers with one Redis."""

    def __init__(self, url: str) -> None:
        self.clock = Turned()
        self.heard = Heard()
        self.limiters = [SharedLimiter(url, self.clock, self.heard.bus, lambda: WORKERS) for _ in range(WORKERS)]

    async def flood(self, who: str, requests: int, *workers: int) -> int:
        """How many of them got in."""
        chosen = workers or tuple(range(WORKERS))
        verdicts = [await self.limiters[chosen[n % len(chosen)]].take(who, POLICY) for n in range(requests)]
        return sum(verdict.is_allowed for verdict in verdicts)

    async def close(self) -> None:
        for limiter in self.limiters:
            await limiter.close()


@pytest.fixture
def redis(redis_server: RedisServer) -> Iterator[RedisServer]:
    redis_server.empty()
    yield redis_server
    os.kill(redis_server.process.popen.pid, signal.SIGCONT)


@pytest.fixture
async def fleet(redis: RedisServer) -> AsyncIterator[Fleet]:
    made = Fleet(redis.url)
    yield made
    await made.close()


def hang(redis: RedisServer) -> None:
    os.kill(redis.process.popen.pid, signal.SIGSTOP)


def wake(redis: RedisServer) -> None:
    os.kill(redis.process.popen.pid, signal.SIGCONT)


async def test_all_workers_together_let_through_what_the_limit_allows(fleet: Fleet) -> None:
    assert await fleet.flood("a", 400) == 100
    assert await fleet.flood("b", 40) == 40
    verdict = await fleet.limiters[0].take("a", POLICY)
    assert (verdict.is_allowed, verdict.remaining) == (False, 0)
    assert 1 <= verdict.reset_seconds <= 61
    told = await fleet.limiters[1].take("b", POLICY)
    assert (told.remaining, told.is_allowed) == (59, True)


async def test_when_redis_hangs_in_the_midst_of_it_nobody_gets_more(redis: RedisServer, fleet: Fleet) -> None:
    before = await fleet.flood("a", 60)
    hang(redis)
    after = await fleet.flood("a", 400)
    assert before == 60
    assert before + after <= 101
    (lost,) = fleet.heard.of(signals.LimitsLost)[:1]
    assert lost.workers == WORKERS
    wake(redis)
    redis.empty()
    fleet.clock.ahead += 2
    assert before + after + await fleet.flood("a", 400) <= 101
    assert fleet.heard.of(signals.LimitsRecovered)


async def test_one_whose_requests_all_went_to_another_worker_gets_no_second_helping(
    redis: RedisServer, fleet: Fleet
) -> None:
    assert await fleet.flood("a", 150, 0) == 100
    hang(redis)
    assert await fleet.flood("a", 200, 1, 2) == 0
    verdict = await fleet.limiters[1].take("a", POLICY)
    assert 50 <= verdict.reset_seconds <= 60


async def test_in_a_long_outage_each_worker_keeps_to_its_share(redis: RedisServer, fleet: Fleet) -> None:
    hang(redis)
    assert await fleet.flood("a", 10) == 0
    for _ in range(3):
        fleet.clock.ahead += 61
        assert 97 <= await fleet.flood("a", 400) <= 100
    wake(redis)


async def test_a_redis_that_was_never_there_is_no_way_around_the_limit(tmp_path: Path, free_port: int) -> None:
    fleet = Fleet(f"redis://127.0.0.1:{free_port}/0")
    assert await fleet.flood("a", 50) == 0
    fleet.clock.ahead += 61
    assert 97 <= await fleet.flood("a", 400) <= 100
    await fleet.close()


async def test_two_whole_instances_share_one_limit_for_one_consumer(redis: RedisServer, tmp_path: Path) -> None:
    shared = RedisSettings(url=SecretUrl(redis.url))
    settings = settings_in(tmp_path).model_copy(update={"redis": shared})
    houses = [House(settings), House(settings)]
    for house in houses:
        await house.open()
    bearer = await houses[0].bearer()
    await houses[1].hall.directory.refresh()
    answers = [(await houses[number % 2].get(MATCH, **bearer)).status_code for number in range(120)]
    assert answers.count(200) == 99
    assert answers[-10:] == [429] * 10
    for house in houses:
        await house.close()


async def test_while_redis_hangs_answers_come_all_the_same(redis: RedisServer, fleet: Fleet) -> None:
    await fleet.flood("a", 3)
    hang(redis)
    clock = SystemClock()
    began = clock.monotonic()
    await asyncio.gather(*(fleet.flood("a", 100, worker) for worker in range(WORKERS)))
    assert clock.monotonic() - began < 3.0
