"""The commands as a person runs them: a process of its own, its words and its exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

LONGSTOP = Path(sys.executable).with_name("longstop")
SECONDS = 60
FREE_PORTS = ("--set", "api.port=0", "--set", "scraper.monitoring.prometheus.port=0")

Ended = subprocess.CompletedProcess[str]
Run = Callable[..., Ended]


@pytest.fixture
def longstop(tmp_path: Path) -> Run:
    """Started in an empty folder, with no variable of ours set."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LONGSTOP_")}

    def run(*words: str) -> Ended:
        command = [str(LONGSTOP), *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False
        )

    return run


def test_the_doctor_says_what_is_there_and_ends_with_its_verdict(longstop: Run) -> None:
    ended = longstop("doctor", "--json", *FREE_PORTS)
    document = json.loads(ended.stdout)
    assert ended.returncode == (0 if document["is_well"] else 1)
    assert ended.stderr == ""
    states = {finding["name"]: finding["state"] for finding in document["findings"]}
    assert states["python"] == states["sqlite"] == states["commands"] == states["database"] == "ok"


def test_the_doctor_speaks_plainly_to_people(longstop: Run) -> None:
    ended = longstop("doctor", *FREE_PORTS)
    assert ended.stdout.startswith("ok       python ")
    assert ended.stdout.isascii()
    assert ended.stdout.splitlines()[-1].endswith(" ok.")


def test_the_doctor_names_every_fault_of_the_settings(longstop: Run, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("api:\n  port: soon\n  prot: 1\n", encoding="utf-8")
    ended = longstop("doctor", "--json")
    assert ended.returncode == 1
    said = next(each["said"] for each in json.loads(ended.stdout)["findings"] if each["name"] == "settings")
    assert "config.yaml:2 api.port" in said
    assert "config.yaml:3 api.prot" in said


def test_a_database_is_upgraded_once_and_stays_upgraded(longstop: Run, tmp_path: Path) -> None:
    assert longstop("db", "status").returncode == 1
    first, second = (longstop("db", "upgrade", "--json") for _ in range(2))
    assert first.returncode == second.returncode == 0
    assert [json.loads(each.stdout)["changed"] for each in (first, second)] == [True, False]
    assert (tmp_path / "var" / "longstop.db").is_file()


def test_a_database_that_is_none_is_one_sentence_and_an_exit_code(longstop: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear sir or madam, " * 200, encoding="utf-8")
    ended = longstop("db", "upgrade", "--set", "database.url=sqlite:///letter.txt")
    assert ended.returncode == 74
    assert ended.stdout == ""
    assert ended.stderr.startswith("longstop: ")
    assert len(ended.stderr.splitlines()) == 1
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8").startswith("dear sir")


def test_a_failed_upgrade_is_told_to_programs_as_json(longstop: Run, free_port: int) -> None:
    address = f"postgresql://me:hunter22@127.0.0.1:{free_port}/x"
    ended = longstop("db", "upgrade", "--json", "--set", f"database.url={address}")
    told = json.loads(ended.stderr)
    assert ended.returncode == 74
    assert told["error"] == "StoreUnavailableError"
    assert told["hint"]
    assert "hunter22" not in ended.stderr
