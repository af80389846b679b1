"""What people get wrong at the command line, and what programs read from it: processes, words and exit codes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from benchmarks.bad_input import MISTAKES, TAKEN, Ended, Mistake, taken_port, write_bad_files
from benchmarks.processes import FREE_PORTS, LONGSTOP, empty_folder, origin, own_environment
from longstop import __version__
from tests.acceptance.commands import Commands, commands

METRICS_PORT = "scraper.monitoring.prometheus.port"
ON = ("--set", "sources.crex.enabled=true")
UP = ("up", *ON, "--set", "api.port=0")

MORE_MISTAKES = (
    Mistake("an unknown command", ("wach",), 2, "No such command 'wach'"),
    Mistake("an unknown option", ("up", "--orign"), 2, "No such option: --orign"),
    Mistake("no file to replay", ("replay",), 2, "Missing argument"),
    Mistake("a number out of range", ("up", "--matches", "0"), 2, "--matches"),
    Mistake("a word for a number", ("replay", "--seed", "x", "letter.json"), 2, "--seed"),
    Mistake("a missing payload", ("read", "crex", "nowhere.json"), 66, "There is no file nowhere.json"),
    Mistake("a folder for a payload", ("read", "crex", "."), 66, "cannot be read"),
    Mistake("a missing match file", ("replay", "nowhere.json"), 66, "nowhere.json: it cannot be read"),
    Mistake("a missing file for the origin", ("origin", "--port", "0", "--file", "nowhere.json"), 66, "nowhere.json"),
    Mistake("an empty match file", ("replay", "empty.json"), 65, "not JSON"),
    Mistake("one bad file among good words", ("replay", "letter.json", "half.json"), 65, "letter.json"),
    Mistake("JSON that is no match", ("replay", "list.json"), 67, "not an object"),
    Mistake("a Cricsheet file without innings", ("replay", "bare.json"), 67, '"innings"'),
    Mistake("no duration", ("up", "--origin", "--for", "soon"), 65, "'soon' is no duration"),
    Mistake("a duration of nothing", ("up", "--origin", "--for", "0s"), 65, "'0s' is no duration"),
    Mistake("a report in no folder", ("up", "--origin", "--report", "no/r.json"), 65, "There is no folder no"),
    Mistake("a report that is a folder", ("up", "--origin", "--report", "."), 65, "cannot be written"),
    Mistake("no source switched on", ("up",), 65, "No source is switched on"),
    Mistake(
        "a source that cannot be watched yet", ("up", "--set", "sources.espn.enabled=true"), 78, "cannot watch espn yet"
    ),
    Mistake(
        "a source that cannot be watched yet, checked",
        ("config", "check", "--set", "sources.espn.enabled=true"),
        78,
        "sources.espn.enabled",
    ),
    Mistake("faults for a real site", (*UP, "--faults", "storm", "--speed", "9"), 65, "--speed, --faults"),
    Mistake("an unknown fault level", ("replay", "--faults", "wild", "half.json"), 65, "none, mild, storm"),
    Mistake(
        "an unknown fault level of a site beside us", ("up", "--origin", "--faults", "wild"), 65, "none, mild, storm"
    ),
    Mistake("an origin for everybody", ("origin", "--port", "0", "--host", "0.0.0.0"), 65, "only listens on this"),
    Mistake("a weak secret", ("up", *ON, "--set", "api.auth.jwt_secret=password123"), 78, "is too weak"),
    Mistake("the port of the API in use", ("up", *ON, "--set", f"api.port={TAKEN}"), 69, "in use"),
    Mistake(
        "the port of the metrics in use",
        (*UP, "--set", f"{METRICS_PORT}={TAKEN}"),
        69,
        "in use",
    ),
    Mistake("the port of the origin in use", ("origin", "--port", TAKEN), 69, ": Address already in use."),
    Mistake("a page of no source", ("scrape", "http://127.0.0.1/about"), 65, "a match page of no source"),
    Mistake(
        "a source that is off", ("scrape", "http://crex.invalid/cricket-live-score/a-match-updates-AB1"), 65, "is off"
    ),
    Mistake("no config where one is named", ("up", "--config", "nowhere.yaml"), 78, "there is no such file"),
    Mistake("a setting that does not exist", ("up", "--set", "api.prot=1"), 78, "did you mean api.port?"),
    Mistake(
        "limits that cannot be",
        ("config", "check", "--set", "scraper.resources.memory.soft_limit_mb=4000"),
        78,
        "soft_limit_mb",
    ),
    Mistake(
        "a database of an unknown kind", ("up", "--origin", "--set", "database.url=oracle://x"), 78, "database.url"
    ),
    Mistake(
        "a database that is none",
        ("up", *ON, *FREE_PORTS, "--set", "database.url=sqlite:///letter.json"),
        74,
        "letter.json",
    ),
)
ALL = {mistake.name: mistake for mistake in (*MISTAKES, *MORE_MISTAKES)}
# The parser of the words has a form of its own for what it refuses.
OF_THE_PARSER = {name for name, mistake in ALL.items() if mistake.code == 2}


@pytest.fixture(scope="module")
def longstop() -> Iterator[Commands]:
    with commands() as found:
        yield found


@pytest.fixture(scope="module")
def ended(longstop: Commands) -> Iterator[dict[str, Ended]]:
    with empty_folder("mistakes") as folder, taken_port() as port:
        write_bad_files(folder)
        (folder / "empty.json").write_bytes(b"")
        (folder / "list.json").write_text("[1, 2]", encoding="utf-8")
        (folder / "bare.json").write_text('{"info": {}}', encoding="utf-8")
        words = {each.name: tuple(word.replace(TAKEN, str(port)) for word in each.words) for each in ALL.values()}
        yield {name: longstop.run(each, folder) for name, each in words.items()}


@pytest.mark.parametrize("name", ALL)
def test_a_mistake_ends_with_its_own_exit_code_and_says_what_it_was(ended: dict[str, Ended], name: str) -> None:
    assert ended[name].code == ALL[name].code, ended[name].complained
    assert ALL[name].says in ended[name].complained
    assert not ended[name].has_traceback


@pytest.mark.parametrize("name", [name for name in ALL if name not in OF_THE_PARSER])
def test_a_mistake_is_told_in_one_sentence_with_what_to_do(ended: dict[str, Ended], name: str) -> None:
    assert ended[name].is_one_sentence, ended[name].complained
    assert ended[name].complained.rstrip().endswith((".", "?"))
    assert ended[name].said == ""


def test_the_mistakes_of_the_issue_have_five_different_exit_codes(ended: dict[str, Ended]) -> None:
    assert len({ended[mistake.name].code for mistake in MISTAKES}) == 5


@pytest.mark.req("I5")
def test_every_fault_of_the_settings_is_told_at_once(longstop: Commands, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("api:\n  port: soon\n  prot: 1\n", encoding="utf-8")
    done = longstop.run(("up", "--set", "scraper.lifecycle.polling_interval=-1"), tmp_path)
    assert done.code == 78
    for fault in ("config.yaml:2 api.port", "config.yaml:3 api.prot", "scraper.lifecycle.polling_interval"):
        assert fault in done.complained


# ---- read ----


def test_a_real_capture_is_accepted_and_printed_normalised(
    longstop: Commands, shared_data: Path, tmp_path: Path
) -> None:
    done = longstop.run(("read", "crex", str(shared_data / "crex" / "sv3_QUY_2024-09-18_innings_break.json")), tmp_path)
    document = json.loads(done.said)
    assert done.code == 0
    assert document["accepted"] is True
    assert document["play_state"] == "innings_break"
    assert document["teams"]["team_a"]["code"] == "CD"


def test_names_given_beside_a_capture_are_used(longstop: Commands, shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "crex"
    names = ("--names", str(folder / "local_storage_QUY_2024-09-18.json"))
    done = longstop.run(("read", "crex", str(folder / "sv3_QUY_2024-09-18_innings_break.json"), *names), tmp_path)
    assert json.loads(done.said)["teams"]["team_a"]["name"] == "United States"


def test_a_capture_whose_numbers_contradict_each_other_is_rejected_with_reasons(
    longstop: Commands, shared_data: Path, tmp_path: Path
) -> None:
    capture = json.loads((shared_data / "crex" / "sv3_QUY_2024-09-18_innings_break.json").read_bytes())
    capture["j"] = "106/14(31.1"
    done = longstop.run(("read", "crex", "-"), tmp_path, stdin=json.dumps(capture).encode())
    document = json.loads(done.said)
    assert (done.code, document["accepted"]) == (3, False)
    assert document["reasons"]


def test_half_a_capture_is_rejected_with_reasons(longstop: Commands, shared_data: Path, tmp_path: Path) -> None:
    capture = (shared_data / "crex" / "sv3_QUY_2024-09-18_innings_break.json").read_bytes()
    done = longstop.run(("read", "crex", "-"), tmp_path, stdin=capture[: len(capture) // 2])
    assert done.code == 3
    assert json.loads(done.said)["reasons"]


@pytest.mark.parametrize(
    "capture",
    [
        "espn_cricket_site_api/match/1381212.json",
        "cricsheet/odi/932861.json",
        "crex/live_batters_sequence_2025-11-20.json",
    ],
)
def test_a_payload_of_somebody_else_is_told_apart(
    longstop: Commands, shared_data: Path, tmp_path: Path, capture: str
) -> None:
    done = longstop.run(("read", "crex", str(shared_data / capture)), tmp_path)
    document = json.loads(done.said)
    assert (done.code, document["accepted"]) == (4, False)
    assert document["reasons"]


def test_a_payload_that_is_empty_is_told_as_that(longstop: Commands, tmp_path: Path) -> None:
    done = longstop.run(("read", "crex", "-"), tmp_path, stdin=b"\n")
    assert (done.code, json.loads(done.said)["reasons"]) == (4, ["This is none of the payloads of crex; it is empty."])


# ---- what programs read ----


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (("config", "show", "--json"), {0}),
        (("db", "status", "--json"), {1}),
        (("doctor", "--json", *FREE_PORTS), {0, 1}),
        (("config", "check", "--json"), {0}),
    ],
)
def test_an_answer_for_programs_is_one_json_document(
    longstop: Commands, tmp_path: Path, words: tuple[str, ...], codes: set[int]
) -> None:
    done = longstop.run(words, tmp_path)
    assert isinstance(json.loads(done.said), dict)
    assert done.code in codes


def test_the_command_says_which_version_it_is(longstop: Commands, tmp_path: Path) -> None:
    done = longstop.run(("--version",), tmp_path)
    assert (done.code, done.said, done.complained) == (0, f"longstop {__version__}\n", "")


INTERRUPTED_IMPORT = """
import os, signal, sys
class Interruption:
    def find_spec(self, name, path=None, target=None):
        if name == "longstop.commands":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interruption())
