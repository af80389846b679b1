import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import msgspec
import pytest

from longstop.domain.errors import (
    BrowserError,
    BrowserLostError,
    FetchError,
    RobotsRefusedError,
    SourceCrowdedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
)
from longstop.fetch.lessons import Lessons
from longstop.fetch.opening import Opener
from longstop.fetch.page_keeper import PageKeeper
from longstop.fetch.page_rungs import DomRung, InPageRung, InterceptRung, PageRungOptions
from longstop.fetch.patience import Patience
from longstop.fetch.politeness import Courtesy
from longstop.fetch.snapshot import FetchRequest
from longstop.resilience.timeouts import Timeouts
from tests.unit.fetch.fake_tabs import CLOCK, SITE, Site, asked, captured, not_older
from tests.virtual import on_virtual_time

PATIENCE = Timeouts(page_seconds=30.0, navigation_seconds=20.0, selector_seconds=5.0)


class Scene:
    def __init__(
        self, site: Site | None = None, patience: Timeouts = PATIENCE, courtesy: Courtesy | None = None
    ) -> None:
        self.site = site or Site()
        self.patience = Patience(patience)
        self.courtesy = courtesy
        self.keeper = PageKeeper(Opener(self.site, CLOCK, self.patience, courtesy), CLOCK, not_older)

    def listening(self) -> InterceptRung:
        return InterceptRung(self.keeper, CLOCK, PageRungOptions(call_seconds=4.0), self.courtesy)


@on_virtual_time
async def test_a_page_is_opened_once_however_many_ask_for_it() -> None:
    scene = Scene()
    tabs = await asyncio.gather(*(scene.keeper.page(asked()) for _ in range(5)))
    assert len(scene.site.opened) == 1
    assert set(map(id, tabs)) == {id(scene.site.opened[0])}
    await scene.keeper.close()
    assert scene.site.opened[0].is_closed


@pytest.mark.req("A4")
@on_virtual_time
async def test_a_page_that_needs_longer_than_a_poll_goes_on_opening() -> None:
    """Else a slow site would never get as far as its page: each poll would begin anew."""
    scene = Scene(Site(open_seconds=15.0))
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with CLOCK.timeout(4.0):
                await scene.keeper.page(asked())
    assert await scene.keeper.page(asked()) is scene.site.opened[0]
    assert len(scene.site.opened) == 1
    await scene.keeper.close()


@pytest.mark.req("B4")
@on_virtual_time
async def test_a_page_that_is_too_slow_is_tried_once_more_with_half_as_long_again() -> None:
    scene = Scene(Site(open_seconds=25.0))
    await scene.keeper.page(asked())
    assert scene.site.deadlines == [20.0, 30.0]
    assert [tab.is_closed for tab in scene.site.opened] == [True, False]
    await scene.keeper.close()


@pytest.mark.req("B4")
@on_virtual_time
async def test_a_page_that_never_opens_is_tried_no_third_time() -> None:
    scene = Scene(Site(open_seconds=1000.0))
    rung = DomRung(scene.keeper, CLOCK, scene.patience)
    with pytest.raises(SourceUnreachableError, match="did not open"):
        await rung.fetch(asked())
    assert len(scene.site.opened) == 2
    assert all(tab.is_closed for tab in scene.site.opened)


@pytest.mark.req("A4")
@on_virtual_time
async def test_slow_answers_make_pages_and_selectors_wait_longer() -> None:
    scene = Scene()
    rung = DomRung(scene.keeper, CLOCK, scene.patience, PageRungOptions(selectors=(".runs", ".score")))
    for _ in range(10):
        scene.patience.note(3.0)
    await rung.fetch(asked())
    assert scene.site.deadlines == [30.0]
    assert scene.site.waited == [((".runs", ".score"), 10.0)]
    await rung.fetch(asked())
    assert len(scene.site.waited) == 1  # a page is waited for once
    await scene.keeper.close()


