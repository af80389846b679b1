"""`longstop up` as a process: it starts, it keeps everything, and however it ends nothing is left behind or lost."""

import asyncio
import fcntl
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import psutil
import pytest

from benchmarks.bad_input import run, taken_port
from benchmarks.judgement import compared
from benchmarks.processes import FREE_PORTS, Running, origin, up

QUICK = ("--set", "scraper.lifecycle.polling_interval=0.25", "--set", "sources.discovery_interval=1")
SIMULATED = ("--origin", "--matches", "5", "--speed", "50", *QUICK)
LIVE_STATE = "/api/v3/getSV3"
SHUTDOWN_SECONDS = 30.0
CHILD_END_SECONDS = 10.0
LOOK_SECONDS = 0.05
PATIENCE_SECONDS = 40.0

pytestmark = pytest.mark.timeout(90)


def ask(url: str, method: str = "GET") -> Any:
    with urlopen(Request(url, method=method), timeout=10) as answer:  # noqa: S310 - a server of this test
        return json.loads(answer.read())


def live(api: str) -> list[dict[str, Any]]:
    return [each for each in ask(f"{api}/cricket-data/matches")["matches"] if each["status"] == "live"]


def until(what: Callable[[], bool]) -> None:
    """Waits for a thing to become true, never for a guess of time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(LOOK_SECONDS)


def origin_of(running: Running) -> psutil.Process:
    children = psutil.Process(running.popen.pid).children(recursive=True)
    (child,) = [each for each in children if "longstop_origin" in each.cmdline()]
    return child


def processes_in(folder: Path) -> list[int]:
    """Whatever was started there and still runs, whoever its parent is by now."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def held_locks(folder: Path) -> list[Path]:
    held = []
    for path in folder.rglob("*.lock"):
        with path.open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                held.append(path)
    return held


def nothing_is_left_in(folder: Path) -> None:
    assert processes_in(folder) == []
    assert held_locks(folder) == []
    assert [*folder.rglob("*-wal")] == []


def is_clean(total: dict[str, int]) -> bool:
    return not any(total[name] for name in ("lost", "duplicated", "unexpected", "wrong"))


@pytest.mark.req("A1", "C1", "C3", "H5")
def test_a_run_beside_its_origin_serves_fresh_matches_and_ends_with_a_clean_report(tmp_path: Path) -> None:
    running, api = up(*SIMULATED, "--for", "5s", "--report", "r.json", folder=tmp_path)
    with running:
        until(lambda: len(live(api)) == 5 and not any(each["_metadata"]["is_stale"] for each in live(api)))
        matches = live(api)
        assert len({each["format"] for each in matches}) >= 3
        info = ask(f"{api}/cricket-data/match-info/{matches[0]['matchId']}")
        assert info["_metadata"]["data_age_seconds"] < 10
        assert ask(f"{api}/health")["status"]
        for address in (f"{api}/", *re.findall(r"Metrics: (\S+)", running.said)):
            with urlopen(address, timeout=10) as answer:  # noqa: S310 - a server of this test
                assert answer.status == 200
        assert running.wait(PATIENCE_SECONDS) == 0, running.logged
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert (report["is_clean"], report["matches"]) == (True, 5)
    assert is_clean(report["events"])
    assert report["events"]["stored"] == report["events"]["truth"] > 0
    assert report["freshness"]["p99_seconds"] < 10
    assert report["latency_extraction_to_stored_ms"]["mean"] < 500
    # What was bowled before we came is in the record, but says nothing about how late we learn of a ball.
    assert report["delay_source_to_stored_ms"]["max"] < 10_000
    nothing_is_left_in(tmp_path)


@pytest.mark.req("B11")
def test_a_signal_ends_everything_in_order(tmp_path: Path) -> None:
    running, api = up(*SIMULATED, "--report", "r.json", folder=tmp_path)
    with running:
        until(lambda: len(live(api)) == 5)
        site = origin_of(running)
        running.popen.send_signal(signal.SIGTERM)
        assert running.wait(SHUTDOWN_SECONDS) == 0, running.logged
        assert not site.is_running()
    assert json.loads((tmp_path / "r.json").read_bytes())["is_clean"] is True
    assert '"reason":"SIGTERM"' in running.logged
    nothing_is_left_in(tmp_path)


@pytest.mark.req("B11")
def test_a_ctrl_c_at_the_terminal_lets_the_site_live_until_the_report_is_written(tmp_path: Path) -> None:
    """A terminal sends it to every process of its group at once, the site beside us included."""
    running, api = up(*SIMULATED, "--report", "r.json", folder=tmp_path)
    with running:
        until(lambda: len(live(api)) == 5)
        site, group = origin_of(running), os.getpgid(running.popen.pid)
        for pid in (site.pid, running.popen.pid):
            if os.getpgid(pid) == group:
                os.kill(pid, signal.SIGINT)
        assert running.wait(SHUTDOWN_SECONDS) == 0, running.logged
    assert json.loads((tmp_path / "r.json").read_bytes())["is_clean"] is True
    assert '"reason":"SIGINT"' in running.logged
    nothing_is_left_in(tmp_path)


