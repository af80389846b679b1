"""What a source needs before it is switched on, and what is answered for each name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from longstop.approach import Approaches
from longstop.clock import SystemClock
from longstop.domain.errors import (
    IllegalTransitionError,
    SourceNotReadyError,
    StoreUnavailableError,
    UnknownSourceError,
)
from longstop.domain.recovery import RecoveryAction
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.settings import Loaded, ReloadResult, Settings, load
from longstop.settings.feeds import SourceSettings, SourcesSettings
from longstop.settings.serving import StorageSettings
from longstop.store.open import open_store
from longstop.supervise.engine import Engine, EngineParts
from longstop.supervise.options import EngineOptions
from longstop.supervise.reload import Reloader
from longstop.supervise.verbs import EngineVerbs
from longstop.switching import SourceJoiner, SourceSwitching
from tests.virtual import Heard

pytestmark = pytest.mark.req("F1")
SITE = "http://127.0.0.1:9"


async def no_recycle(_: RecoveryAction, __: str) -> str | None:
    return None


class Place:
    def __init__(self, folder: Path, wanted: SourceSettings, *, is_simulated: bool = False) -> None:
        self.settings = settings = Settings(sources=SourcesSettings(crex=wanted), storage=StorageSettings(root=folder))
        clock, bus = SystemClock(), Signals()
        self.store = open_store(f"sqlite:///{folder}/record.db", clock=clock)
        self.approaches = Approaches(settings, self.store, clock, bus, is_simulated=is_simulated)
        self.engine = Engine(EngineParts((), self.store, clock, bus), EngineOptions())
        self.joiner = SourceJoiner(
            lambda: self.engine, self.approaches, lambda: self.settings, is_simulated=is_simulated
        )
        self.verbs = EngineVerbs(lambda: self.engine, no_recycle, self.joiner)


async def test_a_name_that_there_is_not_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    verbs = Place(tmp_path, SourceSettings()).verbs
    for is_on in (True, False):
        with pytest.raises(UnknownSourceError) as refused:
            await verbs.switch_source("nobody", is_on=is_on)
        assert "brasileirao, crex, cricinfo" in refused.value.hint


async def test_what_is_missing_is_named_with_its_setting(tmp_path: Path) -> None:
    place = Place(tmp_path, SourceSettings(base_url=SITE, token_url=f"{SITE}/token"))
    with pytest.raises(SourceNotReadyError) as refused:
        await place.verbs.switch_source("crex", is_on=True)
    assert [setting for setting, _ in refused.value.needs] == ["sources.crex.api_key"]
    assert place.engine.departments == ()
    listed = {name: needs for name, _, _, needs in place.verbs.sources()}
    assert listed["crex"] == ["sources.crex.api_key: token_url is set and there is no key; set the key"]
    keyed = SourceSettings(base_url=SITE, token_url=f"{SITE}/token", api_key=SecretStr("k"))
    assert Place(tmp_path, keyed).joiner.needs("crex") == []


def test_beside_the_simulated_site_no_real_one_is_switched_on(tmp_path: Path) -> None:
    ((_, remedy),) = Place(tmp_path, SourceSettings(), is_simulated=True).joiner.needs("crex")
    assert "--origin" in remedy


async def test_a_source_that_was_off_at_the_start_is_switched_on_and_off_again(tmp_path: Path) -> None:
    place = Place(tmp_path, SourceSettings(base_url=SITE))
    await place.store.open()
    await place.engine.start()
    try:
        with pytest.raises(IllegalTransitionError):
            await place.verbs.switch_source("crex", is_on=False)
        await place.verbs.switch_source("crex", is_on=True)
        (department,) = place.engine.departments
        assert department.source.list_matches().url.startswith(SITE)
        with pytest.raises(IllegalTransitionError):
            await place.verbs.switch_source("crex", is_on=True)
        await place.verbs.switch_source("crex", is_on=False)
        assert ("crex", False, 0, []) in place.verbs.sources()
        await place.verbs.switch_source("crex", is_on=True)
        assert place.engine.departments == (department,)
    finally:
        assert await place.engine.stop("the test is over") == ()
        await place.approaches.stop()
        await place.store.close()


class Reloaded(Place):
    """The same with a reloader over a dictionary in place of a file, and the service that switches."""

    def __init__(self, folder: Path, **sets: str) -> None:
        super().__init__(folder, SourceSettings())
        self.sets, self.heard = sets, Heard()
        self.reloader = Reloader(self.load(), self.read, SystemClock(), self.heard.bus)
        self.joiner = SourceJoiner(
            lambda: self.engine, self.approaches, lambda: self.reloader.settings, is_simulated=False
        )
        self.verbs = EngineVerbs(lambda: self.engine, no_recycle, self.joiner)
        clock = SystemClock()
        self.switching = SourceSwitching(self.reloader.settings, self.joiner, self.verbs, clock, self.heard.bus)
        self.reloader.join(self.switching)

    def load(self) -> Loaded:
        return load(file=None, environ={}, overrides=self.sets)

    async def read(self) -> Loaded:
        return self.load()

    async def reload(self, **sets: str) -> ReloadResult:
        self.sets = {f"sources.crex.{name}": value for name, value in sets.items()}
        return await self.reloader.reload("the test")

    def is_on(self) -> bool:
        return next(is_on for name, is_on, _, _ in self.verbs.sources() if name == "crex")

    async def until(self, *, is_on: bool) -> None:
        await self.switching._fulfil()
        assert self.is_on() is is_on


@asynccontextmanager
async def reloaded(folder: Path) -> AsyncIterator[Reloaded]:
    place = Reloaded(folder)
    await place.store.open()
    await place.engine.start(place.switching)
    try:
        yield place
    finally:
        assert await place.engine.stop("the test is over") == ()
        await place.approaches.stop()
        await place.store.close()


async def test_a_reload_switches_a_source_on_with_all_its_settings_and_off_and_on_again(tmp_path: Path) -> None:
    async with reloaded(tmp_path) as place:
        told = await place.reload(enabled="true", base_url=SITE)
        assert {change.path for change in told.applied} == {"sources.crex.enabled", "sources.crex.base_url"}
        assert told.needs_restart == ()
        await place.until(is_on=True)
        (department,) = place.engine.departments
        assert department.source.list_matches().url.startswith(SITE)
        told = await place.reload(enabled="false", base_url="http://127.0.0.1:10")
        assert [change.path for change in told.applied] == ["sources.crex.enabled"]
        assert [change.path for change in told.needs_restart] == ["sources.crex.base_url"]
        await place.until(is_on=False)
        await place.reload(enabled="true", base_url=SITE)
        await place.until(is_on=True)
        assert place.engine.departments == (department,)


async def test_what_was_switched_by_hand_stays_until_the_setting_itself_changes(tmp_path: Path) -> None:
    async with reloaded(tmp_path) as place:
        await place.reload(enabled="true", base_url=SITE)
        await place.until(is_on=True)
        await place.verbs.switch_source("crex", is_on=False)
        await place.reload(enabled="true", base_url=SITE, precedence_weight="7")
        await place.switching._fulfil()
        assert not place.is_on()
        await place.reload(enabled="false", base_url=SITE)
        await place.switching._fulfil()
        assert place.switching._wishes == {}
        await place.reload(enabled="true", base_url=SITE)
        await place.until(is_on=True)


async def test_a_reload_that_asks_for_a_source_that_is_not_ready_is_refused_whole(tmp_path: Path) -> None:
    async with reloaded(tmp_path) as place:
        told = await place.reload(enabled="true", base_url=SITE, token_url=f"{SITE}/token")
        assert told.is_refused
        assert "sources.crex.api_key" in told.message
        assert not place.reloader.settings.sources.crex.enabled
        assert place.engine.departments == ()


async def test_a_switch_that_fails_is_told_and_tried_again(tmp_path: Path) -> None:
    place, asked = Reloaded(tmp_path), []

    class Stubborn:
        async def switch_source(self, name: str, *, is_on: bool) -> None:
            asked.append((name, is_on))
            if len(asked) == 1:
                raise StoreUnavailableError("The database does not answer.")

    switching = SourceSwitching(Settings(), place.joiner, Stubborn(), SystemClock(), place.heard.bus)
    wanted = Settings(sources=SourcesSettings(crex=SourceSettings(enabled=True, base_url=SITE)))
    switching.prepare(wanted)()
    await switching._fulfil()
    (told,) = place.heard.of(signals.ErrorRaised)
    assert told.error_message.startswith("crex could not be switched on, and that is tried again")
    await switching._fulfil()
    await switching._fulfil()
    assert asked == [("crex", True)] * 2
    await place.store.close()