@pytest.mark.req("A4")
@on_virtual_time
async def test_what_was_configured_stays_where_nothing_may_adapt() -> None:
    patience = Patience(PATIENCE, is_adaptive=False)
    for _ in range(10):
        patience.note(3.0)
    assert patience.timeouts == PATIENCE


@on_virtual_time
async def test_letting_a_match_go_while_its_page_opens_leaves_no_page() -> None:
    scene = Scene(Site(open_seconds=5.0))
    asking = asyncio.create_task(scene.keeper.page(asked()))
    await CLOCK.sleep(1.0)
    await scene.keeper.let_go("AB1")
    with pytest.raises(BrowserLostError, match="let go"):
        await asking
    assert scene.site.opened[0].is_closed
    assert not scene.keeper.has_page("AB1")


@pytest.mark.req("A2")
@on_virtual_time
async def test_the_call_inside_a_page_is_made_as_the_page_makes_it() -> None:
    scene = Scene()
    rung = InPageRung(scene.keeper, CLOCK)
    await scene.keeper.page(asked())
    scene.site.opened[0].said = captured(token="fresh")
    await rung.fetch(asked())
    assert scene.site.asked[0].url.endswith("/shown?key=AB1")
    assert dict(scene.site.asked[0].headers)["authorization"] == "Bearer fresh"
    await rung.fetch(asked(purpose="feed"))
    assert scene.site.asked[1].url.endswith("/feed?key=AB1")
    assert dict(scene.site.asked[1].headers)["authorization"] == "Bearer fresh"
    await rung.close()


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_refused_call_inside_a_page_waits_until_the_page_shows_how_it_is_made() -> None:
    scene = Scene(Site(answers=[401, 200], says=[captured(token="new")]))
    rung = InPageRung(scene.keeper, CLOCK)
    assert (await rung.fetch(asked())).status == 200
    assert [dict(call.headers).get("authorization") for call in scene.site.asked] == [None, "Bearer new"]
    await rung.close()


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_page_that_falls_silent_is_opened_anew_and_a_young_one_has_time_to_begin() -> None:
    scene = Scene()
    rung = InterceptRung(scene.keeper, CLOCK, PageRungOptions(call_seconds=4.0))
    for _ in range(3):
        with pytest.raises(SourceTimeoutError):
            await rung.fetch(asked())
    assert len(scene.site.opened) == 1
    with pytest.raises(SourceTimeoutError):
        await rung.fetch(asked())
    await CLOCK.sleep(0.1)
    assert scene.site.opened[0].is_closed
    scene.site.says.append(captured(body=b"[]"))
    assert (await rung.fetch(asked())).body == b"[]"
    assert len(scene.site.opened) == 2
    await rung.close()


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_page_that_falls_silent_is_opened_anew_also_when_the_clock_was_set_back() -> None:
    scene = Scene()
    rung = scene.listening()
    ahead = CLOCK.now() + timedelta(hours=1)
    scene.site.says.append(msgspec.structs.replace(captured(body=b"[]"), captured_at=ahead))
    assert (await rung.fetch(asked())).fetched_at == ahead
    await CLOCK.sleep(20.0)
    with pytest.raises(SourceTimeoutError):
        await rung.fetch(asked())
    await CLOCK.sleep(0.1)
    assert scene.site.opened[0].is_closed
    await rung.close()


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_page_whose_browser_retires_is_followed_before_it_is_closed() -> None:
    scene = Scene()
    rung = scene.listening()
    scene.site.says = [captured(body=b"1"), captured(body=b"2"), captured(body=b"2")]
    await rung.fetch(asked())
    scene.site.opened[0].retiring.set()
    assert (await rung.fetch(asked())).body == b"2"
    await CLOCK.sleep(1.0)
    assert await scene.keeper.page(asked()) is scene.site.opened[1]
    assert scene.site.opened[0].is_closed
    await scene.keeper.close()


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_successor_that_is_behind_does_not_replace_the_page_that_works() -> None:
    scene = Scene()
    rung = scene.listening()
    first = await scene.keeper.page(asked())
    scene.site.opened[0].says = captured(body=b"5")
    await rung.fetch(asked())
    first.retiring.set()
    for _ in range(9):
        scene.site.says = [captured(body=b"4") for _ in range(40)]  # what every successor shows: an older score
        assert (await rung.fetch(asked())).body == b"5"
        await CLOCK.sleep(2.0)
    assert await scene.keeper.page(asked()) is first
    assert len(scene.site.opened) == 3  # not one with every poll
    assert [tab.is_closed for tab in scene.site.opened[:2]] == [False, True]
    scene.site.says = [captured(body=b"6") for _ in range(40)]
    await CLOCK.sleep(15.0)
    await rung.fetch(asked())
    await CLOCK.sleep(2.0)
    assert (await rung.fetch(asked())).body == b"6"
    assert first in [tab for tab in scene.site.opened if tab.is_closed]
    await scene.keeper.close()


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_successor_that_shows_nothing_does_not_replace_the_page_that_works() -> None:
    scene = Scene()
    rung = scene.listening()
    first = await scene.keeper.page(asked())
    scene.site.opened[0].says = captured(body=b"5")
    await rung.fetch(asked())
    scene.keeper.renew(asked().key)
    for _ in range(6):
        assert (await rung.fetch(asked())).body == b"5"
        await CLOCK.sleep(2.5)
    assert await scene.keeper.page(asked()) is first
    assert scene.site.opened[1].is_closed
    await scene.keeper.close()


