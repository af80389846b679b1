import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.domain.errors import (
    EgressRefusedError,
    FetchError,
    InputError,
    MalformedPayloadError,
    MatchGoneError,
    SentAwayError,
    SourceFailingError,
    SourceThrottledError,
)
from longstop.fetch.ladder import Ladder, LadderOptions, RungName
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.observe.signals import BreakerOpened, RungChanged, Signals
from tests.cricket import NOON

ASKED = FetchRequest("crex", "http://127.0.0.1/x", "state", key="AB1")


class FakeRung:
    """Answers, or fails with what it is told to."""

    def __init__(self, name: RungName, body: bytes = b"same") -> None:
        self.name = name
        self.body = body
        self.failure: Exception | None = None
        self.asked = 0
        self.let_go_of: list[str] = []

    async def fetch(self, request: FetchRequest) -> Snapshot:
        self.asked += 1
        await asyncio.sleep(0.01)
        if self.failure is not None:
            raise self.failure
        return Snapshot(request, 200, self.body, NOON, NOON, rung=self.name.value)

    async def let_go(self, key: str) -> None:
        self.let_go_of.append(key)

    async def close(self) -> None:
        """Nothing is open."""


class Scene:
    def __init__(self, options: LadderOptions | None = None) -> None:
        self.rungs = [FakeRung(name) for name in RungName]
        self.moves: list[tuple[str, str]] = []
        bus = Signals()
        bus.subscribe(RungChanged, lambda signal: self.moves.append((signal.before, signal.after)))
        self.clock = LoopClock(NOON)
        self.ladder = Ladder(
            "crex", self.rungs, lambda _, one, two: one.body == two.body, self.clock, bus, options or LadderOptions()
        )

    def fail(self, *places: int) -> None:
        for place, rung in enumerate(self.rungs):
            rung.failure = SourceFailingError("no") if place in places else None

    async def polls(self, seconds: float) -> list[str]:
        """A poll each 2.5 s; which rung served each."""
        served = []
        for _ in range(int(seconds / 2.5)):
            served.append((await self.ladder.fetch(ASKED)).rung)
            await self.clock.sleep(2.5)
        return served


