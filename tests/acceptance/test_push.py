"""Two whole Longstops: one polls a site and pushes to the other, which watches nothing and has the same record."""

import asyncio
import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bad_input import run
from benchmarks.judgement import compared
from benchmarks.processes import Running, longstop, up
from tests.acceptance.test_up import (
    ask,
    is_clean,
    live,
    site_of,
    until,
    until_all_is_read,
    until_more_balls,
    watching,
)

pytestmark = [pytest.mark.req("G1", "B12"), pytest.mark.timeout(120)]

STARTED = re.compile(r"Operations page: (\S+?)/\s")
RECORD = ("--set", "database.url=sqlite:///kept.db")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Receiver:
    """It has no source, and an address that stays."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.port = free_port()
        made = run(("keys", "create", "scout", "--scope", "push", "--json", *RECORD), folder)
        self.key = json.loads(made.said)["key"]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Running:
        wanted = ("--set", "api.push_only=true", "--set", f"api.port={self.port}")
        ports = ("--set", "scraper.monitoring.prometheus.port=0")
        running = longstop("up", *wanted, *RECORD, *ports, folder=self.folder)
        running.until_said(STARTED)
        return running


def pushing(site: str, to: Receiver) -> tuple[str, ...]:
    return (*watching(site), "--set", f"sink.url={to.url}", "--set", f"sink.api_key={to.key}")


def ledgers(api: str) -> dict[str, Any]:
    matches = ask(f"{api}/cricket-data/matches")["matches"]
    shown = {}
    for match in matches:
        answer = ask(f"{api}/cricket-data/matches/{match['matchId']}/deliveries")
        shown[match["matchId"]] = [answer[name] for name in ("count", "runs", "wickets")]
    return shown


def test_the_record_of_who_is_pushed_to_is_the_truth_also_when_it_is_killed_in_the_middle(tmp_path: Path) -> None:
    receiver = Receiver(tmp_path / "receiver")
    with site_of(tmp_path / "origin", "--matches", "4", "--speed", "100", "--seed", "21") as site:
        first = receiver.start()
        sender, api = up(*pushing(site, receiver), folder=tmp_path / "sender")
        with sender:
            with first:
                until(lambda: len(live(receiver.url)) >= 2)
                seen = until_more_balls(receiver.url, -1)
                assert ask(f"{receiver.url}/health")["status"] == "healthy"
                first.popen.kill()
                first.popen.wait()
            with receiver.start() as again:
                until_more_balls(receiver.url, seen)
                ask(f"{site}/_origin/freeze", "POST")
                until_all_is_read(site)
                until(lambda: ledgers(receiver.url) == ledgers(api))
                assert again.end() == 0
                assert "Traceback" not in again.logged
        verdict = asyncio.run(compared(receiver.folder / "kept.db", site))
    assert is_clean(verdict["total"]), verdict["total"]
    assert verdict["total"]["stored"] == verdict["total"]["truth"] > seen
    assert [match["faults"] for match in verdict["matches"].values() if match["faults"]] == []