@pytest.mark.req("B5")
@on_virtual_time
async def test_letting_a_match_go_in_the_middle_of_a_move_leaves_no_page() -> None:
    scene = Scene()
    rung = scene.listening()
    await scene.keeper.page(asked())
    scene.site.opened[0].says = captured(body=b"5")
    await rung.fetch(asked())
    scene.keeper.renew(asked().key)
    await rung.fetch(asked())
    await CLOCK.sleep(0.5)
    scene.keeper.discard(asked().key)
    await scene.keeper.let_go(asked().key)
    await CLOCK.sleep(20.0)
    assert len(scene.site.opened) == 2
    assert all(tab.is_closed for tab in scene.site.opened)


@pytest.mark.req("B4")
@on_virtual_time
async def test_a_page_that_only_fails_is_opened_anew_after_a_while() -> None:
    scene = Scene()
    rung = DomRung(scene.keeper, CLOCK, scene.patience)
    await rung.fetch(asked())
    scene.site.opened[0].failure = BrowserError("Failed to fetch.")
    for _ in range(9):
        with suppress(SourceUnreachableError):
            await rung.fetch(asked())
        await CLOCK.sleep(2.5)
    assert len(scene.site.opened) == 2
    await rung.fetch(asked())
    await scene.keeper.close()


@pytest.mark.req("B4")
@on_virtual_time
async def test_a_page_is_not_given_up_because_our_own_line_is_too_long() -> None:
    scene = Scene()
    rung = DomRung(scene.keeper, CLOCK, scene.patience)
    await rung.fetch(asked())
    scene.site.opened[0].failure = SourceCrowdedError("Fifty calls wait already.")
    for _ in range(9):
        with suppress(SourceCrowdedError):
            await rung.fetch(asked())
        await CLOCK.sleep(2.5)
    assert len(scene.site.opened) == 1
    await scene.keeper.close()


@pytest.mark.req("B4")
@on_virtual_time
async def test_a_page_that_shows_nothing_that_can_be_read_is_opened_anew_after_a_while() -> None:
    """It may have gone to a page of its own that says nothing of the match, and would stay there for ever."""
    scene = Scene()
    rung = DomRung(scene.keeper, CLOCK, scene.patience)
    for _ in range(7):
        await rung.fetch(asked())
        scene.keeper.distrust(asked().key)
        assert len(scene.site.opened) == 1
        await CLOCK.sleep(2.5)
    await rung.fetch(asked())
    scene.keeper.distrust(asked().key)
    await rung.fetch(asked())
    assert len(scene.site.opened) == 2
    await scene.keeper.close()


