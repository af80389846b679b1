"""Drawings are made from tables, and a stale page is noticed."""

from enum import Enum
from pathlib import Path

import pytest

from longstop.domain.machine import Machine, Transition
from scripts import diagrams
from scripts.diagrams import Drawing


class Light(Enum):
    RED = 1
    GREEN = 2


LIGHT = Machine("light", "Light", Light.RED, (Transition(Light.RED, "waited", Light.GREEN, "go: now"),))
DRAWING = Drawing("light", "Light", "stateDiagram-v2")


def test_a_diagram_holds_every_row_of_the_table() -> None:
    assert diagrams.state_diagram(LIGHT).splitlines() == [
        "stateDiagram-v2",
        "    [*] --> RED",
        "    RED --> GREEN: waited / go#58; now",
        "    GREEN --> [*]",
    ]


def test_a_drawing_without_a_place_is_added_at_the_end() -> None:
    page = diagrams.redrawn("# Title\n", [DRAWING])
    assert page.startswith("# Title\n\n### Light\n")
    assert diagrams.redrawn(page, [DRAWING]) == page


def test_only_the_text_between_the_markers_changes() -> None:
    page = "before\n<!-- generated:light -->\nold\n<!-- /generated -->\nafter\n"
    assert diagrams.redrawn(page, [DRAWING]) == (
        "before\n<!-- generated:light -->\n```mermaid\nstateDiagram-v2\n```\n<!-- /generated -->\nafter\n"
    )


def test_a_block_that_no_table_draws_is_an_error() -> None:
    page = "<!-- generated:lost -->\nold\n<!-- /generated -->\n"
    with pytest.raises(ValueError, match="no table draws lost"):
        diagrams.redrawn(page, [DRAWING])


def test_a_stale_page_fails_the_check_and_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "architecture.md"
    monkeypatch.setattr(diagrams, "PAGE", page)
    monkeypatch.setattr(diagrams, "ROOT", tmp_path)
    assert diagrams.main(["--check"]) == 1
    assert "Run `make docs`" in capsys.readouterr().err
    assert not page.exists()
    assert diagrams.main([]) == 0
    assert diagrams.main(["--check"]) == 0