from longstop.__main__ import main
main()
"""


def test_a_ctrl_c_while_the_command_still_loads_ends_it_quietly(tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, "doctor"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_failure_is_told_to_programs_as_json_with_a_hint(longstop: Commands, tmp_path: Path) -> None:
    done = longstop.run(("replay", "--json", "nowhere.json"), tmp_path)
    told = json.loads(done.complained)
    assert done.code == 66
    assert set(told) == {"error", "message", "hint"}
    assert all(told.values())


def test_a_replay_tells_programs_each_match_and_the_sum(longstop: Commands, shared_data: Path, tmp_path: Path) -> None:
    files = [str(shared_data / "cricsheet" / "odi" / name) for name in ("932861.json", "1031669.json")]
    done = longstop.run(("replay", "--json", "--faults", "mild", "--seed", "4", *files), tmp_path)
    document = json.loads(done.said)
    assert (done.code, done.complained) == (0, "")
    assert (document["seed"], document["faults"], document["is_clean"]) == (4, "mild", True)
    assert [match["file"] for match in document["matches"]] == ["932861.json", "1031669.json"]
    assert document["events"] == {
        "truth": 25, "stored": 25, "lost": 0, "duplicated": 0, "unexpected": 0, "wrong": 0
    }  # fmt: skip


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    """`longstop config show | head -1`: the first line is read, then nobody listens."""
    environ = own_environment() | {"PYTHONUNBUFFERED": "1"}
    command = [str(LONGSTOP), "config", "show"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


# ---- scrape ----


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with empty_folder("site") as folder:
        running, url = origin("--matches", "1", "--seed", "5", "--speed", "1", folder=folder)
        with running:
            yield url


def match_page(site: str) -> str:
    """As a person finds it: a link on the list."""
    with urlopen(f"{site}/cricket-live-score", timeout=10) as answer:  # noqa: S310 - the origin of this test
        html = answer.read().decode()
    return site + str(html).partition('href="')[2].partition('"')[0]


def test_a_match_is_scraped_whole_and_printed(longstop: Commands, site: str, tmp_path: Path) -> None:
    done = longstop.run(("scrape", match_page(site)), tmp_path)
    document: dict[str, Any] = json.loads(done.said)
    assert (done.code, done.complained) == (0, "")
    assert document["is_whole"] is True
    assert len(document["deliveries"]) == document["balls"] > 0
    assert document["teams"]["team_a"]["name"] != document["teams"]["team_a"]["code"]
    assert not (tmp_path / "var").exists()


def test_a_match_that_is_not_there_is_told_in_one_sentence(longstop: Commands, site: str, tmp_path: Path) -> None:
    done = longstop.run(("scrape", f"{site}/cricket-live-score/nobody-match-updates-ZZZZ9"), tmp_path)
    assert done.code == 75
    assert done.is_one_sentence, done.complained
