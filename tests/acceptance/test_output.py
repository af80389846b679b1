"""Where the words go: a full disk, a reader who has gone, nobody at all; and files that may not be read."""

import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.bad_input import Ended
from benchmarks.processes import FREE_PORTS, LONGSTOP, own_environment

UNWRITTEN = 76
READER_GONE = 141
# Root without the capabilities that let it read everything.
ORDINARY = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()


def run(words: tuple[str, ...], folder: Path, stdout: int = subprocess.PIPE, before: tuple[str, ...] = ()) -> Ended:
    done = subprocess.run(
        [*before, str(LONGSTOP), *words],
        cwd=folder,
        env=own_environment(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


@pytest.mark.parametrize("words", [("config", "show"), ("read", "crex", os.devnull)])
def test_what_cannot_be_written_is_told_in_a_sentence(words: tuple[str, ...], tmp_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    ended = run(words, tmp_path, stdout=full)
    os.close(full)
    assert ended.code == UNWRITTEN
    assert ended.is_one_sentence, ended.complained
    assert "No space left on device" in ended.complained


def test_a_reader_who_has_gone_is_no_lost_ball(tmp_path: Path) -> None:
    theirs, ours = os.pipe()
    os.close(theirs)
    ended = run(("config", "show"), tmp_path, stdout=ours)
    os.close(ours)
    assert (ended.code, ended.complained) == (READER_GONE, "")


def test_without_any_standard_output_a_command_does_its_work(tmp_path: Path) -> None:
    words = ["sh", "-c", 'exec "$0" read crex /dev/null >&-', str(LONGSTOP)]
    done = subprocess.run(words, cwd=tmp_path, env=own_environment(), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (4, b"")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("read", "crex", "shut"), 66),
        (("read", "crex", "open", "--names", "shut"), 66),
        (("replay", "shut"), 66),
        (("config", "check", "--config", "shut"), 78),
    ],
)
def test_a_file_that_may_not_be_read_is_told_as_such(words: tuple[str, ...], code: int, tmp_path: Path) -> None:
    (tmp_path / "open").write_text("{}", encoding="utf-8")
    shut = tmp_path / "shut"
    shut.write_text("{}", encoding="utf-8")
    shut.chmod(0)
    ended = run(words, tmp_path, before=ORDINARY)
    assert ended.code == code, ended.complained
    assert "shut" in ended.complained
    assert "ermission denied" in ended.complained or "may not be read" in ended.complained


def test_a_database_that_may_only_be_read_is_told_before_anything_starts(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    address = ("--set", f"database.url=sqlite:///{kept / 'longstop.db'}")
    assert run(("db", "upgrade", *address), tmp_path).code == 0
    for path in kept.iterdir():
        path.chmod(0o444)
    (kept / "longstop.db.lock").chmod(0o644)
    kept.chmod(0o555)
    on = ("--set", "sources.crex.enabled=true", "--set", "sources.crex.base_url=http://127.0.0.1:1")
    ended = run(("up", *on, *FREE_PORTS, *address, "--for", "2s"), tmp_path, before=ORDINARY)
    kept.chmod(0o755)
    assert ended.code == 74, ended.complained
    assert "may not be written" in ended.complained
    assert ended.said == ""
