"""The client side of tokens: kept while they are good, renewed once, asked for ever more rarely, told when it lasts."""

import asyncio
import random

import jwt
import pytest

from longstop.domain.errors import FetchError, SourceRefusedError, SourceUnreachableError, TokenUnavailableError
from longstop.observe import signals
from longstop.resilience.token_keeper import DEGRADED_SECONDS, Grant, TokenKeeper, exp_of
from tests.virtual import Heard, noon_clock, on_virtual_time

pytestmark = pytest.mark.req("B12")


class Desk:
    """Gives out tokens, or fails; and somebody who takes only the newest."""

    def __init__(self, life: float | None = 3_600.0) -> None:
        self.clock = noon_clock()
        self.heard = Heard()
        self.given = 0
        self.asked_at: list[float] = []
        self.life = life
        self.failure: FetchError | None = None
        self.is_refusing = False
        self.protected: list[str] = []
        self.keeper = TokenKeeper(
            "sink", self.obtain, self.clock, self.heard.bus, random.Random(1), self.protected.append
        )

    async def obtain(self) -> Grant:
        self.asked_at.append(self.clock.monotonic())
        await self.clock.sleep(0.01)
        if self.failure is not None:
            raise self.failure
        self.given += 1
        return Grant(f"t{self.given}", self.life)

    async def call(self, token: str) -> str:
        await self.clock.sleep(0.01)
        if self.is_refusing or token != f"t{self.given}":
            raise SourceRefusedError("401")
        return token


@on_virtual_time
async def test_one_token_serves_until_shortly_before_its_end() -> None:
    desk = Desk(life=600.0)
    assert [await desk.keeper.carry(desk.call) for _ in range(3)] == ["t1", "t1", "t1"]
    await desk.clock.sleep(560)
    assert await desk.keeper.carry(desk.call) == "t1"
    await desk.clock.sleep(20)
    assert await desk.keeper.carry(desk.call) == "t2"
    assert desk.protected == ["t1", "t2"]


@on_virtual_time
async def test_many_who_call_at_once_ask_once() -> None:
    desk = Desk()
    assert set(await asyncio.gather(*(desk.keeper.carry(desk.call) for _ in range(50)))) == {"t1"}
    desk.given += 1  # revoked at the other end: only a newer one is taken
    assert set(await asyncio.gather(*(desk.keeper.carry(desk.call) for _ in range(50)))) == {"t3"}
    assert len(desk.asked_at) == 2


@on_virtual_time
async def test_a_refused_call_is_made_once_more_with_a_new_token_and_no_more() -> None:
    desk = Desk()
    await desk.keeper.carry(desk.call)
    desk.is_refusing = True
    with pytest.raises(SourceRefusedError):
        await desk.keeper.carry(desk.call)
    assert desk.given == 2
    with pytest.raises(TokenUnavailableError) as caught:
        await desk.keeper.carry(desk.call)
    assert 0 < caught.value.retry_after_seconds <= 2


@on_virtual_time
async def test_the_waits_grow_to_thirty_two_seconds_and_no_call_comes_between() -> None:
    desk = Desk()
    desk.failure = SourceUnreachableError("It is away.")
    began = desk.clock.monotonic()
    while desk.clock.monotonic() - began < 200:
        with pytest.raises(TokenUnavailableError) as caught:
            await desk.keeper.token()
        await desk.clock.sleep(max(0.05, caught.value.retry_after_seconds / 3))
    gaps = [later - earlier for earlier, later in zip(desk.asked_at, desk.asked_at[1:], strict=False)]
    for least, gap in zip((1, 2, 4, 8, 16, 32, 32), gaps, strict=False):
        assert least <= gap <= least * 1.25 + 12
    assert max(gaps) <= 32 * 1.25 + 12
    assert len(desk.heard.of(signals.TokenFailed)) == len(desk.asked_at)


@on_virtual_time
async def test_a_token_that_is_still_good_goes_on_while_no_new_one_can_be_had() -> None:
    desk = Desk(life=600.0)
    await desk.keeper.token()
    desk.failure = SourceUnreachableError("It is away.")
    await desk.clock.sleep(580)
    assert await desk.keeper.token() == "t1"
    await desk.clock.sleep(21)
    with pytest.raises(TokenUnavailableError):
        await desk.keeper.token()


@on_virtual_time
async def test_after_five_minutes_it_is_degraded_until_it_works_again() -> None:
    desk = Desk()
    desk.failure = SourceUnreachableError("It is away.")
    for _ in range(80):
        with pytest.raises(TokenUnavailableError):
            await desk.keeper.token()
        await desk.clock.sleep(5)
    (degraded,) = desk.heard.of(signals.AccessDegraded)
    assert degraded.seconds >= DEGRADED_SECONDS
    assert degraded.whose == "sink"
    states = [desk.keeper.is_degraded]
    desk.failure = None
    await desk.clock.sleep(45)
    assert await desk.keeper.carry(desk.call) == "t1"
    states.append(desk.keeper.is_degraded)
    assert states == [True, False]
    (regained,) = desk.heard.of(signals.AccessRegained)
    assert regained.duration_seconds >= DEGRADED_SECONDS


@on_virtual_time
async def test_one_who_gives_up_waiting_keeps_nobody_else_from_a_token() -> None:
    desk = Desk()
    first = asyncio.create_task(desk.keeper.token())
    second = asyncio.create_task(desk.keeper.token())
    await desk.clock.sleep(0.005)
    first.cancel()
    assert await second == "t1"
    await asyncio.gather(first, return_exceptions=True)


@on_virtual_time
async def test_the_end_that_a_token_tells_itself_counts_when_it_is_sooner() -> None:
    desk = Desk()
    now = int(desk.clock.now().timestamp())
    token = jwt.encode({"exp": now + 100}, "x" * 32, "HS256")
    assert exp_of(token) == now + 100

    async def obtain() -> Grant:
        desk.given += 1
        return Grant(token, 3_600.0)

    keeper = TokenKeeper("sink", obtain, desk.clock, desk.heard.bus, random.Random(1))
    await keeper.token()
    await desk.clock.sleep(71)
    await keeper.token()
    assert desk.given == 2


@pytest.mark.parametrize("token", ["", "a", "a.b.c", "a.e30.c", "..", "a.W10.c", "a." + "A" * 100_000 + ".c", "a.😀.c"])
def test_what_is_no_jwt_tells_no_end(token: str) -> None:
    assert exp_of(token) is None
