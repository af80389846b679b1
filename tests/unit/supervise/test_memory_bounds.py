"""80 % is told, soft replaces, hard kills; and who is not to blame is left alone."""

import pytest

from longstop.domain.errors import LongstopError, OutOfMemoryError
from longstop.observe import signals
from longstop.resilience.memory import MB, MemoryLimits
from longstop.supervise.bounds import MemoryBounds
from tests.unit.supervise.wards import FakeHands, FakeMachine, scraper
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
SMALL = 100 * MB

pytestmark = pytest.mark.req("B5")


class Bounded:
    def __init__(self, *match_ids: str) -> None:
        self.hands = FakeHands(*(scraper(match_id) for match_id in match_ids))
        self.machine = FakeMachine()
        self.heard = Heard()
        self.surrendered: list[LongstopError] = []
        self.bounds = MemoryBounds(
            self.hands, self.machine, MemoryLimits, self.surrendered.append, CLOCK, self.heard.bus
        )

    async def look(self, process: int = SMALL, **megabytes: int) -> None:
        """One round; the next comes five seconds later."""
        told = {match_id: size * MB for match_id, size in megabytes.items()}
        self.bounds.hold(self.hands.scrapers(), told, process)
        await CLOCK.sleep(5.0)

    def levels(self) -> list[tuple[str, str]]:
        return [(rose.match_id, rose.level) for rose in self.heard.of(signals.MemoryRose)]


@on_virtual_time
async def test_at_80_percent_of_the_soft_limit_an_alert_is_raised_once() -> None:
    house = Bounded("A", "B")
    for size in (1000, 1300, 1310, 1320):
        await house.look(A=size, B=10)
    assert house.levels() == [("A", "high")]
    assert house.hands.done == []
    await house.look(A=900)
    await house.look(A=1300)
    assert house.levels() == [("A", "high")] * 2


@on_virtual_time
async def test_above_the_soft_limit_the_scraper_is_replaced_and_the_others_are_left_alone() -> None:
    """S0, story 2.1: warning, cycle finished, a fresh scraper within 60 s."""
    house = Bounded("A", "B")
    await house.look(A=1600, B=1500)
    assert house.hands.done == [("restart", "A", "memory")]
    assert house.levels() == [("A", "soft"), ("B", "high")]
    (order,) = house.heard.of(signals.ReplacementOrdered)
    assert (order.action, order.detail) == ("replace", "1600 of 1536 MB")
    await house.look(A=20, B=1500)
    assert house.hands.views["A"].scraper_id == "A 1"
    assert len(house.hands.done) == 1


@on_virtual_time
async def test_above_the_hard_limit_the_scraper_is_killed_and_begun_anew_at_once() -> None:
    house = Bounded("A")
    await house.look(A=2100)
    assert house.hands.done == [("kill", "A", "memory")]
    assert house.levels() == [("A", "hard")]


@on_virtual_time
async def test_a_replacement_that_comes_too_late_becomes_a_kill() -> None:
    house = Bounded("A")
    house.hands.is_obeyed = False
    for size in (1600, 1800, 2100, 2200):
        await house.look(A=size)
    assert [what for what, *_ in house.hands.done] == ["restart", "kill"]


@on_virtual_time
async def test_an_order_that_was_not_obeyed_is_given_again_after_a_minute() -> None:
    house = Bounded("A")
    house.hands.is_obeyed = False
    for _ in range(25):
        await house.look(A=1600)
    assert [what for what, *_ in house.hands.done] == ["restart"] * 3


@on_virtual_time
async def test_a_successor_that_is_as_large_from_the_first_look_on_is_not_to_blame() -> None:
    house = Bounded("A")
    for _ in range(20):
        await house.look(A=1600)
    assert [what for what, *_ in house.hands.done] == ["restart"]


@on_virtual_time
async def test_a_successor_that_grows_as_large_again_is_replaced_again() -> None:
    house = Bounded("A")
    for size in (1600, 200, 1600, 200, 2100):
        await house.look(A=size)
    assert [what for what, *_ in house.hands.done] == ["restart", "restart", "kill"]


@on_virtual_time
async def test_what_is_not_known_of_a_scraper_is_no_ground_to_act_and_no_sign_of_health() -> None:
    house = Bounded("A")
    await house.look(A=1300)
    await house.look()
    await house.look(A=1310)
    assert house.levels() == [("A", "high")]
    assert house.hands.done == []


@on_virtual_time
async def test_a_process_that_grew_while_no_scraper_did_gives_back_and_renews_its_largest_one_by_one() -> None:
    house = Bounded("A", "B", "C")
    for _ in range(40):
        await house.look(process=1600 * MB, A=600, B=500, C=100)
    assert [match_id for _, match_id, _ in house.hands.done] == ["A", "B", "C"]
    assert house.machine.releases == 4
    assert house.levels() == [("", "soft")]
    assert house.surrendered == []


@on_virtual_time
async def test_a_process_beyond_its_hard_limit_ends_with_a_reason_but_not_for_a_moments_peak() -> None:
    house = Bounded("A")
    await house.look(process=2100 * MB, A=100)
    await house.look(process=2100 * MB, A=100)
    await house.look(process=1000 * MB, A=100)
    assert house.surrendered == []
    for _ in range(3):
        await house.look(process=2100 * MB, A=100)
    (error,) = house.surrendered
    assert isinstance(error, OutOfMemoryError)
    assert "2100 MB" in error.message
    assert "2048 MB" in error.message


@on_virtual_time
async def test_matches_that_are_watched_no_more_are_forgotten() -> None:
    house = Bounded("A")
    for number in range(500):
        house.hands.views = {f"M{number}": scraper(f"M{number}")}
        await house.look(**{f"M{number}": 1600})
    assert len(house.bounds._records) == 1
    assert len(house.bounds._orders) <= 121
