"""What a source needs before it is switched on, and what is answered for each name."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from longstop.approach import Approaches
from longstop.clock import SystemClock
from longstop.domain.errors import IllegalTransitionError, SourceNotReadyError, UnknownSourceError
from longstop.domain.recovery import RecoveryAction
from longstop.observe.signals import Signals
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings, SourcesSettings
from longstop.settings.serving import StorageSettings
from longstop.store.open import open_store
from longstop.supervise.engine import Engine, EngineParts
from longstop.supervise.options import EngineOptions
from longstop.supervise.verbs import EngineVerbs
from longstop.switching import SourceJoiner

pytestmark = pytest.mark.req("F1")
SITE = "http://127.0.0.1:9"


async def no_recycle(_: RecoveryAction, __: str) -> str | None:
    return None


class Place:
    def __init__(self, folder: Path, wanted: SourceSettings, *, is_simulated: bool = False) -> None:
        settings = Settings(sources=SourcesSettings(crex=wanted), storage=StorageSettings(root=folder))
        clock, bus = SystemClock(), Signals()
        self.store = open_store(f"sqlite:///{folder}/record.db", clock=clock)
        self.approaches = Approaches(settings, self.store, clock, bus, is_simulated=is_simulated)
        self.engine = Engine(EngineParts((), self.store, clock, bus), EngineOptions())
        self.joiner = SourceJoiner(lambda: self.engine, self.approaches, settings, is_simulated=is_simulated)
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
