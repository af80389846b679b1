"""Every colour of text can be read on every ground it stands on, by day and by night (WCAG 2.2, AA: 4.5 to 1)."""

import re
from pathlib import Path

import pytest

from longstop.serve import console

FILES = Path(console.__file__).parent / "static"
CSS = (FILES / "console.css").read_text(encoding="utf-8")
PAIRS = [
    *[(text, "paper") for text in ("ink", "soft", "green", "red", "amber")],
    *[(text, "sheet") for text in ("ink", "soft", "green", "red", "amber")],
    ("ink", "chip"),
    ("green", "green-wash"),
    ("red", "red-wash"),
    ("amber", "amber-wash"),
    ("paper", "red"),
    ("paper", "green"),
    ("paper", "ink"),
    *[(text, "chip") for text in ("soft", "green", "red")],
    ("ink", "green-wash"),
    ("ink", "red-wash"),
]


def palettes() -> dict[str, dict[str, str]]:
    found = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
    return {
        "light": {name: light for name, light, _ in found},
        "dark": {name: dark for name, _, dark in found},
    }


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.req("H5")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_stands_out_from_its_ground(scheme: str, text: str, ground: str) -> None:
    palette = palettes()[scheme]
    lighter, darker = sorted((luminance(palette[text]), luminance(palette[ground])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


@pytest.mark.req("H5")
def test_no_style_has_a_colour_of_its_own() -> None:
    """What stands outside the palette is not held to it."""
    for file in FILES.glob("*.css"):
        rules = re.sub(r":root \{.*?\}", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)", rules) == []


@pytest.mark.req("H5")
def test_no_script_of_the_page_writes_markup() -> None:
    ways = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|setHTML")
    assert [file.name for file in FILES.glob("*.js") if ways.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.req("H5")
def test_the_page_has_no_script_and_no_style_but_in_files() -> None:
    page = (FILES / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]* src=)", page) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=|https?://(?!www\.w3\.org)", page) == []
