"""The verbs of /admin on a running `longstop up --origin`, by somebody with a real token, and the audit of them."""

import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from benchmarks.processes import up
from tests.acceptance.test_reload import addresses_of, post
from tests.acceptance.test_up import SHUTDOWN_SECONDS, SIMULATED, ask, live, until

pytestmark = [pytest.mark.timeout(90), pytest.mark.req("G3")]
SHORT_OF_MEMORY = "scraper: {resources: {memory: {min_available_mb: 1048576}}}\n"


class Operator:
    """Somebody with the key that a first start makes."""

    def __init__(self, api: str, folder: Path) -> None:
        key = (folder / "var" / "access" / "admin-key").read_text().strip()
        _, given = post(f"{api}/token/generate-token", {"X-API-Key": key})
        self._api = api
        self._headers = {"Authorization": f"Bearer {given['access_token']}", "Content-Type": "application/json"}

    def post(self, path: str, **body: str) -> tuple[int, dict[str, Any]]:
        return post(f"{self._api}/admin/{path}", self._headers, json.dumps(body).encode() if body else None)

    def get(self, path: str) -> dict[str, Any]:
        with urlopen(Request(f"{self._api}/admin/{path}", headers=self._headers), timeout=10) as answer:  # noqa: S310 - of this test
            return dict(json.loads(answer.read()))

    def refusal(self, path: str, **body: str) -> tuple[int, Mapping[str, str], dict[str, Any]]:
        """A problem, with its headers."""
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{self._api}/admin/{path}", json.dumps(body).encode(), self._headers), timeout=10)  # noqa: S310 - of this test
        with refused.value as answer:
            return answer.code, dict(answer.headers), json.loads(answer.read())

    def audited(self) -> list[tuple[str, str, str, str]]:
        """Oldest first."""
        found = self.get("audit")["entries"]
        return [(each["consumer"], each["verb"], each["subject"], each["outcome"]) for each in reversed(found)]


@pytest.mark.req("F1")
def test_a_source_is_switched_off_and_on_and_its_matches_go_on(tmp_path: Path) -> None:
    running, api = up(*SIMULATED, folder=tmp_path)
    with running:
        until(lambda: len(live(api)) == 5 and len(addresses_of(api)) >= 5)
        operator = Operator(api, tmp_path)
        before = set(addresses_of(api))
        states = {each["source"]: each for each in operator.get("sources")["sources"]}
        assert (states["crex"]["is_on"], "needs" in states["crex"]) == (True, False)
        assert (states["espn"]["is_on"], states["espn"]["needs"][0][:20]) == (False, "sources.espn.enabled")
        status, problem = operator.post("sources/espn/enable")
        assert (status, problem["type"]) == (422, "/problems/source-not-ready")
        assert problem["errors"][0]["parameter"] == "sources.espn.enabled"
        status, problem = operator.post("sources/nobody/disable")
        assert (status, problem["type"]) == (404, "/problems/unknown-source")
        assert "crex" in problem["detail"]
        assert post(f"{api}/admin/sources/crex/disable")[1]["type"] == "/problems/no-token"
        # It is off, and all that is known of it can still be read.
        assert operator.post("sources/crex/disable")[0] == 200
        assert operator.post("sources/crex/disable")[1]["type"] == "/problems/not-possible-now"
        polled = {each["matchId"]: each["_metadata"]["scraped_at"] for each in live(api)}
        assert len(polled) >= 5
        assert operator.post(f"matches/{min(before)}/pause")[1]["type"] == "/problems/unknown-match"
        assert operator.post("reload")[1]["outcome"] == "unchanged"
        assert not next(each["is_on"] for each in operator.get("sources")["sources"] if each["source"] == "crex")
        assert ask(f"{api}/livez")["status"] == "alive"
        assert {each["matchId"]: each["_metadata"]["scraped_at"] for each in live(api)} == polled
        assert operator.post("sources/crex/enable")[0] == 200
        until(lambda: all(each["_metadata"]["scraped_at"] > polled.get(each["matchId"], "") for each in live(api)))
        ours = [entry[1:] for entry in operator.audited() if "source" in entry[1]]
        assert ours == [
            ("enable source", "espn", "failed"),
            ("disable source", "nobody", "failed"),
            ("disable source", "crex", "refused"),
            ("disable source", "crex", "done"),
            ("disable source", "crex", "failed"),
            ("enable source", "crex", "done"),
        ]
        running.popen.send_signal(signal.SIGTERM)
        assert running.wait(SHUTDOWN_SECONDS) == 0, running.logged


def test_a_start_without_memory_for_it_is_refused_until_later_and_the_audit_outlives_the_process(
    tmp_path: Path,
) -> None:
    running, api = up(*SIMULATED, folder=tmp_path)
    with running:
        until(lambda: len(live(api)) == 5 and len(addresses_of(api)) >= 5)
        operator, (match_id, url) = Operator(api, tmp_path), min(addresses_of(api).items())
        (tmp_path / "config.yaml").write_text(SHORT_OF_MEMORY, encoding="utf-8")
        assert operator.post("reload")[1]["outcome"] == "reloaded"
        assert operator.post(f"matches/{match_id}/stop")[0] == 200
        status, headers, problem = operator.refusal("matches", url=url)
        assert (status, problem["type"]) == (503, "/problems/insufficient-memory")
        assert problem["title"] == "Insufficient memory resources"
        assert 55 <= int({name.lower(): value for name, value in headers.items()}["retry-after"]) <= 60
        done = operator.audited()
        assert done[-3:] == [
            ("admin", "reload", "instance", "done"),
            ("admin", "stop", match_id, "done"),
            ("admin", "start", url, "failed"),
        ]
        running.popen.kill()
    again, api = up(*SIMULATED, folder=tmp_path)
    with again:
        assert Operator(api, tmp_path).audited()[: len(done)] == done


@pytest.mark.req("D1")
def test_a_rung_is_forced_and_given_back(tmp_path: Path) -> None:
    running, api = up(*SIMULATED, folder=tmp_path)

    def rung(match_id: str) -> str:
        return str(ask(f"{api}/cricket-data/match-info/{match_id}")["_metadata"]["rung"])

    with running:
        until(lambda: len(live(api)) == 5)
        operator, match_id = Operator(api, tmp_path), live(api)[0]["matchId"]
        until(lambda: match_id in addresses_of(api) and rung(match_id) == "replay")
        assert operator.post(f"matches/{match_id}/rung", rung="intercept")[0] == 200
        until(lambda: rung(match_id) == "intercept")
        assert operator.post(f"matches/{match_id}/rung", rung="auto")[0] == 200
        until(lambda: rung(match_id) == "replay")
        assert operator.post(f"matches/{match_id}/rung", rung="sideways")[0] == 400
        assert [entry[3] for entry in operator.audited() if "rung" in entry[1]] == ["done", "done", "refused"]
