"""Every vendor folder looks the same, and its parser is pure."""

import ast
import tomllib
from pathlib import Path

import pytest

from longstop import sources
from longstop.domain.errors import UnknownSourceError
from longstop.sources import registry

FOLDER = Path(sources.__file__).parent
VENDORS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and not path.name.startswith("_"))
FORBIDDEN = {
    "playwright",
    "aiohttp",
    "httpx",
    "requests",
    "curl_cffi",
    "urllib",
    "socket",
    "ssl",
    "asyncio",
    "threading",
    "subprocess",
}
PURE = ("parser.py", "notation.py", "shapes.py", "reading.py")


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_the_registry_names_every_vendor_folder() -> None:
    assert set(VENDORS) == set(registry.VENDORS)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendor_folder_has_its_three_files(vendor: str) -> None:
    assert {"manifest.toml", "requests.py", "parser.py"} <= {path.name for path in (FOLDER / vendor).iterdir()}


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_manifest_is_whole_and_off_until_somebody_switches_it_on(vendor: str) -> None:
    manifest = registry.reader(vendor).manifest
    assert manifest.name == vendor
    assert manifest.enabled is False
    assert manifest.terms
    assert manifest.max_concurrent > 0
    assert manifest.base_url.split("//")[1] in manifest.hosts
    raw = tomllib.loads((FOLDER / vendor / "manifest.toml").read_text(encoding="utf-8"))
    assert raw["hosts"] == list(manifest.hosts)


@pytest.mark.parametrize("path", [path for vendor in VENDORS for path in (FOLDER / vendor).glob("*.py")], ids=str)
def test_a_vendor_imports_no_other_vendor(path: Path) -> None:
    others = {f"longstop.sources.{vendor}" for vendor in VENDORS if vendor != path.parent.name}
    assert not {name for name in imported(path) for other in others if name.startswith(other)}


@pytest.mark.parametrize(
    "path", [path for vendor in VENDORS for path in (FOLDER / vendor).glob("*.py") if path.name in PURE], ids=str
)
def test_a_parser_imports_nothing_that_could_reach_out(path: Path) -> None:
    assert not {name for name in imported(path) if name.split(".")[0] in FORBIDDEN}


def test_an_unknown_source_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UnknownSourceError) as refused:
        registry.create("crexx")
    assert "crex" in refused.value.hint
    with pytest.raises(UnknownSourceError):
        registry.create("../crex" * 100)


def test_a_source_that_is_only_read_is_none_to_watch() -> None:
    assert set(registry.names()) < set(registry.VENDORS)
    assert registry.reader("sofascore").manifest.sport == "football"
    with pytest.raises(UnknownSourceError, match="can be read and not watched yet"):
        registry.create("sofascore")


def test_a_source_may_stand_at_another_address() -> None:
    assert registry.create("crex", "http://127.0.0.1:9/").list_matches().url.startswith("http://127.0.0.1:9/fixture")
