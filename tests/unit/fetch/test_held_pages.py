import asyncio

import pytest

from longstop.domain.errors import BrowserLostError, SourceTimeoutError, SourceUnreachableError
from longstop.fetch.opening import Opener
from longstop.fetch.page_keeper import PageKeeper
from longstop.fetch.page_rungs import DomRung, InPageRung, InterceptRung, PageRungOptions
from longstop.fetch.patience import Patience
from longstop.resilience.timeouts import Timeouts
from tests.unit.fetch.fake_tabs import CLOCK, Site, asked, captured
from tests.virtual import on_virtual_time

PATIENCE = Timeouts(page_seconds=30.0, navigation_seconds=20.0, selector_seconds=5.0)


class Scene:
    def __init__(self, site: Site | None = None, patience: Timeouts = PATIENCE) -> None:
        self.site = site or Site()
        self.patience = Patience(patience)
        self.keeper = PageKeeper(Opener(self.site, CLOCK, self.patience), CLOCK)


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
    rung = InterceptRung(scene.keeper, CLOCK, PageRungOptions(call_seconds=4.0, silence_seconds=15.0))
    for _ in range(3):
        with pytest.raises(SourceTimeoutError):
            await rung.fetch(asked())
    assert len(scene.site.opened) == 1
    with pytest.raises(SourceTimeoutError):
        await rung.fetch(asked())
    assert scene.site.opened[0].is_closed
    scene.site.says.append(captured(body=b"[]"))
    assert (await rung.fetch(asked())).body == b"[]"
    assert len(scene.site.opened) == 2
    await rung.close()


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_page_whose_browser_retires_is_followed_before_it_is_closed() -> None:
    scene = Scene()
    first = await scene.keeper.page(asked())
    first.retiring.set()
    scene.site.says.append(captured())
    assert await scene.keeper.page(asked()) is first
    await CLOCK.sleep(1.0)
    assert await scene.keeper.page(asked()) is scene.site.opened[1]
    assert scene.site.opened[0].is_closed
    await scene.keeper.close()


@pytest.mark.req("B5")
@on_virtual_time
async def test_a_page_that_is_to_be_renewed_serves_until_its_successor_is_open() -> None:
    scene = Scene()
    await scene.keeper.page(asked())
    scene.keeper.renew(asked().key)
    assert await scene.keeper.page(asked()) is scene.site.opened[0]
    await CLOCK.sleep(20.0)
    assert await scene.keeper.page(asked()) is scene.site.opened[1]
    assert [tab.is_closed for tab in scene.site.opened] == [True, False]
    scene.keeper.renew("NONE")
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
