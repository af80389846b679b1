"""`longstop doctor` as a whole: every check, in its order, whatever the others find."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import Result

from longstop.commands import doctor
from longstop.commands.checkup import installation
from longstop.commands.checkup.finding import Finding, State, examined, ok, problem, secrets_in, veiled, within
from longstop.domain.errors import StoreError
from longstop.settings import load

Words = Callable[..., Result]
SECRET = "hunter22-and-more"
NAMES = [
    "python",
    "longstop",
    "sqlite",
    "extra browser",
    "extra postgres",
    "extra redis",
    "extra celery",
    "extra sentry",
    "extra coherent",
    "extra stealth",
    "extra parquet",
    "chromium",
    "commands",
    "memory",
    "cores",
    "open files",
    "clock",
    "encoding",
    "settings",
    "sources",
    "storage",
    "disk",
    "database",
    "port api",
    "port metrics",
    "redis",
    "broker",
]
FREE_PORTS = ("--set", "api.port=0", "--set", "scraper.monitoring.prometheus.port=0")


@pytest.fixture
def words(run: Callable[..., Words]) -> Words:
    app = typer.Typer()
    app.command()(doctor.doctor)
    return run(app)


def findings_of(said: Result) -> dict[str, Any]:
    return {finding["name"]: finding for finding in json.loads(said.stdout)["findings"]}


def test_every_check_is_told_once_and_in_order(words: Words) -> None:
    document = json.loads(words("--json", *FREE_PORTS).stdout)
    assert [finding["name"] for finding in document["findings"]] == NAMES
    assert set(document) == {"version", "is_well", "counts", "findings"}
    assert sum(document["counts"].values()) == len(NAMES)


def test_the_words_for_people_are_aligned_and_complete(words: Words) -> None:
    lines = words(*FREE_PORTS).stdout.splitlines()
    starts = [line for line in lines if line.split()[:1] and line.split()[0] in {state.value for state in State}]
    assert [line[9:23].strip() for line in starts] == NAMES
    assert {line[23:25] for line in starts} == {"  "}
    assert lines[-1].endswith(" ok.")


def test_nothing_is_written_where_it_was_looked(words: Words, empty_folder: Path) -> None:
    words(*FREE_PORTS)
    assert not list(empty_folder.iterdir())


def test_a_problem_ends_with_one_and_its_absence_with_zero(words: Words) -> None:
    well = words("--json", *FREE_PORTS)
    assert well.exit_code == (0 if json.loads(well.stdout)["is_well"] else 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ill = words("--json", *FREE_PORTS[2:], "--set", f"api.port={taken.getsockname()[1]}")
    assert ill.exit_code == 1
    assert findings_of(ill)["port api"]["state"] == "problem"


@pytest.mark.req("I5")
def test_all_faults_of_the_settings_are_told_and_the_rest_goes_on(words: Words) -> None:
    said = words("--json", "--set", "api.port=x", "--set", "api.prot=1")
    found = findings_of(said)
    assert said.exit_code == 1
    assert list(found) == NAMES
    assert "api.port" in found["settings"]["said"]
    assert "api.prot" in found["settings"]["said"]
    assert found["python"]["state"] == "ok"
    assert found["database"]["state"] == "absent"


def test_a_broken_file_is_a_finding_and_no_crash(words: Words, empty_folder: Path) -> None:
    (empty_folder / "config.yaml").write_text("api: [", encoding="utf-8")
    found = findings_of(words("--json"))
    assert found["settings"]["state"] == "problem"
    assert "config.yaml" in found["settings"]["said"]


def test_metrics_that_are_off_need_no_port(words: Words) -> None:
    said = words("--json", *FREE_PORTS, "--set", "scraper.monitoring.prometheus.enabled=false")
    assert findings_of(said)["port metrics"]["state"] == "absent"


def test_an_address_for_everybody_can_be_listened_on(words: Words) -> None:
    said = words("--json", *FREE_PORTS, "--set", "api.host=0.0.0.0")
    assert findings_of(said)["port api"]["state"] == "ok"


def test_a_source_of_a_later_version_is_named(words: Words) -> None:
    assert findings_of(words("--json", *FREE_PORTS))["sources"]["state"] == "absent"
    known = findings_of(words("--json", *FREE_PORTS, "--set", "sources.crex.enabled=true"))
    assert known["sources"]["said"] == "crex"
    later = findings_of(words("--json", *FREE_PORTS, "--set", "sources.brasileirao.enabled=true"))
    assert later["sources"]["state"] == "warning"


def test_no_secret_is_ever_shown(words: Words, free_port: int) -> None:
    places = {
        "database.url": f"postgresql://me:{SECRET}@127.0.0.1:{free_port}/x",
        "redis.url": f"redis://me:{SECRET}@127.0.0.1:{free_port}/0",
        "jobs.broker_url": f"amqp://me:{SECRET}@127.0.0.1:{free_port}//",
        "scraper.monitoring.alerts.sentry_dsn": f"https://{SECRET}@127.0.0.1/1",
        "scraper.proxy.iproyal.password": SECRET,
    }
    given = [word for path, value in places.items() for word in ("--set", f"{path}={value}")]
    for form in (["--json"], []):
        said = words(*form, *FREE_PORTS, *given)
        assert SECRET not in said.output
        assert f"127.0.0.1:{free_port}" in said.output


def test_what_a_library_repeats_is_veiled() -> None:
    settings = load(
        file=None,
        environ={},
        overrides={
            "database.url": "postgresql://me:a%40secret@127.0.0.1/x",
            "api.auth.jwt_secret": "vQ3nT8zK1xW6pL0rY5bM2hJ9dF7gS4cA",
        },
    ).settings
    secrets = secrets_in(settings)
    assert {"a%40secret", "a@secret", "vQ3nT8zK1xW6pL0rY5bM2hJ9dF7gS4cA"} <= secrets
    told = veiled(Finding("x", State.OK, "with a@secret and a%40secret", "vQ3nT8zK1xW6pL0rY5bM2hJ9dF7gS4cA"), secrets)
    assert told == Finding("x", State.OK, "with *** and ***", "***")


def test_settings_without_secrets_veil_nothing() -> None:
    assert secrets_in(load(file=None, environ={}, overrides={}).settings) == frozenset()


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Holds a check until the test is over."""
    opened = threading.Event()
    yield opened
    opened.set()


