"""The set-up of a fresh clone: what is done is not done again, and what fails says what to do."""

import fcntl
import os
import sys
from pathlib import Path

import pytest

from scripts.bootstrap import console, environment, goals, machine, stamps
from scripts.bootstrap.apt import Apt
from scripts.bootstrap.console import CallError, Exit, SetupError

NO_APT = Apt(is_allowed=False)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty clone with its own environment folder and stamps."""
    venv = tmp_path / ".venv"
    monkeypatch.setattr(stamps, "_FOLDER", venv / ".longstop")
    monkeypatch.setattr(stamps, "VENV", venv)
    monkeypatch.setattr(environment, "VENV", venv)
    monkeypatch.setattr(environment, "PYTHON", venv / "bin" / "python")
    monkeypatch.setattr(goals, "ROOT", tmp_path)
    return tmp_path


def test_another_lock_makes_a_step_undone(clone: Path) -> None:
    lock = clone / "run.lock"
    lock.write_text("a==1\n", encoding="utf-8")
    stamps.set_done("run", stamps.lock_key(lock))
    assert stamps.is_done("run", stamps.lock_key(lock))
    lock.write_text("a==2\n", encoding="utf-8")
    assert not stamps.is_done("run", stamps.lock_key(lock))


def test_another_environment_makes_a_step_undone(clone: Path) -> None:
    before = stamps.project_key()
    (clone / ".venv").mkdir()
    (clone / ".venv" / "pyvenv.cfg").write_text("version = 3.12\n", encoding="utf-8")
    assert stamps.project_key() != before


def test_the_packages_for_development_serve_for_running_too(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks = {name: clone / f"{name}.lock" for name in ("run", "dev")}
    for path in locks.values():
        path.write_text("a==1\n", encoding="utf-8")
    monkeypatch.setattr(environment, "LOCKS", locks)
    stamps.set_done("dev", stamps.lock_key(locks["dev"]))
    assert environment.has_lock("run")
    assert environment.has_lock("dev")


def test_a_download_that_failed_is_not_tried_again_at_once(clone: Path) -> None:
    assert not stamps.has_failed_lately("playwright")
    stamps.set_failed("playwright")
    assert stamps.has_failed_lately("playwright")
    failed = clone / ".venv" / ".longstop" / "playwright.failed"
    os.utime(failed, (0, 0))
    assert not stamps.has_failed_lately("playwright")


def test_a_folder_that_is_no_environment_is_not_removed(clone: Path) -> None:
    (clone / ".venv").mkdir()
    (clone / ".venv" / "precious").touch()
    with pytest.raises(SetupError, match="is no Python environment") as caught:
        environment.prepare("run", NO_APT)
    assert caught.value.code == Exit.ENVIRONMENT
    assert (clone / ".venv" / "precious").exists()


def test_an_environment_made_in_another_place_has_moved(clone: Path) -> None:
    (clone / ".venv").mkdir()
    config = clone / ".venv" / "pyvenv.cfg"
    config.write_text(f"command = python3 -m venv {clone / '.venv'}\n", encoding="utf-8")
    assert not environment._has_moved()
    config.write_text("command = python3 -m venv /elsewhere/.venv\n", encoding="utf-8")
    assert environment._has_moved()


def test_a_program_that_fails_is_shown_with_its_last_words() -> None:
    with pytest.raises(CallError, match=r"ended with 3:\nlast words"):
        console.call([sys.executable, "-c", "print('last words'); raise SystemExit(3)"], timeout_seconds=30)


def test_a_program_that_hangs_is_given_up() -> None:
    with pytest.raises(CallError, match="did not end within"):
        console.call([sys.executable, "-c", "import time; time.sleep(60)"], timeout_seconds=0.3)


def test_a_program_that_is_missing_is_named() -> None:
    with pytest.raises(CallError, match="no-such-program-here"):
        console.call(["no-such-program-here"], timeout_seconds=1)


def test_without_a_browser_the_message_says_what_to_install(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "_browsers_found", list)
    machine.prepare_browser(NO_APT)
    assert "apt-get install chromium" in capsys.readouterr().err


def test_a_browser_that_does_not_start_is_not_used(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = clone / "chromium"
    broken.write_text("#!/bin/sh\necho missing library; exit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr(machine, "_browsers_found", lambda: [str(broken)])
    machine.prepare_browser(NO_APT)
    said = capsys.readouterr().err
    assert "does not start" in said
    assert "missing library" in said


def test_a_second_make_waits_and_gives_up_in_the_end(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(goals, "_WAIT_SECONDS", 1)
    (clone / "var").mkdir()
    with (clone / "var" / "bootstrap.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert goals.main(["dev"]) == Exit.BUSY
    assert "another make is setting up" in capsys.readouterr().err
