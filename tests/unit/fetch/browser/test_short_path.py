"""Chromium's sockets need a short temporary folder; where ours is long, a link leads to it."""

import tempfile
from pathlib import Path

import pytest

from longstop.fetch.browser.command_line import TEMPORARY_PATH_MAX
from longstop.fetch.browser.short_path import PREFIX, forget_links, shorten

pytestmark = pytest.mark.req("B4")


def long_folder(root: Path) -> Path:
    folder = root / ("a" * TEMPORARY_PATH_MAX) / "u1"
    folder.mkdir(parents=True)
    return folder


def test_a_short_path_is_left_as_it_is() -> None:
    assert shorten(Path("/var/x")) == Path("/var/x")


def test_a_long_path_gets_a_short_one_that_leads_to_it(tmp_path: Path) -> None:
    folder = long_folder(tmp_path)
    short = shorten(folder)
    try:
        assert len(str(short)) <= TEMPORARY_PATH_MAX
        (short / "socket").write_text("here")
        assert (folder / "socket").read_text() == "here"
    finally:
        forget_links([folder])
    assert not short.is_symlink()


def test_a_long_temporary_folder_of_the_machine_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(long_folder(tmp_path / "machine")))
    folder = long_folder(tmp_path / "ours")
    short = shorten(folder)
    try:
        assert len(str(short)) <= TEMPORARY_PATH_MAX
    finally:
        forget_links([folder])
    assert not short.is_symlink()


def test_only_links_into_the_given_folders_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ours, foreign = tmp_path / f"{PREFIX}ours", tmp_path / f"{PREFIX}foreign"
    (tmp_path / "kept").mkdir()
    ours.symlink_to(tmp_path / "dead" / "u1")
    foreign.symlink_to(tmp_path / "kept")
    forget_links([tmp_path / "dead"])
    assert not ours.is_symlink()
    assert foreign.is_symlink()
