"""How a browser is found and started, and how its errors read; without one."""

from pathlib import Path

import pytest
from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from longstop.domain.errors import (
    BrowserError,
    BrowserLostError,
    BrowserMissingError,
    BrowserTimeoutError,
    SourceUnreachableError,
)
from longstop.fetch.browser import command_line
from longstop.fetch.browser.executable import find_executable
from longstop.fetch.browser.held_context import attributed
from longstop.fetch.browser.translate import translated


def program(path: Path, rights: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(rights)
    return path


def test_the_configured_browser_comes_first(tmp_path: Path) -> None:
    own, other = program(tmp_path / "own"), program(tmp_path / "bin" / "chromium")
    assert find_executable(str(own), str(other.parent)) == own


def test_the_search_path_comes_before_playwrights_own(tmp_path: Path) -> None:
    found = program(tmp_path / "bin" / "google-chrome")
    program(tmp_path / "own" / "chromium-1200" / "chrome-linux" / "chrome")
    assert find_executable("", str(found.parent), tmp_path / "own") == found


def test_playwrights_own_is_found_last(tmp_path: Path) -> None:
    own = program(tmp_path / "own" / "chromium-1200" / "chrome-linux64" / "chrome")
    assert find_executable("", str(tmp_path / "bin"), tmp_path / "own") == own


def test_without_any_the_error_says_how_to_install_one(tmp_path: Path) -> None:
    with pytest.raises(BrowserMissingError, match="apt-get install chromium"):
        find_executable("", str(tmp_path), tmp_path)


def test_a_configured_browser_that_may_not_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(BrowserMissingError, match="may not be executed"):
        find_executable(str(program(tmp_path / "own", 0o644)))
    with pytest.raises(BrowserMissingError, match="no browser at"):
        find_executable(str(tmp_path))


def test_the_browser_gets_nothing_of_our_environment_that_may_be_secret(tmp_path: Path) -> None:
    inherited = {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "DATABASE_URL": "secret", "LONGSTOP_MARK": "x:y"}
    given = command_line.environment(inherited, "abc:u1", tmp_path, "/short")
    assert given == {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C",
        "LONGSTOP_MARK": "abc:u1",
        "TMPDIR": "/short",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }


def test_with_a_proxy_no_name_can_be_looked_up_beside_it() -> None:
    assert "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1" in command_line.switches("m", "127.0.0.1:80")
    assert not any("host-resolver" in each for each in command_line.switches("m", None))


def test_the_mark_is_read_where_it_was_written() -> None:
    assert command_line.mark_of(["chromium", *command_line.switches("abc:u1", None)]) == "abc:u1"
    assert command_line.mark_of(["chromium", "--type=renderer"]) is None


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["c", "--type=gpu-process"], "gpu-process"),
        (["c --type=renderer --lang=en"], "renderer"),
        (["c"], ""),
        ([], ""),
    ],
)
def test_what_a_process_is_for_is_read_however_it_writes_its_line(arguments: list[str], kind: str) -> None:
    assert command_line.kind_of(arguments) == kind


@pytest.mark.parametrize(
    ("error", "expected", "words"),
    [
        (PlaywrightTimeoutError("Timeout 30000ms exceeded."), BrowserTimeoutError, "Timeout 30000ms exceeded."),
        (Error("Page.evaluate: Target crashed \nCall log:\n x"), BrowserLostError, "Page.evaluate: Target crashed."),
        (Error("Target page, context or browser has been closed"), BrowserLostError, "has been closed."),
        (Error("Page.goto: net::ERR_CONNECTION_REFUSED at http://a"), SourceUnreachableError, "REFUSED at http://a."),
        (Error("Page.goto: net::ERR_BLOCKED_BY_CLIENT at http://a"), BrowserError, "documents_max"),
        (Error("ReferenceError: x is not defined\n    at eval"), BrowserError, "x is not defined."),
        (
            Error("Browser has been closed\nlogs:\n[pid=1][err] [1:FATAL:zygote.cc(1)] No usable sandbox! Update\n"),
            BrowserLostError,
            "Chromium says: No usable sandbox! Update.",
        ),
        (Error(""), BrowserError, "Error."),
    ],
)
def test_errors_are_told_in_one_line(error: Error, expected: type[Exception], words: str) -> None:
    told = translated(error)
    assert type(told) is expected
    assert words in str(told)
    assert "\n" not in str(told)


@pytest.mark.parametrize(
    ("renderers", "claims", "expected"),
    [
        ({1: 10, 2: 20}, {"a": {1}, "b": {2}}, {"a": 10, "b": 20}),
        ({1: 10, 3: 30}, {"a": {1}, "b": {2}}, {"a": 10, "b": 30}),
        ({1: 10, 2: 20, 3: 30}, {"a": {1}, "b": {2}}, {"a": 25, "b": 35}),
        ({7: 10}, {"a": set[int](), "b": set[int]()}, {"a": 5, "b": 5}),
        ({7: 10}, {}, {}),
    ],
)
def test_renderers_are_told_apart_as_well_as_can_be(
    renderers: dict[int, int], claims: dict[str, set[int]], expected: dict[str, int]
) -> None:
    assert attributed(renderers, claims) == expected
