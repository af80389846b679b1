"""The record of proofs counts a test only when all of it passed."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts import requirements
from tests.requirements_plugin import Recorder, rows


def report(nodeid: str, outcome: str, *names: str) -> Any:
    properties = [("requirement", name) for name in names]
    return pytest.TestReport(nodeid, ("", 0, ""), {}, outcome, None, "call", user_properties=properties)  # type: ignore[arg-type]  # the outcome is one of pytest's words


def recorded(tmp_path: Path, *reports: Any) -> dict[str, dict[str, str]]:
    recorder = Recorder(tmp_path / "requirements.json")
    for each in reports:
        recorder.pytest_runtest_logreport(each)
    recorder.pytest_sessionfinish()
    found: dict[str, dict[str, str]] = json.loads((tmp_path / "requirements.json").read_text(encoding="utf-8"))
    return found


def test_every_row_of_the_page_is_known() -> None:
    assert len(rows()) == 60
    assert next(iter(rows())) == "A1"
    assert list(rows())[-1] == "I6"


def test_a_test_may_prove_several_rows(tmp_path: Path) -> None:
    found = recorded(tmp_path, report("t", "passed", "C1", "C3"))
    assert found == {"C1": {"t": "passed"}, "C3": {"t": "passed"}}


def test_a_test_whose_clean_up_fails_has_failed(tmp_path: Path) -> None:
    found = recorded(tmp_path, report("t", "passed", "C1"), report("t", "failed", "C1"), report("t", "passed", "C1"))
    assert found == {"C1": {"t": "failed"}}


def test_a_skipped_test_proves_nothing_at_all() -> None:
    assert requirements.state_of({"t": "skipped"}) == "none"
    assert requirements.state_of({"t": "skipped", "u": "passed"}) == "1 passed"
    assert requirements.state_of({"t": "failed", "u": "passed"}) == "FAILING"
