from contextlib import suppress
from datetime import timedelta

import msgspec
import pytest

from longstop.domain.errors import FetchError, SentAwayError, SourceRefusedError
from longstop.fetch.lessons import Lessons
from longstop.fetch.opening import Opener
from longstop.fetch.patience import Patience
from longstop.fetch.recipe import Recipe, learn
from longstop.fetch.recipe_book import RecipeBook
from longstop.fetch.replay import ReplayRung
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.observe.signals import Signals
from longstop.resilience.timeouts import Timeouts
from tests.unit.fetch.fake_tabs import CLOCK, Site, asked, captured
from tests.virtual import on_virtual_time


class Plain:
    """An endpoint that wants the newest token."""

    def __init__(self) -> None:
        self.token = "one"
        self.calls: list[FetchRequest] = []
        self.refusal: FetchError = SourceRefusedError("no")

    async def fetch(self, request: FetchRequest) -> Snapshot:
        self.calls.append(request)
        if dict(request.headers).get("authorization") != f"Bearer {self.token}":
            raise self.refusal
        return Snapshot(request, 200, b"{}", CLOCK.now(), CLOCK.now())

    async def close(self) -> None: ...


class Scene:
    def __init__(self) -> None:
        self.site = Site()
        self.kept: list[Recipe] = []
        opener = Opener(self.site, CLOCK, Patience(Timeouts()))
        self.lessons: list[FetchRequest] = []
        self.life_seconds: float | None = None
        self._take = Lessons(opener).take
        self.book = RecipeBook("crex", self._learn, self._keep, CLOCK, Signals())
        self.plain = Plain()
        self.rung = ReplayRung(self.plain, self.book)

    async def _learn(self, request: FetchRequest) -> Recipe:
        self.lessons.append(request)
        recipe = await self._take(request)
        if self.life_seconds is None:
            return recipe
        return msgspec.structs.replace(recipe, expires_at=CLOCK.now() + timedelta(seconds=self.life_seconds))

    async def _keep(self, recipe: Recipe) -> None:
        self.kept.append(recipe)


def expiring(seconds: float) -> Recipe:
    recipe = learn("crex", "state", "AB1", captured(), [])
    return msgspec.structs.replace(recipe, expires_at=CLOCK.now() + timedelta(seconds=seconds))


@pytest.mark.req("A2")
@on_virtual_time
async def test_what_a_refused_ball_feed_teaches_is_how_the_state_is_asked_for() -> None:
    scene = Scene()
    scene.site.says.append(captured())
    await scene.rung.fetch(asked(purpose="feed"))
    assert scene.kept[0].purpose == "state"
    assert scene.plain.calls[-1].url.endswith("/feed?key=AB1")
    await scene.rung.fetch(asked("CD2"))
    assert scene.plain.calls[-1].url.endswith("/shown?key=CD2")


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_call_that_has_no_page_is_helped_by_the_page_of_a_match() -> None:
    scene = Scene()
    names = asked(key="", purpose="names", page="")
    with pytest.raises(SourceRefusedError):
        await scene.rung.fetch(names)
    assert scene.lessons == []
    scene.site.says += [captured(), captured(token="two")]
    await scene.rung.fetch(asked())
    scene.plain.token = "two"
    await scene.rung.fetch(names)
    assert [each.key for each in scene.lessons] == ["AB1", "AB1"]
    assert scene.plain.calls[-1].url.endswith("/names?key=")


@pytest.mark.req("A2")
@on_virtual_time
async def test_an_aging_recipe_serves_while_the_next_is_learnt() -> None:
    scene = Scene()
    scene.book.restore(expiring(4.0))
    scene.site.says.append(captured(token="two"))
    assert (await scene.rung.fetch(asked())).status == 200
    assert len(scene.plain.calls) == 1
    await CLOCK.sleep(1.0)
    scene.plain.token = "two"
    await scene.rung.fetch(asked())
    assert len(scene.plain.calls) == 2


@pytest.mark.req("A2")
@on_virtual_time
async def test_an_answer_that_cannot_be_read_has_the_recipe_learnt_anew_beside() -> None:
    scene = Scene()
    scene.site.says += [captured(), captured(token="two"), captured(token="three")]
    await scene.rung.fetch(asked())
    scene.rung.distrust()
    assert len(scene.lessons) == 1  # just learnt: the next would bring the same
    await CLOCK.sleep(31.0)
    scene.rung.distrust()
    assert (await scene.rung.fetch(asked())).status == 200
    await CLOCK.sleep(1.0)
    assert len(scene.lessons) == 2
    assert dict(scene.book.recipe.headers)["authorization"] == "Bearer two" if scene.book.recipe else False


@pytest.mark.req("A2")
@on_virtual_time
async def test_nobody_waits_long_for_a_lesson_that_goes_on_by_itself() -> None:
    scene = Scene()
    scene.site.open_seconds = 25.0
    scene.site.says.append(captured())
    began = CLOCK.monotonic()
    with pytest.raises(FetchError, match="takes long"):
        await scene.rung.fetch(asked())
    assert CLOCK.monotonic() - began == pytest.approx(12.0)
    await CLOCK.sleep(20.0)
    assert (await scene.rung.fetch(asked())).status == 200
    assert len(scene.lessons) == 1


@on_virtual_time
async def test_a_stored_recipe_of_another_kind_of_call_is_not_used() -> None:
    scene = Scene()
    scene.book.restore(msgspec.structs.replace(expiring(100.0), purpose="feed"))
    assert scene.book.recipe is None


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_site_that_refuses_what_its_page_just_did_costs_no_lesson_for_each_call() -> None:
    scene = Scene()
    scene.plain.token = "the page's alone"
    scene.site.says += [captured() for _ in range(10)]
    for _ in range(20):
        with pytest.raises(SourceRefusedError):
            await scene.rung.fetch(asked(purpose="feed"))
        await CLOCK.sleep(2.0)
    assert len(scene.lessons) == 1
    useless = [scene.rung.is_useless]
    await CLOCK.sleep(30.0)
    useless.append(scene.rung.is_useless)
    with pytest.raises(SourceRefusedError):
        await scene.rung.fetch(asked(purpose="feed"))
    assert len(scene.lessons) == 2
    await CLOCK.sleep(61.0)
    assert [*useless, scene.rung.is_useless] == [True, False, True]  # twice as long now


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_recipe_that_has_run_out_is_not_handed_out_as_the_next_one() -> None:
    scene = Scene()
    scene.book.restore(expiring(1.0))
    await CLOCK.sleep(2.0)
    scene.plain.token = "two"
    scene.site.says.append(captured(token="two"))
    assert (await scene.rung.fetch(asked())).status == 200
    assert not scene.book.is_useless


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_recipe_that_never_lives_long_costs_no_lesson_for_each_call() -> None:
    scene = Scene()
    scene.life_seconds = 0.5
    scene.site.says += [captured() for _ in range(100)]
    for _ in range(60):
        await CLOCK.sleep(0.5)
        with suppress(FetchError):
            await scene.rung.fetch(asked())
    assert len(scene.lessons) <= 11


@pytest.mark.req("A2")
@on_virtual_time
async def test_a_redirect_to_a_login_on_a_host_that_is_not_ours_has_the_recipe_learnt() -> None:
    scene = Scene()
    scene.plain.refusal = SentAwayError("Kept from a call.")
    scene.site.says.append(captured())
    assert (await scene.rung.fetch(asked())).status == 200
