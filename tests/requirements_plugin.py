"""Records which requirements the passed tests prove: `pytest --requirements` writes var/requirements.json.

A marker that names no row of docs/requirements.md is an error, so a typing slip cannot hide a missing proof.
"""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROWS_PAGE = ROOT / "docs" / "requirements.md"
RECORD = ROOT / "var" / "requirements.json"
_ROW = re.compile(r"^\| (?P<id>[A-I]\d+) \| (?P<text>.+?) \|$", re.MULTILINE)
_PROPERTY = "requirement"


def rows() -> dict[str, str]:
    """Every requirement by its id, with its short text, in the order of the page."""
    return {match["id"]: match["text"] for match in _ROW.finditer(ROWS_PAGE.read_text(encoding="utf-8"))}


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "record in var/requirements.json which requirements the passed tests prove"
    parser.addoption("--requirements", action="store_true", help=text)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--requirements"):
        config.pluginmanager.register(Recorder(RECORD), "requirements-recorder")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = rows()
    for item in items:
        for name in _requirements_of(item):
            if name not in known:
                raise pytest.UsageError(f"{item.nodeid}: docs/requirements.md has no row '{name}'.")
            item.user_properties.append((_PROPERTY, name))


def _requirements_of(item: pytest.Item) -> list[str]:
    """A marker may sit on the test, its class and its module; several rows may stand in one marker."""
    names = [str(name) for marker in item.iter_markers("req") for name in marker.args]
    return list(dict.fromkeys(names))


class Recorder:
    """Gathers the outcome of every test that names a requirement."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self._outcomes: dict[str, dict[str, str]] = defaultdict(dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for key, value in report.user_properties:
            if key == _PROPERTY:
                self._note(str(value), report)

    def _note(self, name: str, report: pytest.TestReport) -> None:
        """A test passed only when its set-up and its clean-up passed as well."""
        outcomes = self._outcomes[name]
        if outcomes.get(report.nodeid, "passed") == "passed":
            outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self) -> None:
        self._record.parent.mkdir(exist_ok=True)
        self._record.write_text(json.dumps(self._outcomes, indent=1, sort_keys=True), encoding="utf-8")
