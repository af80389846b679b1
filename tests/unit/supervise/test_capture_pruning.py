"""The service that holds raw captures to their bounds."""

import asyncio
from datetime import datetime, timedelta

import pytest

from longstop.observe import signals
from longstop.supervise.capture_pruning import LOOK_SECONDS, CapturePruning
from longstop.supervise.options import EngineOptions
from longstop.supervise.service import Stop
from tests.doubles import ShakyStore, failing_times
from tests.polling import CLOCK
from tests.virtual import Heard, on_virtual_time


class BoundedStore(ShakyStore):
    """Tells what it was asked to remove."""

    def __init__(self) -> None:
        super().__init__(CLOCK)
        self.asked: list[tuple[int, datetime | None]] = []

    async def prune_captures(self, bytes_max: int, older_than: datetime | None = None) -> int:
        self.before()
        self.asked.append((bytes_max, older_than))
        return 3


async def some_rounds(store: BoundedStore, rounds: int) -> Heard:
    heard = Heard()
    options = EngineOptions(captures_bytes=1000, captures_seconds=60.0)
    stop = Stop(CLOCK)

    async def end() -> None:
        await CLOCK.sleep(LOOK_SECONDS * rounds + 1)
        stop.ask("enough")

    service = CapturePruning(store, lambda: options, CLOCK, heard.bus)
    await asyncio.gather(service.run(stop), end())
    return heard


@pytest.mark.req("C5")
@on_virtual_time
async def test_every_round_asks_for_both_bounds_and_tells_what_went() -> None:
    store = BoundedStore()
    heard = await some_rounds(store, 2)
    assert [size for size, _ in store.asked] == [1000, 1000]
    oldest = store.asked[-1][1]
    assert oldest is not None
    assert timedelta(seconds=60) <= CLOCK.now() - oldest <= timedelta(seconds=62)
    assert [told.captures for told in heard.of(signals.CapturesPruned)] == [3, 3]


@on_virtual_time
async def test_a_database_that_is_away_is_told_and_the_next_round_tries_again() -> None:
    store = BoundedStore()
    store.before = failing_times(1)
    heard = await some_rounds(store, 2)
    (error,) = heard.of(signals.ErrorRaised)
    assert error.operation == "capture pruning"
    assert len(store.asked) == 1