class Porter:
    """Lets nobody in whom it was told to keep out, and notes who came and what the source wished."""

    def __init__(self) -> None:
        self.came: list[tuple[str, str]] = []
        self.heeded: list[float] = []
        self.refusal: FetchError | None = None

    @asynccontextmanager
    async def turn(self, request: FetchRequest) -> AsyncIterator[None]:
        self.came.append((request.purpose, request.url))
        if self.refusal is not None:
            raise self.refusal
        yield

    def heed(self, request: FetchRequest, error: SourceThrottledError) -> SourceThrottledError:
        self.heeded.append(error.retry_after_seconds)
        return error


@pytest.mark.req("D3")
@on_virtual_time
async def test_what_we_ask_of_a_page_is_asked_in_turn_like_any_other_call() -> None:
    porter = Porter()
    scene = Scene(courtesy=porter)
    await InPageRung(scene.keeper, CLOCK, courtesy=porter).fetch(asked())
    assert porter.came == [("page", f"{SITE}/match"), ("state", f"{SITE}/state?key=AB1")]
    porter.refusal = RobotsRefusedError("The site does not want that.")
    with pytest.raises(RobotsRefusedError):
        await InPageRung(scene.keeper, CLOCK, courtesy=porter).fetch(asked())
    with pytest.raises(RobotsRefusedError):
        await DomRung(scene.keeper, CLOCK, scene.patience).fetch(asked("CD2"))
    assert len(scene.site.opened) == 1
    assert len(scene.site.asked) == 1
    await scene.keeper.close()


@pytest.mark.req("B1")
@on_virtual_time
async def test_a_pause_that_the_site_asks_its_page_for_is_told_to_all_and_the_page_is_closed() -> None:
    porter = Porter()
    scene = Scene(courtesy=porter)
    rung = scene.listening()
    await scene.keeper.page(asked())
    scene.site.opened[0].refusal = SourceThrottledError("Slower.", retry_after_seconds=30.0)
    with pytest.raises(SourceThrottledError):
        await rung.fetch(asked())
    await CLOCK.sleep(0.1)
    assert porter.heeded == [30.0]
    assert scene.site.opened[0].is_closed
    await scene.keeper.close()


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_page_that_is_discarded_is_closed_and_the_next_who_asks_gets_another() -> None:
    scene = Scene()
    await scene.keeper.page(asked())
    scene.site.opened[0].memory_bytes = 7
    assert scene.keeper.memory_bytes() == {asked().key: 7}
    scene.keeper.discard(asked().key)
    assert scene.keeper.memory_bytes() == {}
    assert await scene.keeper.page(asked()) is scene.site.opened[1]
    assert [tab.is_closed for tab in scene.site.opened] == [True, False]
    scene.keeper.discard("NONE")
    await scene.keeper.close()


@pytest.mark.req("A2")
@on_virtual_time
async def test_where_no_browser_has_a_place_a_lesson_watches_a_page_that_is_open_anyway() -> None:
    """Else a match that holds the last place could never climb back to the way that needs none."""
    scene = Scene()
    lessons = Lessons(scene.keeper._opener, scene.keeper)
    await scene.keeper.page(asked())
    scene.site.is_full = True
    tab = scene.site.opened[0]
    tab.said, tab.says = captured(token="old"), captured(token="new")
    recipe = await lessons.take(asked("CD2"))
    assert dict(recipe.headers)["authorization"] == "Bearer new"
    assert recipe.request_for(asked("CD2")).url.endswith("/shown?key=CD2")
    assert not tab.is_closed
    await scene.keeper.close()
    with pytest.raises(SourceUnreachableError, match="No place"):
        await lessons.take(asked("CD2"))
