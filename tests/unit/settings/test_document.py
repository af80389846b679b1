"""The written pages and the example say what the tree says."""

from pathlib import Path

import pytest

from longstop.settings import Settings
from longstop.settings.document import example_file, main, pages, settings_page
from longstop.settings.keys import catalog_of

PROJECT = Path(__file__).resolve().parents[3]
CATALOG = catalog_of(Settings())


@pytest.mark.parametrize("name", ["docs/settings.md", "config.example.yaml"])
def test_a_written_page_is_up_to_date(name) -> None:
    written = (PROJECT / name).read_text(encoding="utf-8")
    assert written == pages()[name], "run: python -m longstop.settings.document ."


def test_the_example_loads_and_equals_the_defaults(loaded) -> None:
    result = loaded(example_file())
    assert result.settings == Settings()
    assert all("given.yaml:" in str(origin) for origin in result.origins.values())


def test_the_page_names_every_key_and_variable() -> None:
    page = settings_page()
    for key in CATALOG.keys.values():
        assert all(f"`{name}`" in page for name in key.names)


def test_every_key_and_group_says_what_it_is() -> None:
    assert all(key.says.endswith(".") and len(key.says) > 3 for key in CATALOG.keys.values())
    assert all(text.endswith(".") for text in CATALOG.groups.values())


def test_every_number_has_bounds_and_every_measure_a_unit() -> None:
    for key in CATALOG.keys.values():
        if key.kind.name in {"whole", "decimal"}:
            assert key.least is not None
            assert key.most is not None
            assert key.least <= float(str(key.default)) <= key.most
        if key.kind.name == "decimal":
            assert key.unit


def test_the_writer_writes_and_checks(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    assert main([str(tmp_path), "--check"]) == 1
    assert main([str(tmp_path)]) == 0
    assert main([str(tmp_path), "--check"]) == 0
    (tmp_path / "docs/settings.md").write_text("old")
    assert main([str(tmp_path), "--check"]) == 1
