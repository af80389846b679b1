"""No scraper is started into a machine without memory; who was refused comes in later by itself (S0, edge case 6)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from longstop.domain.errors import InsufficientMemoryError, StoreUnavailableError
from longstop.observe import signals
from longstop.resilience.memory import MB
from longstop.supervise import admission
from longstop.supervise.admission import Admission, AdmissionLimits
from longstop.supervise.service import Stop
from tests.unit.supervise.wards import FakeMachine
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()

pytestmark = pytest.mark.req("B6")


class Door:
    """An admission, and matches that begin through it as the roster's do."""

    def __init__(self) -> None:
        self.machine = FakeMachine()
        self.heard = Heard()
        self.relieved: list[tuple[float, int]] = []
        self.on_relief: Callable[[], None] = lambda: None
        self.begun: dict[str, float] = {}
        self.admission = Admission(self.machine, self._relieve, AdmissionLimits, CLOCK, self.heard.bus)

    async def begin(self, match_id: str) -> None:
        await self.admission.admit(match_id, lambda: self.begin(match_id))
        self.begun[match_id] = CLOCK.monotonic()

    async def is_refused(self, match_id: str) -> InsufficientMemoryError | None:
        try:
            await self.begin(match_id)
        except InsufficientMemoryError as error:
            return error
        return None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        stop = Stop(CLOCK)
        task = asyncio.create_task(self.admission.run(stop))
        yield
        stop.ask("the test is over")
        await task

    async def _relieve(self, available_bytes: int) -> None:
        self.relieved.append((CLOCK.monotonic(), available_bytes))
        self.on_relief()


@on_virtual_time
async def test_with_memory_enough_a_scraper_begins_and_nothing_is_said() -> None:
    door = Door()
    door.machine.available = 501 * MB
    assert await door.is_refused("A") is None
    assert door.heard.all == []


@on_virtual_time
async def test_below_500_mb_a_start_is_refused_with_a_reason_a_hint_and_a_time() -> None:
    door = Door()
    door.machine.available = 499 * MB
    error = await door.is_refused("A")
    assert error is not None
    assert error.message.startswith("Insufficient memory resources: 499 MB are available, a start needs 500 MB.")
    assert error.hint
    assert error.retry_after_seconds == 60.0
    (told,) = door.heard.of(signals.StartRefused)
    assert (told.match_id, told.available_bytes, told.retry_seconds) == ("A", 499 * MB, 60.0)
    assert door.begun == {}


@on_virtual_time
async def test_a_refused_start_comes_in_by_itself_after_a_minute_once_there_is_room() -> None:
    door = Door()
    door.machine.available = 400 * MB
    async with door.open():
        await door.is_refused("A")
        await CLOCK.sleep(30.0)
        door.machine.available = 900 * MB
        await CLOCK.sleep(40.0)
    assert door.begun == {"A": pytest.approx(60.0, abs=1.1)}
    (told,) = door.heard.of(signals.StartRetried)
    assert (told.match_id, told.attempt) == ("A", 1)
    assert door.admission.waiting == ()


@on_virtual_time
async def test_as_long_as_memory_is_short_it_is_tried_again_each_minute_and_told_each_time() -> None:
    door = Door()
    door.machine.available = 400 * MB
    async with door.open():
        await door.is_refused("A")
        await CLOCK.sleep(190.0)
    assert [told.attempt for told in door.heard.of(signals.StartRetried)] == [1, 2, 3]
    assert len(door.heard.of(signals.StartRefused)) == 4
    assert door.admission.waiting == ("A",)


@on_virtual_time
async def test_room_is_made_at_once_and_not_more_often_than_once_a_minute() -> None:
    door = Door()
    door.machine.available = 400 * MB
    async with door.open():
        for number in range(100):
            await door.is_refused(f"M{number}")
        await CLOCK.sleep(59.0)
        assert door.relieved == [(1.0, 400 * MB)]
        await CLOCK.sleep(60.0)
    assert len(door.relieved) == 2