def test_a_check_that_hangs_does_not_hold_up_the_others(gate: threading.Event) -> None:
    found = within(0.05, "disk", lambda: ok("disk", str(gate.wait(30))))
    assert found.state is State.PROBLEM
    assert "within 0.05 s" in found.said


def test_a_check_that_fails_has_found_a_problem() -> None:
    def refused() -> Finding:
        raise StoreError("The database is gone.", hint="Bring it back.")

    def forbidden() -> Finding:
        raise PermissionError(13, "Permission denied")

    assert examined("database", refused) == problem("database", "The database is gone.", "Bring it back.")
    assert "Permission denied" in examined("storage", forbidden).said


def test_a_terminal_with_few_letters_gets_the_others_escaped() -> None:
    assert doctor._printable("vär", "ascii") == "v\\xe4r"
    assert doctor._printable("vär", None) == "vär"


def test_a_name_that_is_no_text_can_still_be_told_as_json() -> None:
    document = json.loads(doctor.as_document([ok("storage", "v\udce4r")]))
    assert document["findings"][0]["said"] == "v\\udce4r"


def test_the_browser_is_left_alone_unless_it_is_asked_for(words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = installation.chromium

    def noted(configured: str, *, is_tried: bool) -> Finding:
        asked.append(is_tried)
        return real(configured, is_tried=False)

    monkeypatch.setattr(installation, "chromium", noted)
    words(*FREE_PORTS)
    words("--deep", *FREE_PORTS)
    assert asked == [False, True]