def test_a_killed_parent_takes_its_origin_along(tmp_path: Path) -> None:
    running, _ = up(*SIMULATED, folder=tmp_path)
    with running:
        site = origin_of(running)
        running.popen.kill()
        running.popen.wait()
        assert psutil.wait_procs([site], timeout=CHILD_END_SECONDS)[1] == []
    assert processes_in(tmp_path) == []
    assert held_locks(tmp_path) == []


def test_an_origin_that_dies_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    running, _ = up(*SIMULATED, folder=tmp_path)
    with running:
        origin_of(running).kill()
        assert running.wait(SHUTDOWN_SECONDS) == 70
    assert "longstop: The origin simulator ended by itself (exit -9)." in running.logged
    assert "Traceback" not in running.logged
    nothing_is_left_in(tmp_path)


@contextmanager
def site_of(folder: Path, *words: str) -> Iterator[str]:
    running, url = origin(*words, folder=folder)
    with running:
        yield url


def watching(url: str) -> tuple[str, ...]:
    sets = ("sources.crex.enabled=true", f"sources.crex.base_url={url}", "database.url=sqlite:///kept.db")
    return (*(word for each in sets for word in ("--set", each)), *QUICK)


@pytest.mark.req("B8", "B9")
def test_a_killed_engine_goes_on_where_it_was_and_loses_and_doubles_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "engine"
    with site_of(tmp_path / "origin", "--matches", "5", "--speed", "100", "--seed", "21") as url:
        seen = -1
        for _ in range(2):
            running, api = up(*watching(url), folder=folder)
            with running:
                seen = until_more_balls(api, seen)
                running.popen.kill()
                running.popen.wait()
        running, api = up(*watching(url), folder=folder)
        with running:
            until_more_balls(api, seen)
            ask(f"{url}/_origin/freeze", "POST")
            until_all_is_read(url)
            assert running.end() == 0
        verdict = asyncio.run(compared(folder / "kept.db", url))
    assert is_clean(verdict["total"]), verdict["total"]
    assert verdict["total"]["stored"] == verdict["total"]["truth"] > seen
    assert [match["faults"] for match in verdict["matches"].values() if match["faults"]] == []
    assert verdict["strangers"] == []
    assert "Traceback" not in running.logged


def until_more_balls(api: str, before: int) -> int:
    until(lambda: legal_balls(api) > before + 10)
    return legal_balls(api)


def legal_balls(api: str) -> int:
    matches = ask(f"{api}/cricket-data/matches")["matches"]
    infos = [ask(f"{api}/cricket-data/match-info/{each['matchId']}") for each in matches]
    return sum(innings["legal_balls"] for info in infos for innings in info["innings"])


def until_all_is_read(url: str) -> None:
    """The world stands still. Once every match was polled again and no ball was asked for, there is nothing left."""
    feeds = -1
    while feeds != (feeds := requests(url, "/commentary/getBallFeeds 200")):
        wanted = looks(url) + 3 * len(ask(f"{url}/_origin/matches"))
        until(lambda wanted=wanted: looks(url) >= wanted)  # type: ignore[misc]  # of this round


def looks(url: str) -> int:
    """A match that stands still is answered with "unchanged"."""
    return requests(url, f"{LIVE_STATE} 200") + requests(url, f"{LIVE_STATE} 304")


def requests(url: str, path_and_status: str) -> int:
    return int(ask(f"{url}/_origin/stats")["requests"].get(path_and_status, 0))


def test_a_second_run_on_the_same_database_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    """The source does not even answer; that is no reason to end."""
    with taken_port() as silent:
        words = watching(f"http://127.0.0.1:{silent}")
        first, api = up(*words, folder=tmp_path)
        with first:
            second = run(("up", *words, *FREE_PORTS), tmp_path)
            assert second.code == 74
            assert second.is_one_sentence, second.complained
            assert f"pid {first.popen.pid}" in second.complained
            assert ask(f"{api}/cricket-data/matches")["count"] == 0
            first.popen.send_signal(signal.SIGINT)
            assert first.wait(SHUTDOWN_SECONDS) == 0


def test_a_taken_port_is_told_and_the_origin_does_not_stay(tmp_path: Path) -> None:
    with taken_port() as port:
        ended = run(("up", "--origin", "--set", f"api.port={port}"), tmp_path)
    assert ended.code == 69
    assert ended.is_one_sentence, ended.complained
    assert str(port) in ended.complained
    nothing_is_left_in(tmp_path)


def test_without_a_source_there_is_nothing_to_watch_and_that_is_said(tmp_path: Path) -> None:
    ended = run(("up", *FREE_PORTS), tmp_path)
    assert ended.code == 65
    assert "No source is switched on" in ended.sentence
    assert "longstop up --origin" in ended.sentence
    assert not (tmp_path / "var").exists()