@on_virtual_time
async def test_a_match_has_one_place_in_the_queue_however_often_discovery_lists_it() -> None:
    door = Door()
    door.machine.available = 400 * MB
    async with door.open():
        for waited in (0.0, 15.0, 30.0):
            error = await door.is_refused("A")
            assert error is not None
            assert error.retry_after_seconds == pytest.approx(60.0 - waited)
            await CLOCK.sleep(15.0)
        assert len(door.heard.of(signals.StartRefused)) == 1
        assert door.admission.waiting == ("A",)


@on_virtual_time
async def test_who_asks_again_when_there_is_room_need_not_wait_for_his_turn() -> None:
    door = Door()
    door.machine.available = 400 * MB
    async with door.open():
        await door.is_refused("A")
        await CLOCK.sleep(10.0)
        door.machine.available = 900 * MB
        assert await door.is_refused("A") is None
        await CLOCK.sleep(100.0)
    assert door.begun == {"A": 10.0}
    assert door.heard.of(signals.StartRetried) == []


@on_virtual_time
async def test_the_queue_is_bounded_and_who_finds_it_full_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "WAITING_MAX", 3)
    door = Door()
    door.machine.available = 400 * MB
    errors = [await door.is_refused(f"M{number}") for number in range(5)]
    assert [error is not None and error.retry_after_seconds for error in errors] == [60.0, 60.0, 60.0, None, None]
    assert len(door.admission.waiting) == 3
    assert [told.retry_seconds for told in door.heard.of(signals.StartRefused)] == [60.0, 60.0, 60.0, None, None]


@pytest.mark.parametrize("seconds", [0.0, 600.0])
@on_virtual_time
async def test_a_reading_that_fails_admits_and_is_an_alarm(seconds: float) -> None:
    await CLOCK.sleep(seconds)
    door = Door()
    door.machine.available = None
    for number in range(50):
        assert await door.is_refused(f"M{number}") is None
    (failed,) = door.heard.of(signals.ReadingFailed)
    assert failed.reading == "available memory"


@on_virtual_time
async def test_a_crowd_is_not_let_in_on_one_and_the_same_reading() -> None:
    """What was just let in has not taken its memory yet; it is counted until the machine shows it."""
    door = Door()
    door.machine.available = 510 * MB
    refused = [await door.is_refused(f"M{number}") for number in range(30)]
    assert sum(error is None for error in refused) == 11
    assert door.machine.looks == 1
    await CLOCK.sleep(20.0)
    assert await door.is_refused("LATER") is None


@on_virtual_time
async def test_a_start_that_fails_for_another_reason_is_told_and_waits_no_more() -> None:
    door = Door()
    door.machine.available = 400 * MB

    async def broken() -> None:
        raise StoreUnavailableError("The database is down.")

    async with door.open():
        with pytest.raises(InsufficientMemoryError):
            await door.admission.admit("A", broken)
        await CLOCK.sleep(130.0)
    (error,) = door.heard.of(signals.ErrorRaised)
    assert (error.match_id, error.error_type) == ("A", "database")
    assert door.admission.waiting == ()


@on_virtual_time
async def test_a_match_that_nobody_wants_any_more_is_taken_from_the_queue() -> None:
    door = Door()
    door.machine.available = 400 * MB
    async with door.open():
        await door.is_refused("A")
        door.admission.forget("A")
        door.machine.available = 900 * MB
        await CLOCK.sleep(120.0)
    assert door.begun == {}


@on_virtual_time
async def test_what_is_cleared_away_lets_the_next_one_in() -> None:
    door = Door()
    door.machine.available = 400 * MB
    door.on_relief = lambda: setattr(door.machine, "available", 700 * MB)
    async with door.open():
        await door.is_refused("A")
        await CLOCK.sleep(2.0)
        assert await door.is_refused("B") is None
        await CLOCK.sleep(60.0)
    assert set(door.begun) == {"A", "B"}
