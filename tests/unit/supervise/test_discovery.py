import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from longstop.clock import to_millis
from longstop.domain.errors import SourceFailingError, SourceThrottledError, StoreUnavailableError
from longstop.domain.match import MatchListing
from longstop.observe import signals
from longstop.sources.crex import CrexSource
from longstop.supervise.discovery import Discovery
from longstop.supervise.options import EngineOptions
from longstop.supervise.service import Stop
from tests.crex import LISTED, changed
from tests.cricket import NOON
from tests.doubles import ScriptedFetcher
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
INTERVAL = 15.0


def listed(key: str, status: int = 1, **more: Any) -> dict[str, Any]:
    return changed(LISTED, key=key, st=status, **more)


def starts_in(minutes: float) -> int:
    return to_millis(NOON + timedelta(minutes=minutes))


def options() -> EngineOptions:
    return EngineOptions(discovery_seconds=INTERVAL)


class Run:
    def __init__(self, answer: Any) -> None:
        self.heard = Heard()
        self.fetcher = ScriptedFetcher(CLOCK, {"list": answer})
        self.taken: list[list[str]] = []
        self.asked_at: list[float] = []
        self.stop = Stop(CLOCK)
        self.discovery = Discovery(CrexSource(), self.fetcher, self.take, options, CLOCK, self.heard.bus)

    async def take(self, listings: Sequence[MatchListing]) -> None:
        self.asked_at.append(CLOCK.monotonic())
        self.taken.append([listing.ref.key for listing in listings])

    async def for_seconds(self, seconds: float) -> "Run":
        task = asyncio.create_task(self.discovery.run(self.stop))
        await asyncio.wait([task], timeout=seconds)
        self.stop.ask("the test is over")
        await task
        return self


@pytest.mark.req("A7")
@on_virtual_time
async def test_only_matches_worth_watching_are_handed_on() -> None:
    rows = [
        listed("LIVE"),
        listed("OVER", 2),
        listed("SOON", 0, ti=starts_in(59)),
        listed("LATE", 0, ti=starts_in(61)),
        listed("BEGUN", 0, ti=starts_in(-30)),
        listed("NOTIME", 0, ti=None),
        listed("OTHER", 9),
    ]
    run = await Run(rows).for_seconds(1.0)
    assert run.taken == [["LIVE", "SOON", "BEGUN", "OTHER"]]


@on_virtual_time
async def test_the_list_is_asked_for_at_its_interval() -> None:
    run = await Run([listed("A")]).for_seconds(60.0)
    assert len(run.taken) == 4
    assert run.asked_at == pytest.approx([0.05, 15.1, 30.15, 45.2])


@on_virtual_time
async def test_a_list_that_was_read_is_told_with_how_many_are_live() -> None:
    run = await Run([listed("A"), listed("B"), listed("C", 2)]).for_seconds(1.0)
    (told,) = run.heard.of(signals.SourceListed)
    assert (told.source, told.matches, told.live) == ("crex", 3, 2)
    assert told.duration_seconds == pytest.approx(0.05)


BAD = {
    "source down": SourceFailingError("Down."),
    "throttled": SourceThrottledError("Slow.", retry_after_seconds=5.0),
    "no json": b"<html>",
    "no list": {},
    "truncated": b'[{"key":"A"',
}


def in_turn(*answers: Any) -> Any:
    """One answer a call; the last one stays."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize("name", BAD)
@on_virtual_time
async def test_until_the_first_list_is_in_it_is_asked_for_soon_again(name: str) -> None:
    run = await Run(in_turn(BAD[name], BAD[name], [listed("A")])).for_seconds(10.0)
    assert run.taken == [["A"]]
    assert run.asked_at == pytest.approx([4.15])
    assert len(run.heard.of(signals.ErrorRaised)) == 2


@pytest.mark.req("B3")
@pytest.mark.parametrize("name", BAD)
@on_virtual_time
async def test_later_a_bad_list_costs_its_turn_and_no_more(name: str) -> None:
    run = await Run(in_turn([listed("A")], BAD[name], BAD[name], [listed("B")])).for_seconds(50.0)
    assert run.taken == [["A"], ["B"]]
    assert run.asked_at == pytest.approx([0.05, 45.2])
    errors = run.heard.of(signals.ErrorRaised)
    assert [(error.severity, error.operation) for error in errors] == [("WARN", "discovery crex")] * 2
    assert all(error.hint for error in errors)


@on_virtual_time
async def test_a_store_that_is_down_costs_a_turn_too() -> None:
    run = Run([listed("A")])
    taken = run.take

    async def take(listings: Sequence[MatchListing]) -> None:
        if CLOCK.monotonic() < 3.0:
            raise StoreUnavailableError("Down.")
        await taken(listings)

    run.discovery = Discovery(CrexSource(), run.fetcher, take, options, CLOCK, run.heard.bus)
    await run.for_seconds(10.0)
    assert run.taken == [["A"]]
    assert {error.error_type for error in run.heard.of(signals.ErrorRaised)} == {"database"}


@on_virtual_time
async def test_a_broken_row_does_not_cost_the_others() -> None:
    run = await Run([{"key": "../../x"}, listed("A"), 5]).for_seconds(1.0)
    assert run.taken == [["A"]]


@on_virtual_time
async def test_a_fault_of_ours_comes_out_for_supervision() -> None:
    async def take(_: Sequence[MatchListing]) -> None:
        raise KeyError("ours")

    run = Run([listed("A")])
    discovery = Discovery(CrexSource(), run.fetcher, take, options, CLOCK, run.heard.bus)
    with pytest.raises(KeyError):
        await discovery.run(run.stop)


@on_virtual_time
async def test_a_source_that_lists_nothing_is_no_failure() -> None:
    run = await Run([]).for_seconds(20.0)
    assert run.taken == [[], []]
    assert run.heard.of(signals.ErrorRaised) == []
