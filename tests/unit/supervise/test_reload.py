"""The settings read again: all of them are taken, or none; what needs a restart is named; faults keep the old ones."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import LongstopError
from longstop.observe import signals
from longstop.settings import Loaded, Settings, load
from longstop.supervise.reload import Adjustable, Commit, Reloader
from longstop.supervise.rereading import Rereading
from tests.virtual import Heard, noon_clock, on_virtual_time

POLLING = "scraper.lifecycle.polling_interval"
STALE = "scraper.lifecycle.staleness_threshold"
pytestmark = pytest.mark.req("B2")


class House:
    """A reloader over a dictionary in place of a file."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.sets: dict[str, str] = {}
        self.reads = 0
        self.seen: list[Settings] = []
        self.reloader = Reloader(self.load(), self.read, noon_clock(), self.heard.bus, self.seen.append)

    def load(self) -> Loaded:
        return load(file=None, environ={}, overrides=self.sets)

    async def read(self) -> Loaded:
        self.reads += 1
        loaded = self.load()
        await asyncio.sleep(0.1)
        return loaded

    def takes(self, *paths: str) -> list[Settings]:
        taken: list[Settings] = []
        self.reloader.adjust("part", paths, taken.append)
        return taken


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@on_virtual_time
async def test_what_is_taken_while_running_is_applied_and_the_rest_needs_a_restart() -> None:
    house = House()
    taken = house.takes("scraper.lifecycle")
    house.sets = {POLLING: "3", "api.port": "9999"}
    result = await house.reloader.reload("SIGHUP")
    assert [str(change) for change in result.applied] == [f"{POLLING}: 2.5 → 3.0"]
    assert [str(change) for change in result.needs_restart] == ["api.port: 8000 → 9999"]
    assert [settings.scraper.lifecycle.polling_interval for settings in taken] == [3.0]
    running = house.reloader.settings
    assert (running.scraper.lifecycle.polling_interval, running.api.port) == (3.0, 8000)
    assert (result.outcome, result.generation, house.reloader.generation) == ("reloaded", 2, 2)
    (told,) = house.heard.of(signals.ConfigurationReloaded)
    assert (told.reason, told.applied, told.needs_restart) == (
        "SIGHUP",
        (f"{POLLING}: 2.5 → 3.0",),
        ("api.port: 8000 → 9999",),
    )


@on_virtual_time
async def test_what_waits_for_a_restart_is_named_until_it_is_taken_back() -> None:
    house = House()
    house.sets = {"api.port": "9999"}
    await house.reloader.reload("SIGHUP")
    again = await house.reloader.reload("SIGHUP")
    assert (again.outcome, [change.path for change in again.needs_restart]) == ("unchanged", ["api.port"])
    house.sets = {}
    assert (await house.reloader.reload("SIGHUP")).needs_restart == ()


@on_virtual_time
@pytest.mark.parametrize("rest", ["", "# nothing yet\n", "{}\n"], ids=["empty", "a comment", "no groups"])
async def test_a_file_that_holds_nothing_any_more_keeps_everything(tmp_path: Path, rest: str) -> None:
    """Whoever saves a file empties it first."""
    file = tmp_path / "config.yaml"
    file.write_text("scraper:\n  lifecycle:\n    polling_interval: 3\n")

    async def read() -> Loaded:
        return load(file=file, environ={}, overrides={})

    reloader = Reloader(await read(), read, noon_clock(), Heard().bus)
    file.write_text(rest)
    result = await reloader.reload("SIGHUP")
    assert result.is_refused
    assert "holds no settings any more" in result.message
    assert "old settings stay" in result.hint
    assert reloader.settings.scraper.lifecycle.polling_interval == 3.0
    file.write_text("scraper:\n  lifecycle:\n    polling_interval: 4\n")
    assert (await reloader.reload("SIGHUP")).outcome == "reloaded"


