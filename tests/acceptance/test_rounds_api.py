"""Rounds over HTTP, of a whole Longstop: asked for, followed, read, retried, and shut to who may not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.processes import up
from tests.acceptance.test_up import SIMULATED

pytestmark = [pytest.mark.timeout(120), pytest.mark.req("E4")]
ASKED = {"competition": "serie-a", "season": 2026, "round": 5}


class Client:
    def __init__(self, api: str, folder: Path) -> None:
        self.open = httpx.Client(base_url=api, timeout=10)
        key = (folder / "var" / "access" / "admin-key").read_text().strip()
        given = self.open.post("/token/generate-token", headers={"X-API-Key": key}).json()
        self.admin = httpx.Client(
            base_url=api, timeout=10, headers={"Authorization": f"Bearer {given['access_token']}"}
        )

    def followed(self, job_id: str) -> list[tuple[str, Any]]:
        """Every event until the stream ends by itself."""
        told, name = [], ""
        with self.open.stream("GET", f"/api/scrape/jobs/{job_id}/stream") as answer:
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    told.append((name, json.loads(line[6:])))
                    name = ""
        return told


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("rounds")
    running, api = up(*SIMULATED, folder=folder)
    with running:
        client = Client(api, folder)
        yield client
        client.open.close()
        client.admin.close()


def test_a_round_is_asked_for_followed_and_read_whole(client: Client) -> None:
    asked = client.admin.post("/api/scrape", json=ASKED)
    job_id = asked.json()["job"]["job_id"]
    told = client.followed(job_id)

    assert asked.status_code == 202
    assert asked.headers["location"] == f"/api/scrape/jobs/{job_id}"
    name, last = told[-1]
    assert (name, last["state"], last["summary"]["done"], last["summary"]["all"]) == ("settled", "DONE", 10, 10)
    assert {task["key"] for event, task in told if not event} == {
        task["key"] for task in client.open.get(f"/api/scrape/jobs/{job_id}/tasks").json()["tasks"]
    }
    answer = client.open.get("/rounds/serie-a/2026/5")
    matches = answer.json()["matches"]
    assert len(matches) == 10
    assert {"x-data-freshness", "x-data-age-seconds"} <= answer.headers.keys()
    for match in matches:
        goals = [event["side"] for event in match["events"] if event["kind"] == "goal"]
        assert (goals.count("home"), goals.count("away")) == (match["home_goals"], match["away_goals"])
        assert match["_metadata"]["payload_sha256"]
    one = client.open.get(f"/rounds/matches/{matches[0]['match_id']}").json()
    assert one["events"] == matches[0]["events"]
    before = client.open.get(f"/rounds/matches/{matches[0]['match_id']}", params={"as_of": "2001-01-01T00:00:00Z"})
    assert before.status_code == 404


def test_the_same_round_again_is_the_same_job(client: Client) -> None:
    wanted = {**ASKED, "round": 6}
    first, again = client.admin.post("/api/scrape", json=wanted), client.admin.post("/api/scrape", json=wanted)

    assert (first.json()["is_new"], again.json()["is_new"]) == (True, False)
    assert first.json()["job"]["job_id"] == again.json()["job"]["job_id"]


def test_an_idempotency_key_is_one_job_even_of_a_recheck(client: Client) -> None:
    wanted, key = {**ASKED, "round": 7, "recheck": True}, {"Idempotency-Key": "once"}
    first = client.admin.post("/api/scrape", json=wanted, headers=key).json()["job"]["job_id"]
    client.followed(first)

    again = client.admin.post("/api/scrape", json=wanted, headers=key).json()
    other = client.admin.post("/api/scrape", json=wanted).json()

    assert (again["job"]["job_id"], again["is_new"]) == (first, False)
    assert other["is_new"]


def test_who_may_not_is_not_let_in_to_what_changes_something(client: Client) -> None:
    for path in ("/api/scrape", "/api/scrape/retry-failed", "/api/scrape/jobs/x/cancel"):
        assert client.open.post(path, json=ASKED).status_code == 401


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ({**ASKED, "round": 0}, "round"),
        ({**ASKED, "round": "5"}, "round"),
        ({**ASKED, "competition": "../x"}, "competition"),
        ({**ASKED, "season": 1}, "season"),
        ({"season": 2026, "round": 1}, "competition"),
        ({**ASKED, "more": 1}, "more"),
    ],
)
def test_a_request_that_cannot_be_meant_is_told_what_is_wrong(
    client: Client, body: dict[str, Any], parameter: str
) -> None:
    answer = client.admin.post("/api/scrape", json=body)

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert parameter in answer.json()["detail"]


def test_what_is_not_there_is_a_problem_with_a_hint(client: Client) -> None:
    for path in ("/api/scrape/jobs/nobody", "/api/scrape/jobs/nobody/tasks", "/api/scrape/jobs/nobody/stream"):
        answer = client.open.get(path)
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-job")
    assert client.admin.post("/api/scrape", json={**ASKED, "source": "nobody"}).status_code == 404


def test_a_round_that_its_source_does_not_have_fails_with_the_reason_and_can_be_asked_again(client: Client) -> None:
    asked = client.admin.post("/api/scrape", json={**ASKED, "round": 99}).json()["job"]["job_id"]
    client.followed(asked)

    job = client.open.get(f"/api/scrape/jobs/{asked}").json()
    revived = client.admin.post("/api/scrape/retry-failed", json={"job_id": asked}).json()

    assert (job["state"], job["error"]["is_permanent"], job["summary"]["all"]) == ("FAILED", True, 0)
    assert revived == {"retried": 1, "jobs": {asked: 1}}