def on_virtual_time(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def run() -> None:
        virtual_time.run(test())

    run.__name__ = test.__name__
    return run


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_failing_rung_is_left_within_one_poll() -> None:
    scene = Scene()
    assert await scene.polls(5) == ["replay", "replay"]
    scene.fail(0)
    assert await scene.polls(2.5) == ["in_page"]
    assert scene.moves == [("replay", "in_page")]
    assert scene.ladder.where("AB1") == ("in_page", "no")


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_probe_climbs_back_when_the_higher_rung_agrees() -> None:
    scene = Scene()
    scene.fail(0, 1)
    assert set(await scene.polls(30)) == {"intercept"}
    scene.fail()
    served = await scene.polls(120)
    assert served[-1] == "replay"
    assert scene.moves[-1][1] == "replay"
    await scene.ladder.close()


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_higher_rung_that_disagrees_is_not_climbed_to() -> None:
    scene = Scene()
    scene.fail(0)
    await scene.polls(5)
    scene.fail()
    scene.rungs[0].body = b"another match"
    assert set(await scene.polls(200)) == {"in_page"}
    assert scene.rungs[0].asked > 1
    await scene.ladder.close()


@on_virtual_time
async def test_an_open_rung_is_probed_rarely_and_never_by_the_poll_itself() -> None:
    scene = Scene()
    scene.fail(0)
    await scene.polls(180)
    assert scene.rungs[0].asked <= 1 + 180 / 20
    await scene.ladder.close()


@on_virtual_time
async def test_when_every_rung_fails_the_last_failure_is_told() -> None:
    scene = Scene()
    scene.fail(0, 1, 2, 3)
    with pytest.raises(SourceFailingError):
        await scene.ladder.fetch(ASKED)
    with pytest.raises(SourceFailingError):
        await scene.ladder.fetch(ASKED)
    await scene.clock.sleep(61)
    scene.fail()
    assert (await scene.ladder.fetch(ASKED)).rung == "replay"


@on_virtual_time
async def test_the_lowest_rung_is_tried_again_at_each_poll() -> None:
    """Below it there is none that would serve while it is shut."""
    scene = Scene()
    scene.fail(0, 1, 2, 3)
    for _ in range(5):
        with pytest.raises(SourceFailingError):
            await scene.ladder.fetch(ASKED)
    scene.fail(0, 1, 2)
    assert (await scene.ladder.fetch(ASKED)).rung == "dom"
    await scene.ladder.close()


@pytest.mark.parametrize("word", [MatchGoneError("gone"), SourceThrottledError("slow", retry_after_seconds=3)])
def test_what_the_site_itself_says_is_no_fault_of_the_rung(word: FetchError) -> None:
    async def scenario() -> None:
        scene = Scene()
        scene.rungs[0].failure = word
        for _ in range(2):
            with pytest.raises(type(word)):
                await scene.ladder.fetch(ASKED)
        assert [rung.asked for rung in scene.rungs] == [2, 0, 0, 0]
        assert scene.moves == []

    virtual_time.run(scenario())


@on_virtual_time
async def test_a_match_that_only_the_call_does_not_know_is_read_from_its_page() -> None:
    scene = Scene()
    for rung in scene.rungs[:3]:
        rung.failure = MatchGoneError("no such call")
    for _ in range(2):
        with pytest.raises(MatchGoneError):
            await scene.ladder.fetch(ASKED)
    assert (await scene.ladder.fetch(ASKED)).rung == "dom"
    await scene.ladder.close()


@on_virtual_time
async def test_a_match_that_is_gone_everywhere_is_gone() -> None:
    scene = Scene()
    for rung in scene.rungs:
        rung.failure = MatchGoneError("no such match")
    for _ in range(5):
        with pytest.raises(MatchGoneError):
            await scene.ladder.fetch(ASKED)


@on_virtual_time
async def test_a_payload_that_cannot_be_read_costs_the_rung_its_place() -> None:
    scene = Scene()
    await scene.polls(2.5)
    scene.ladder.distrust("AB1", MalformedPayloadError("the shape has changed"))
    assert await scene.polls(2.5) == ["in_page"]
    assert scene.ladder.where("AB1")[1] == "the shape has changed"
    await scene.ladder.close()


@on_virtual_time
async def test_one_match_that_descends_takes_no_other_along() -> None:
    scene = Scene()
    scene.fail(0)
    await scene.ladder.fetch(ASKED)
    scene.fail()
    other = FetchRequest("crex", "http://127.0.0.1/y", "state", key="CD2")
    assert (await scene.ladder.fetch(other)).rung == "replay"
    assert scene.ladder.where("AB1")[0] == "in_page"
    await scene.ladder.close()


@on_virtual_time
async def test_a_cancelled_call_costs_no_permit() -> None:
    scene = Scene()
    for _ in range(3):
        call = asyncio.create_task(scene.ladder.fetch(ASKED))
        await asyncio.sleep(0.001)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    assert (await scene.ladder.fetch(ASKED)).rung == "replay"
    assert scene.moves == []


@on_virtual_time
async def test_letting_a_match_go_lets_its_pages_go() -> None:
    scene = Scene()
    await scene.polls(2.5)
    await scene.ladder.let_go("AB1")
    assert all(rung.let_go_of == ["AB1"] for rung in scene.rungs)
    assert scene.ladder.where("AB1") == ("", "")


@pytest.mark.req("H4")
def test_a_breaker_that_opens_is_told_once_with_its_rung_and_why() -> None:
    async def play() -> list[Any]:
        scene = Scene(LadderOptions(threshold=3))
        opened: list[BreakerOpened] = []
        scene.ladder._bus.subscribe(BreakerOpened, opened.append)
        for _ in range(6):
            scene.fail(0)
            await scene.ladder.fetch(ASKED)
            scene.ladder._standings["AB1"].place = 0
        return [(told.match_id, told.rung, told.reason) for told in opened]

    assert virtual_time.run(play()) == [("crex_AB1", "replay", "no")]


def test_a_match_whose_payloads_cannot_be_read_is_shut_on_all_rungs_until_it_is_let_go() -> None:
    async def play() -> None:
        scene = Scene()
        await scene.ladder.fetch(ASKED)
        scene.ladder.shut("AB1", "unreadable")
        assert {view.state for view in scene.ladder.all_breakers()} == {"OPEN"}
        with pytest.raises(FetchError, match="shut"):
            await scene.ladder.fetch(ASKED)
        await scene.ladder.let_go("AB1")
        await scene.ladder.fetch(ASKED)
        scene.ladder.shut("never seen", "unreadable")

    virtual_time.run(play())


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_redirect_to_where_we_may_not_go_costs_a_rung_and_no_match() -> None:
    """A login or a cookie wall on another host is what the site says to this way of asking, not to every way."""
    scene = Scene()
    scene.rungs[0].failure = SentAwayError("Kept from a call.")
    assert await scene.polls(5) == ["in_page", "in_page"]
    scene.rungs[1].failure = EgressRefusedError("No such host.")
    with pytest.raises(EgressRefusedError):
        await scene.polls(2.5)
    await scene.ladder.close()


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_match_whose_last_rung_brings_nothing_readable_still_climbs_back() -> None:
    """Nothing agrees with what cannot be read; so it must not be what a probe is held against."""
    scene = Scene()
    scene.fail(0, 1, 2)
    await scene.polls(5)
    scene.fail()
    scene.rungs[3].body = b"no match to be seen here"
    served = ""
    for _ in range(60):
        served = (await scene.ladder.fetch(ASKED)).rung
        if served == "dom":
            scene.ladder.distrust("AB1", MalformedPayloadError("The page shows no runs."))
        await scene.clock.sleep(2.5)
    assert served == "replay"
    await scene.ladder.close()


@on_virtual_time
async def test_a_rung_that_an_operator_chose_comes_first_and_is_not_left_by_a_probe() -> None:
    scene = Scene()
    await scene.polls(2.5)
    scene.ladder.choose("AB1", "intercept")
    assert set(await scene.polls(60)) == {"intercept"}
    assert scene.ladder.where("AB1") == ("intercept", "an operator chose it")
    scene.fail(2)
    assert set(await scene.polls(5)) == {"dom"}
    scene.fail()
    assert (await scene.polls(2.5)) == ["intercept"]
    await scene.ladder.close()


@on_virtual_time
async def test_a_match_whose_choice_was_taken_back_climbs_again() -> None:
    scene = Scene()
    scene.ladder.choose("AB1", "dom")
    await scene.polls(5)
    scene.ladder.choose("AB1", "")
    assert (await scene.polls(30))[-1] == "replay"
    await scene.ladder.close()


def test_a_rung_that_is_not_there_cannot_be_chosen() -> None:
    async def scenario() -> None:
        with pytest.raises(InputError, match="browser is no way here"):
            Scene().ladder.choose("AB1", "browser")

    virtual_time.run(scenario())


@on_virtual_time
async def test_a_chosen_rung_whose_payload_cannot_be_read_is_left() -> None:
    scene = Scene()
    scene.ladder.choose("AB1", "intercept")
    await scene.polls(2.5)
    scene.ladder.distrust("AB1", MalformedPayloadError("the shape has changed"))
    assert await scene.polls(2.5) == ["dom"]
    await scene.ladder.close()