@on_virtual_time
async def test_a_bad_file_keeps_everything_and_says_every_fault() -> None:
    house = House()
    taken = house.takes("scraper", "api")
    house.sets = {POLLING: "fast", "api.port": "-1", "api.prot": "1", STALE: "1"}
    before = house.reloader.settings
    result = await house.reloader.reload("SIGHUP")
    assert result.is_refused
    assert {fault.key for fault in result.faults} >= {POLLING, "api.port"}
    assert any("did you mean api.port" in str(fault) for fault in result.faults)
    assert result.message == f"{len(result.faults)} settings cannot be used."
    assert "old settings stay" in result.hint
    assert (house.reloader.settings, house.reloader.generation, taken) == (before, 1, [])
    (told,) = house.heard.of(signals.ConfigurationRefused)
    assert len(told.faults) == len(result.faults)


@on_virtual_time
async def test_a_file_that_stays_bad_is_told_once_and_so_is_its_mending() -> None:
    house = House()
    house.sets = {POLLING: "fast"}
    for _ in range(3):
        assert (await house.reloader.reload("match crex_A was paused")).is_refused
    assert len(house.heard.all) == 1
    await house.reloader.reload("SIGHUP", is_asked_for=True)
    assert len(house.heard.of(signals.ConfigurationRefused)) == 2
    house.sets = {}
    for _ in range(3):
        assert (await house.reloader.reload("match crex_A was paused")).outcome == "unchanged"
    assert len(house.heard.of(signals.ConfigurationReloaded)) == 1


@on_virtual_time
async def test_without_news_nothing_is_told_unless_somebody_asked() -> None:
    house = House()
    assert (await house.reloader.reload("match crex_A was paused")).outcome == "unchanged"
    assert house.heard.all == []
    await house.reloader.reload("SIGHUP", is_asked_for=True)
    (told,) = house.heard.of(signals.ConfigurationReloaded)
    assert (told.generation, told.applied, told.needs_restart) == (1, (), ())


@on_virtual_time
async def test_half_of_the_new_beside_half_of_the_old_must_fit_too() -> None:
    """Each file is whole by itself; what would run until the restart is not."""
    house = House()
    taken = house.takes(POLLING)
    house.sets = {POLLING: "400", STALE: "600"}
    result = await house.reloader.reload("SIGHUP")
    (fault,) = result.faults
    assert "with what runs until a restart" in fault.problem
    assert (taken, house.reloader.settings.scraper.lifecycle.polling_interval) == ([], 2.5)


@on_virtual_time
async def test_a_part_that_refuses_while_it_prepares_refuses_everything() -> None:
    house = House()
    taken = house.takes(POLLING)

    def refuse(settings: Settings) -> Commit:
        raise LongstopError("There is no such browser.", hint="Install it.")

    house.reloader.join(Adjustable("choosy", ("scraper.lifecycle",), refuse))
    house.sets = {POLLING: "3"}
    result = await house.reloader.reload("SIGHUP")
    assert (result.outcome, result.message, result.hint) == ("refused", "There is no such browser.", "Install it.")
    assert taken == []


@on_virtual_time
async def test_a_part_that_breaks_while_it_commits_is_undone_with_all_before_it() -> None:
    house = House()
    values: list[float] = []
    house.reloader.adjust("first", (POLLING,), lambda new: values.append(new.scraper.lifecycle.polling_interval))

    def breaks(settings: Settings) -> Commit:
        def commit() -> None:
            values.append(-settings.scraper.lifecycle.polling_interval)
            if settings.scraper.lifecycle.polling_interval == 3.0:
                raise RuntimeError("boom")

        return commit

    house.reloader.join(Adjustable("second", (POLLING,), breaks))
    house.sets = {POLLING: "3"}
    result = await house.reloader.reload("SIGHUP")
    assert result.is_refused
    assert "boom" in result.message
    assert values == [3.0, -3.0, -2.5, 2.5]
    assert (house.reloader.settings.scraper.lifecycle.polling_interval, house.reloader.generation) == (2.5, 1)


