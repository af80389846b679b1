"""Settings read again by a running `longstop up`: by SIGHUP, over HTTP, and after its terminal has gone."""

import json
import os
import pty
import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from benchmarks.bad_input import taken_port
from benchmarks.processes import FREE_PORTS, LONGSTOP, Running, own_environment, up
from tests.acceptance.test_up import SHUTDOWN_SECONDS, SIMULATED, ask, live, until

pytestmark = [pytest.mark.timeout(90), pytest.mark.req("B2")]
GOOD = """
sources:
  crex: {{enabled: true, base_url: "{url}"}}
scraper:
  monitoring:
    logging: {{level: {level}}}
"""


class House:
    """A running Longstop with a settings file; its source does not answer, which is no concern of these tests."""

    def __init__(self, folder: Path, url: str) -> None:
        self.file = folder / "config.yaml"
        self._url = url
        self.write("INFO")
        self.running, self.api = up("--set", "api.auth.open_admin=true", folder=folder)

    def write(self, level: str, more: str = "") -> None:
        self.file.write_text(GOOD.format(url=self._url, level=level) + more, encoding="utf-8")

    def hang_up(self) -> None:
        self.running.popen.send_signal(signal.SIGHUP)

    def lines(self, event: str) -> list[dict[str, Any]]:
        whole = [line for line in self.running.logged.splitlines() if line.startswith("{") and line.endswith("}")]
        return [line for line in map(json.loads, whole) if line["event"] == event]

    def until_told(self, event: str, count: int) -> dict[str, Any]:
        until(lambda: len(self.lines(event)) >= count)
        return self.lines(event)[count - 1]


def test_a_hangup_reloads_and_a_bad_file_keeps_the_old_settings(tmp_path: Path) -> None:
    with taken_port() as silent:
        house = House(tmp_path, f"http://127.0.0.1:{silent}")
        with house.running as running:
            house.hang_up()
            told = house.until_told("configuration reloaded", 1)
            assert (told["severity"], told["reason"], told["applied"], told["needs_restart"]) == (
                "INFO",
                "SIGHUP",
                [],
                [],
            )
            house.write("DEBUG", "database: {url: 'sqlite:///other.db'}\n")
            house.hang_up()
            told = house.until_told("configuration reloaded", 2)
            assert told["severity"] == "WARN"
            assert told["applied"] == ["scraper.monitoring.logging.level: INFO → DEBUG"]
            assert [line.partition(":")[0] for line in told["needs_restart"]] == ["database.url"]
            house.until_told("resources measured", 1)
            house.write("LOUD", "apo: {port: 1}\n")
            house.hang_up()
            told = house.until_told("configuration refused", 1)
            assert (told["severity"], told["error_type"]) == ("ERROR", "settings")
            assert len(told["faults"]) == 2
            assert "old settings stay" in told["hint"]
            seen = len(house.lines("resources measured"))
            until(lambda: len(house.lines("resources measured")) > seen)
            assert ask(f"{house.api}/livez")["status"] == "alive"
            running.popen.send_signal(signal.SIGTERM)
            assert running.wait(SHUTDOWN_SECONDS) == 0, running.logged
    assert not (tmp_path / "other.db").exists()


def sources_of(house: House) -> dict[str, bool]:
    return {each["source"]: each["is_on"] for each in ask(f"{house.api}/admin/sources")["sources"]}


def shows_crex(house: House, *, is_on: bool) -> bool:
    return sources_of(house)["crex"] is is_on


@pytest.mark.req("F1")
def test_a_source_is_switched_off_and_on_by_its_setting_without_a_restart(tmp_path: Path) -> None:
    with taken_port() as silent:
        house = House(tmp_path, f"http://127.0.0.1:{silent}")
        with house.running:
            assert sources_of(house)["crex"]
            whole = house.file.read_text(encoding="utf-8")
            for count, is_on in enumerate((False, True), start=1):
                house.file.write_text(whole.replace("enabled: true", f"enabled: {str(is_on).lower()}"), "utf-8")
                house.hang_up()
                told = house.until_told("configuration reloaded", count)
                assert [line.partition(":")[0] for line in told["applied"]] == ["sources.crex.enabled"]
                assert told["needs_restart"] == []
                until(partial(shows_crex, house, is_on=is_on))
            house.file.write_text(whole.replace("crex:", "sofascore: {enabled: true}\n  crex:"), "utf-8")
            house.hang_up()
            assert "cannot watch sofascore yet" in house.until_told("configuration refused", 1)["error_message"]


def post(url: str, headers: dict[str, str] | None = None, body: bytes | None = None) -> tuple[int, dict[str, Any]]:
    try:
        with urlopen(Request(url, body, headers or {}, method="POST"), timeout=10) as answer:  # noqa: S310 - of this test
            return answer.status, json.loads(answer.read())
    except HTTPError as refused:
        with refused:
            return refused.code, json.loads(refused.read())


