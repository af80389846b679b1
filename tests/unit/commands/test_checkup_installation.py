"""What is installed is told with the words that bring what is missing."""

import re
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import psutil
import pytest

from longstop import __version__
from longstop.commands.checkup import installation
from longstop.commands.checkup.finding import State
from longstop.commands.checkup.installation import EXTRAS, Extra
from longstop.settings import Settings, load

ROOT = Path(__file__).resolve().parents[3]
MISSING = Extra("moon", "a_module_that_nobody_has", "moon-package", "flights")


def settings(**given: str) -> Settings:
    overrides = {name.replace("__", "."): value for name, value in given.items()}
    return load(file=None, environ={}, overrides=overrides).settings


def test_a_python_that_is_too_old_is_a_problem() -> None:
    assert installation.python((3, 10, 9)).state is State.PROBLEM
    assert installation.python((3, 11, 0)).state is State.OK
    assert installation.python().state is State.OK


def test_an_installation_of_another_version_is_noticed() -> None:
    assert installation.longstop(__version__).state is State.OK
    found = installation.longstop("0.0.1")
    assert found.state is State.WARNING
    assert "0.0.1" in found.said


@pytest.mark.parametrize("version", [(3, 7, 0), (3, 40, 1), (3, 51, 2)])
def test_the_wal_reset_fault_is_told_and_is_no_harm(version: tuple[int, ...]) -> None:
    if version < installation.SQLITE_MIN:
        assert installation.sqlite(version).state is State.PROBLEM
        return
    found = installation.sqlite(version)
    assert found.state is State.OK
    assert "3.7.0 to 3.51.2" in found.said
    assert "has one" in found.said


def test_a_mended_sqlite_has_nothing_to_tell() -> None:
    assert installation.sqlite((3, 51, 3)).said == "3.51.3"


def test_a_sqlite_without_threads_is_a_problem() -> None:
    assert installation.sqlite((3, 51, 3), threads=0).state is State.PROBLEM


def test_a_missing_extra_that_nobody_needs_is_only_absent() -> None:
    found = installation.optional_part(MISSING, needed_by="")
    assert found.state is State.ABSENT
    assert found.name == "extra moon"
    assert "pip install -e '.[moon]'` in Longstop's folder" in found.hint


def test_a_missing_extra_that_the_settings_need_is_a_problem() -> None:
    found = installation.optional_part(MISSING, needed_by="redis.url")
    assert found.state is State.PROBLEM
    assert "redis.url needs it" in found.said


def test_every_extra_of_the_project_is_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    offered = project["optional-dependencies"]
    assert {part.name for part in EXTRAS} == set(offered) - {"dev"}
    for part in EXTRAS:
        packages = {re.split(r"[\[>=<]", line)[0] for line in offered[part.name]}
        assert part.package in packages


def test_the_settings_say_which_extras_are_needed() -> None:
    assert installation.needs(settings()) == {}
    assert installation.needs(None) == {}
    needed = installation.needs(
        settings(
            database__url="postgresql://a:b@127.0.0.1/x",
            redis__url="redis://127.0.0.1",
            jobs__broker_url="redis://127.0.0.1",
            scraper__monitoring__alerts__sentry_dsn="https://127.0.0.1/1",
            sources__crex__enabled="true",
            sources__crex__coherent_tls="true",
            sources__crex__stealth="true",
        )
    )
    assert set(needed) == {"postgres", "redis", "celery", "sentry", "coherent", "stealth"}


def test_a_source_that_is_off_needs_no_extra() -> None:
    assert installation.needs(settings(sources__crex__coherent_tls="true")) == {}


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No browser on the path, none fetched."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "fetched"))
    return tmp_path


def program(path: Path, script: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_no_browser_is_absent_with_what_to_do(bare_machine: Path) -> None:
    found = installation.chromium("", is_tried=False)
    assert found.state is State.ABSENT
    assert "apt-get install chromium" in found.hint


def test_a_browser_on_the_path_is_found_before_a_fetched_one(bare_machine: Path) -> None:
    fetched = program(bare_machine / "fetched" / "chromium-1200" / "chrome-linux" / "chrome")
    assert installation.chromium("", is_tried=False).said == str(fetched)
    on_path = program(bare_machine / "bin" / "chromium")
    assert installation.chromium("", is_tried=False).said == str(on_path)


def test_a_configured_browser_that_is_not_there_is_a_problem(bare_machine: Path) -> None:
    for path in (bare_machine / "nowhere", bare_machine):
        found = installation.chromium(str(path), is_tried=False)
        assert found.state is State.PROBLEM
        assert "executable_path" in found.said


def test_a_user_without_a_home_has_no_fetched_browser(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH")
    monkeypatch.setattr(Path, "home", homeless)
    assert installation.chromium("", is_tried=False).state is State.ABSENT


def test_a_browser_is_started_only_when_that_is_asked_for(bare_machine: Path) -> None:
    mark = bare_machine / "started"
    path = program(bare_machine / "bin" / "chromium", f": > {mark}; exit 3")
    assert installation.chromium("", is_tried=False).state is State.OK
    assert not mark.exists()
    found = installation.chromium("", is_tried=True)
    assert mark.exists()
    assert found.state is State.PROBLEM
    assert f"{path} does not start (exit 3)" in found.said


def test_a_browser_that_draws_our_page_is_well(bare_machine: Path) -> None:
    program(bare_machine / "bin" / "chromium", 'for word; do last="$word"; done; echo "$last"')
    assert installation.chromium("", is_tried=True).state is State.OK


def test_a_browser_that_hangs_is_ended_with_all_it_started(bare_machine: Path) -> None:
    pids = bare_machine / "pids"
    path = program(bare_machine / "bin" / "chromium", f"/bin/sleep 60 & echo $$ $! > {pids}; wait")
    found = installation._tried(str(path), seconds=0.5)
    assert found.state is State.PROBLEM
    assert "within 0.5 s" in found.said
    left = [int(pid) for pid in pids.read_text(encoding="ascii").split()]
    assert len(left) == 2
    assert not [pid for pid in left if is_alive(pid)]


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_commands_of_the_simulator_are_there() -> None:
    found = installation.commands()
    assert found.state is State.OK, found
    assert "origin" in found.said


def test_missing_commands_are_named_with_what_to_do() -> None:
    point = EntryPoint("origin", "os:getcwd", "longstop.commands")
    found = installation.commands({"origin": point})
    assert found.state is State.WARNING
    assert found.said.startswith("replay missing")


def test_a_command_that_cannot_be_loaded_is_a_problem() -> None:
    points = {
        name: EntryPoint(name, "a_module_that_nobody_has:run", "longstop.commands") for name in ("origin", "replay")
    }
    assert installation.commands(points).state is State.PROBLEM


def test_the_real_machine_is_looked_at_without_harm() -> None:
    assert installation.chromium("", is_tried=False).state in {State.OK, State.ABSENT}
