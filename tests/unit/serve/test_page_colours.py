"""Every colour of text can be read on every ground it stands on, by day and by night (WCAG 2.2, AA: 4.5 to 1)."""

import re
from pathlib import Path

import pytest

from longstop.serve import console

CSS = (Path(console.__file__).parent / "static" / "console.css").read_text(encoding="utf-8")
PAIRS = [
    *[(text, "paper") for text in ("ink", "soft", "green", "red", "amber")],
    *[(text, "sheet") for text in ("ink", "soft", "green", "red", "amber")],
    ("ink", "chip"),
    ("green", "green-wash"),
    ("red", "red-wash"),
    ("amber", "amber-wash"),
    ("paper", "red"),
    ("ink", "green-wash"),
    ("ink", "red-wash"),
]


def palettes() -> dict[str, dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    colours = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in (light, dark)]
    return {"light": colours[0], "dark": colours[0] | colours[1]}


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