@pytest.mark.req("G3")
def test_over_http_the_answer_names_changes_and_faults_and_strangers_are_refused(tmp_path: Path) -> None:
    with taken_port() as silent:
        house = House(tmp_path, f"http://127.0.0.1:{silent}")
        with house.running:
            house.write("WARN", "api: {port: 9999}\n")
            reload = f"{house.api}/admin/reload"
            for stranger in (
                {"Origin": "https://evil.example"},
                {"Host": "evil.example"},
                {"Sec-Fetch-Site": "cross-site"},
            ):
                status, problem = post(reload, stranger)
                assert (status, problem["type"]) == (403, "/problems/not-from-here")
            assert house.until_told("admin verb refused", 1)["verb"] == "reload"
            # The command line gives api.port, and is stronger than the file.
            status, answer = post(reload)
            assert (status, answer["outcome"], answer["needs_restart"]) == (200, "reloaded", [])
            assert [each["setting"] for each in answer["applied"]] == ["scraper.monitoring.logging.level"]
            house.file.unlink()
            status, problem = post(reload)
            assert (status, problem["type"]) == (422, "/problems/settings-refused")
            assert "there is no such file" in problem["errors"][0]["detail"]


def test_when_its_terminal_goes_a_run_for_a_person_ends(tmp_path: Path) -> None:
    with taken_port() as silent:
        sets = ("sources.crex.enabled=true", f"sources.crex.base_url=http://127.0.0.1:{silent}")
        words = [word for each in sets for word in ("--set", each)]
        ours, theirs = pty.openpty()
        with (tmp_path / "out.txt").open("wb") as out, (tmp_path / "err.txt").open("wb") as err:
            popen = subprocess.Popen(
                [str(LONGSTOP), "up", *words, *FREE_PORTS],
                cwd=tmp_path,
                env=own_environment(),
                stdin=theirs,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        os.close(theirs)
        with Running(popen, tmp_path) as running:
            until(lambda: "Longstop is up" in running.said)
            os.close(ours)
            popen.send_signal(signal.SIGHUP)
            assert running.wait(SHUTDOWN_SECONDS) == 0, running.logged
            assert '"reason":"the terminal has gone"' in running.logged


class Operator:
    """Somebody with the key that a first start makes."""

    def __init__(self, api: str, folder: Path) -> None:
        key = folder / "var" / "access" / "admin-key"
        assert key.stat().st_mode & 0o777 == 0o600
        status, given = post(f"{api}/token/generate-token", {"X-API-Key": key.read_text().strip()})
        assert (status, given["token_type"], given["expires_in"]) == (200, "Bearer", 86_400)
        self._api = api
        self._headers = {"Authorization": f"Bearer {given['access_token']}"}

    def post(self, path: str) -> tuple[int, dict[str, Any]]:
        return post(f"{self._api}/admin/{path}", self._headers)

    def start(self, url: str) -> tuple[int, dict[str, Any]]:
        headers = self._headers | {"Content-Type": "application/json"}
        return post(f"{self._api}/admin/matches", headers, json.dumps({"url": url}).encode())


def addresses_of(api: str) -> dict[str, str]:
    return {each["match_id"]: each["url"] for each in ask(f"{api}/health")["scrapers"]}


@pytest.mark.req("G3")
def test_a_match_is_paused_resumed_stopped_and_started_by_its_address(tmp_path: Path) -> None:
    running, api = up(*SIMULATED, folder=tmp_path)
    with running:
        until(lambda: len(live(api)) == 5)
        match_id = live(api)[0]["matchId"]
        # It is in the list before its first poll, and watched from that on.
        until(lambda: match_id in addresses_of(api))
        url = addresses_of(api)[match_id]
        assert post(f"{api}/admin/matches/{match_id}/pause")[1]["type"] == "/problems/no-token"
        operator, verb = Operator(api, tmp_path), f"matches/{match_id}"
        assert operator.post(f"{verb}/resume")[0] == 409
        assert operator.post(f"{verb}/pause") == (200, {"verb": "pause", "match_id": match_id})
        assert operator.post(f"{verb}/restart")[0] == 409
        assert operator.post(f"{verb}/resume")[0] == 200
        until(lambda: operator.post(f"{verb}/restart")[0] == 200)
        assert operator.start(url) == (201, {"verb": "start", "match_id": match_id})
        assert operator.post(f"{verb}/stop")[0] == 200
        assert operator.post(f"{verb}/pause")[1]["type"] == "/problems/unknown-match"
        assert operator.start(url)[1]["type"] == "/problems/not-possible-now"
        assert operator.start("http://192.0.2.1/x")[0] == 400
        assert operator.post("recycle")[0] == 200
    assert running.logged.count('"event":"admin verb used"') >= 9