@on_virtual_time
async def test_many_who_ask_at_once_share_one_reading_that_came_after_their_question() -> None:
    house = House()
    house.takes(POLLING)
    first = asyncio.create_task(house.reloader.reload("first"))
    await asyncio.sleep(0.05)
    house.sets = {POLLING: "3"}
    others = await asyncio.gather(*(house.reloader.reload(f"match {number}") for number in range(1000)))
    assert (await first).outcome == "unchanged"
    assert {result.outcome for result in others} == {"reloaded"}
    assert house.reads == 2
    assert len(house.heard.all) == 1


@on_virtual_time
async def test_somebody_who_no_longer_waits_takes_nothing_from_the_others() -> None:
    house = House()
    house.takes(POLLING)
    house.sets = {POLLING: "3"}
    impatient = asyncio.create_task(house.reloader.reload("impatient"))
    patient = asyncio.create_task(house.reloader.reload("patient"))
    await asyncio.sleep(0.05)
    impatient.cancel()
    assert (await patient).outcome == "reloaded"


@on_virtual_time
async def test_a_changed_secret_is_told_without_its_value_and_protected_before() -> None:
    house = House()
    secret = "https://hooks.example.com/T0001/very-secret-part"
    house.sets = {"scraper.monitoring.alerts.webhook_url": secret, "database.url": "postgresql://u:pa55word@db/x"}
    result = await house.reloader.reload("SIGHUP")
    said = str(result) + str(house.heard.all)
    assert "very-secret-part" not in said
    assert "pa55word" not in said
    assert house.seen[0].scraper.monitoring.alerts.webhook_url.get_secret_value() == secret
    assert {change.path for change in result.needs_restart} == {
        "scraper.monitoring.alerts.webhook_url",
        "database.url",
    }


async def test_a_reading_that_hangs_is_given_up_and_holds_up_nothing(tmp_path: Path) -> None:
    release = threading.Event()
    good = load(file=None, environ={}, overrides={})

    def hang() -> Loaded:
        release.wait(30)
        return good

    heard = Heard()
    reloader = Reloader(good, Rereading(hang, SystemClock(), deadline_seconds=0.05), SystemClock(), heard.bus)
    slow, again = await reloader.reload("SIGHUP"), await reloader.reload("SIGHUP")
    assert (slow.message, again.message) == (
        "The settings could not be read within 0.05 s.",
        "An earlier reading of the settings still hangs.",
    )
    release.set()
    await until_ended("settings reading")
    assert (await reloader.reload("SIGHUP")).outcome == "unchanged"
    await reloader.close()


async def test_the_end_does_not_wait_for_a_reading_that_hangs() -> None:
    release = threading.Event()
    good = load(file=None, environ={}, overrides={})
    reloader = Reloader(good, Rereading(blocking(release, good), SystemClock()), SystemClock(), Heard().bus)
    asking = asyncio.create_task(reloader.reload("SIGHUP"))
    await asyncio.sleep(0)
    await reloader.close()
    with pytest.raises(asyncio.CancelledError):
        await asking
    release.set()
    await until_ended("settings reading")


async def test_what_goes_wrong_in_the_reading_thread_comes_back_as_a_refusal(tmp_path: Path) -> None:
    good = load(file=None, environ={}, overrides={})
    gone = tmp_path / "config.yaml"
    reread = Rereading(lambda: load(file=gone, environ={}, overrides={}), SystemClock())
    result = await Reloader(good, reread, SystemClock(), Heard().bus).reload("SIGHUP")
    assert "there is no such file" in str(result.faults[0])

    def breaks() -> Loaded:
        raise ValueError("of ours")

    result = await Reloader(good, Rereading(breaks, SystemClock()), SystemClock(), Heard().bus).reload("SIGHUP")
    assert "ValueError: of ours" in result.message


def blocking(release: threading.Event, loaded: Loaded) -> Callable[[], Loaded]:
    def read() -> Loaded:
        release.wait(30)
        return loaded

    return read


async def until_ended(name: str) -> None:
    for thread in threading.enumerate():
        if thread.name == name:
            await asyncio.to_thread(thread.join, 10)
