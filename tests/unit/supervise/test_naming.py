import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from longstop.domain.errors import SourceFailingError
from longstop.domain.match import MatchListing, MatchStatus, Names
from longstop.fetch.snapshot import FetchRequest
from longstop.observe import signals
from longstop.sources.crex import CrexSource
from longstop.store.contract import NamesRow, WriteBatch
from longstop.supervise.naming import ASK_AGAIN_AFTER_SECONDS, REST_AFTER_FAILURE_SECONDS, NameBook, Naming
from longstop.supervise.service import Stop
from longstop.watch import Codes
from tests.cricket import REF
from tests.doubles import ScriptedFetcher, ShakyStore, failing_times
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()


def codes_asked(request: FetchRequest) -> dict[str, list[str]]:
    query = parse_qs(urlsplit(request.url).query)
    return {name: query[name][0].split(",") for name in ("p", "t", "s") if name in query}


def names_all(request: FetchRequest) -> dict[str, Any]:
    """The site knows everybody."""
    asked = codes_asked(request)
    return {kind: [{"f_key": code, "n": f"Name of {code}"} for code in codes] for kind, codes in asked.items()}


class Run:
    def __init__(self, answer: Any = names_all, players: tuple[str, ...] = ("XX", "6A5")) -> None:
        self.heard = Heard()
        self.fetcher = ScriptedFetcher(CLOCK, {"names": answer})
        self.store = ShakyStore(CLOCK)
        self.book = NameBook()
        self.codes = Codes(MatchListing(REF, "A v B", ("CD", "11"), MatchStatus.LIVE, series="1JK"))
        self.codes.players.update(players)
        self.stop = Stop(CLOCK)
        self.naming = Naming(
            CrexSource(), self.fetcher, self.store, self.book, lambda: [self.codes], CLOCK, self.heard.bus
        )

    async def for_seconds(self, seconds: float) -> "Run":
        await self.store.open()
        task = asyncio.create_task(self.naming.run(self.stop))
        await asyncio.wait([task], timeout=seconds)
        self.stop.ask("the test is over")
        await task
        return self

    @property
    def asked(self) -> list[dict[str, list[str]]]:
        return [codes_asked(request) for request in self.fetcher.asked]


@on_virtual_time
async def test_the_codes_of_a_match_get_their_names_and_keep_them() -> None:
    run = await Run().for_seconds(10.0)
    assert run.asked == [{"p": ["6A5", "XX"], "t": ["11", "CD"], "s": ["1JK"]}]
    assert run.book.names.players == {"XX": "Name of XX", "6A5": "Name of 6A5"}
    assert run.book.names.teams == {"CD": "Name of CD", "11": "Name of 11"}
    kept = await run.store.names("crex")
    assert kept.players == run.book.names.players
    await run.store.close()


@on_virtual_time
async def test_names_that_the_store_has_are_not_asked_for() -> None:
    run = Run()
    await run.store.open()
    names = Names(players={"XX": "A", "6A5": "B"}, teams={"CD": "C", "11": "D"}, series={"1JK": "E"})
    await run.store.save(WriteBatch(names=(NamesRow("crex", names),)))
    task = asyncio.create_task(run.naming.run(run.stop))
    await CLOCK.sleep(0.5)
    assert run.book.names.players == {"XX": "A", "6A5": "B"}
    await CLOCK.sleep(30.0)
    run.stop.ask("over")
    await task
    assert run.asked == []


@on_virtual_time
async def test_a_crowd_is_asked_for_in_calls_that_the_site_bears() -> None:
    run = await Run(players=tuple(f"P{number:03}" for number in range(450))).for_seconds(10.0)
    sizes = [sum(map(len, asked.values())) for asked in run.asked]
    assert sizes == [200, 200, 53]
    assert len(run.book.names.players) == 450
    assert {"t", "s"} <= set(run.asked[0])


@on_virtual_time
async def test_a_code_without_a_name_stays_a_code_and_is_asked_for_rarely() -> None:
    run = await Run(lambda _: {"p": [{"f_key": "XX", "n": "Lorcan Tucker"}]}).for_seconds(200.0)
    assert run.book.names.players == {"XX": "Lorcan Tucker"}
    assert len(run.asked) == 1 + int(200 // ASK_AGAIN_AFTER_SECONDS)
    assert run.asked[1]["p"] == ["6A5"]


@on_virtual_time
async def test_new_codes_are_asked_for_within_a_second_or_two() -> None:
    run = Run()
    asyncio.get_running_loop().call_later(30.0, run.codes.players.add, "NEW")
    await run.for_seconds(32.0)
    assert run.asked[1] == {"p": ["NEW"]}


BAD: dict[str, Any] = {
    "down": SourceFailingError("Down."),
    "no json": b"<html>",
    "wrong shape": {"p": 5},
    "a code that no site has": {"p": [{"f_key": "x" * 1000, "n": "y"}]},
}


@pytest.mark.parametrize("name", BAD)
@on_virtual_time
async def test_a_call_that_fails_does_no_harm_and_is_not_repeated_in_a_hurry(name: str) -> None:
    run = await Run(BAD[name]).for_seconds(60.0)
    assert 5 <= len(run.asked) <= 60 / REST_AFTER_FAILURE_SECONDS
    errors = run.heard.of(signals.ErrorRaised)
    assert {(error.severity, error.operation) for error in errors} == {("WARN", "naming crex")}
    assert run.book.names.players == {}


@on_virtual_time
async def test_names_come_as_soon_as_the_site_is_back() -> None:
    run = Run(SourceFailingError("Down."))
    asyncio.get_running_loop().call_later(20.0, run.fetcher.answers.update, {"names": names_all})
    await run.for_seconds(30.0)
    assert len(run.book.names.players) == 2


@pytest.mark.req("B7")
@on_virtual_time
async def test_a_store_that_is_down_at_the_start_does_not_end_the_service() -> None:
    run = Run()
    run.store.reading = failing_times(2)
    await run.for_seconds(30.0)
    assert len(run.book.names.players) == 2
    assert {error.error_type for error in run.heard.of(signals.ErrorRaised)} == {"database"}


@on_virtual_time
async def test_names_that_could_not_be_kept_are_asked_for_again() -> None:
    run = Run()
    run.store.before = failing_times(1)
    await run.for_seconds(30.0)
    assert len(run.asked) == 2
    assert (await run.store.names("crex")).players == run.book.names.players


@on_virtual_time
async def test_a_later_name_replaces_an_earlier_one() -> None:
    book = NameBook()
    book.learn(Names(players={"XX": "L. Tucker"}, teams_short={"CD": "USA"}))
    book.learn(Names(players={"XX": "Lorcan Tucker"}, series={"1JK": "League"}))
    assert book.names == Names({"XX": "Lorcan Tucker"}, {}, {"CD": "USA"}, {"1JK": "League"})
