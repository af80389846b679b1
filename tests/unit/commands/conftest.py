"""Commands run in an empty folder, with no variable of ours set."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("LONGSTOP_"):
            monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def run() -> Callable[[typer.Typer], Run]:
    """run(app)(words …) → what the command said and how it ended."""

    def bound(app: typer.Typer) -> Run:
        return lambda *words: CliRunner().invoke(app, list(words))

    return bound
