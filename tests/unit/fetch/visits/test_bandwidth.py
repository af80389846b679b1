"""The month's budget of bytes: slower when it runs short, an end when it is spent, and no restart that forgets it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from longstop.clock import LoopClock
from longstop.domain.errors import BudgetSpentError
from longstop.fetch.visits.bandwidth import Bandwidth, BandwidthOptions, Month, renewal_of
from longstop.fetch.visits.month_file import MonthFile
from longstop.observe import signals
from longstop.observe.alerts import Alerts
from tests.virtual import Heard, on_virtual_time

pytestmark = pytest.mark.req("D3")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
BUDGET = BandwidthOptions(budget_bytes=1000, pause_seconds_max=60.0)


class SameThread(MonthFile):
    """Virtual time knows no threads."""

    async def add(self, more: Month) -> Month | None:
        return self.put(more)


class Book:
    """A budget of 1000 bytes in a file, and what was told of it."""

    def __init__(self, folder: Path, epoch: datetime = NOON) -> None:
        self.path = folder / "bandwidth.json"
        self.clock = LoopClock(epoch)
        self.heard = Heard()

    def opened(self) -> Bandwidth:
        return Bandwidth(SameThread(self.path), self.clock, self.heard.bus, BUDGET)

    @property
    def levels(self) -> list[int]:
        return [each.level_percent for each in self.heard.of(signals.BandwidthUsed)]


@on_virtual_time
async def test_below_four_fifths_nobody_waits(tmp_path: Path) -> None:
    book = Book(tmp_path)
    bandwidth = book.opened()
    await bandwidth.count("sofascore", "s1", 700, 99)
    began = book.clock.monotonic()
    await bandwidth.admit("sofascore")
    assert book.clock.monotonic() == began
    assert book.levels == []


@on_virtual_time
async def test_the_nearer_the_end_the_longer_each_visit_waits(tmp_path: Path) -> None:
    book = Book(tmp_path)
    bandwidth = book.opened()
    waits = []
    for moved in (850, 50, 50, 49):
        await bandwidth.count("sofascore", "s1", moved, 0)
        began = book.clock.monotonic()
        await bandwidth.admit("sofascore")
        waits.append(round(book.clock.monotonic() - began, 2))
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (3.75, 59.4)


@on_virtual_time
async def test_when_it_is_spent_nothing_is_admitted_until_the_next_month(tmp_path: Path) -> None:
    book = Book(tmp_path, datetime(2026, 11, 30, 23, 59, tzinfo=UTC))
    bandwidth = book.opened()
    await bandwidth.count("sofascore", "s1", 900, 100)
    for _ in range(3):
        with pytest.raises(BudgetSpentError, match=r"01 December.*bandwidth_budget_mb"):
            await bandwidth.admit("sofascore")
    assert not BudgetSpentError.heals
    await book.clock.sleep(61)
    await bandwidth.admit("sofascore")
    assert bandwidth.month.moved == 0


@on_virtual_time
async def test_each_level_is_told_once_and_the_end_is_critical(tmp_path: Path) -> None:
    book = Book(tmp_path)
    Alerts(errors_per_minute=100).subscribe(book.heard.bus)
    bandwidth = book.opened()
    for _ in range(12):
        await bandwidth.count("sofascore", "s1", 100, 0)
    assert book.levels == [80, 100], "from 90 to 100 at once: 95 is not told beside it"
    alerts = book.heard.of(signals.AlertRaised)
    assert [(each.alert, each.severity) for each in alerts][-1] == ("bandwidth spent", "CRITICAL")
    assert len([each for each in alerts if each.alert == "bandwidth spent"]) == 1


@on_virtual_time
async def test_a_restart_forgets_neither_what_moved_nor_what_was_told(tmp_path: Path) -> None:
    book = Book(tmp_path)
    await book.opened().count("sofascore", "s1", 1000, 0)
    again = book.opened()
    assert again.month.moved == 1000
    with pytest.raises(BudgetSpentError):
        await again.admit("sofascore")
    assert book.levels == [100]


@on_virtual_time
async def test_a_month_that_is_over_is_forgotten_at_a_start(tmp_path: Path) -> None:
    await Book(tmp_path).opened().count("sofascore", "s1", 1000, 0)
    later = Book(tmp_path, datetime(2026, 12, 1, tzinfo=UTC)).opened()
    await later.admit("sofascore")
    assert later.month.moved == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"period": 3}', b"\x00\xff"])
@on_virtual_time
async def test_a_file_that_cannot_be_read_stops_nobody(tmp_path: Path, content: bytes) -> None:
    book = Book(tmp_path)
    book.path.write_bytes(content)
    bandwidth = book.opened()
    await bandwidth.count("sofascore", "s1", 10, 5)
    assert book.opened().month.sources == {"sofascore": 15}


@on_virtual_time
async def test_it_is_counted_by_source_and_by_session_and_no_more_sessions_than_needed(tmp_path: Path) -> None:
    bandwidth = Book(tmp_path).opened()
    await bandwidth.count("sofascore", "s1", 10, 5)
    await bandwidth.count("other", "s2", 20, 0)
    assert bandwidth.month.sources == {"sofascore": 15, "other": 20}
    assert dict(bandwidth.by_session) == {"s1": 15, "s2": 20}


@on_virtual_time
async def test_two_processes_add_to_one_count(tmp_path: Path) -> None:
    book = Book(tmp_path)
    service, by_hand = book.opened(), book.opened()
    for _ in range(3):
        await service.count("sofascore", "s1", 100, 0)
        await by_hand.count("sofascore", "s2", 0, 50)
    assert by_hand.month.moved == 450
    await service.count("other", "s3", 550, 0)
    with pytest.raises(BudgetSpentError):
        await service.admit("sofascore")


@on_virtual_time
async def test_a_disk_that_takes_nothing_is_caught_up_with_later(tmp_path: Path) -> None:
    book = Book(tmp_path)
    bandwidth = book.opened()
    book.path.mkdir()
    await bandwidth.count("sofascore", "s1", 300, 0)
    await bandwidth.count("sofascore", "s1", 300, 0)
    assert bandwidth.month.moved == 600
    book.path.rmdir()
    await bandwidth.count("sofascore", "s1", 1, 0)
    assert (bandwidth.month.moved, book.opened().month.moved) == (601, 601)


def test_it_is_renewed_on_the_first_of_the_next_month() -> None:
    assert renewal_of(NOON) == datetime(2026, 12, 1, tzinfo=UTC)
    assert renewal_of(datetime(2026, 12, 31, 23, tzinfo=UTC)) == datetime(2027, 1, 1, tzinfo=UTC)
