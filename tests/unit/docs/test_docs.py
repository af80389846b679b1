"""The docs say what is there: links lead somewhere, codes and names in them exist, a word is defined once."""

import importlib
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer

import longstop
from longstop import cli
from longstop.domain.errors import LongstopError
from longstop.domain.machine import Machine
from longstop.observe.freshness import AgeHistogram
from longstop.observe.health import Board
from longstop.observe.metrics import Metrics
from longstop.settings import Settings
from longstop.settings.keys import catalog_of
from scripts import diagrams

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
WRITTEN = [page for page in PAGES if page.name != "settings.md"]
# What a command itself answers (81: its watchdog does), beside what its errors end with.
ANSWERS = {0, 1, 2, 3, 4, 81, 130, 141}
GROUPS = ("scraper", "sources", "database", "storage", "api", "redis", "jobs", "sink")
FIRST_FOLDERS = ("src", "tests", "docs", "scripts", "benchmarks", "deploy", "requirements")
DECISION_LINES_MAX, ARCHITECTURE_LINES_MAX = 40, 180

_CODE_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_QUOTED = re.compile(r"`([^`\n]+)`")
_EXIT = re.compile(r"^\| (\d+) \|", re.MULTILINE)


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    """Without the blocks of code: brackets in there are no links."""
    return _CODE_BLOCK.sub("", text_of(page))


def links(page: Path) -> Iterator[str]:
    return (target for target in _LINK.findall(prose(page)) if not re.match(r"\w+:", target))


def anchors(page: Path) -> set[str]:
    """As the usual hosts make them from headings."""
    headings = _HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def quoted(page: Path) -> Iterator[str]:
    return (words.strip() for words in _QUOTED.findall(prose(page)))


# Links


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in links(page):
        path, _, anchor = target.partition("#")
        found = page.parent / path if path else page
        if not found.exists() or (anchor and anchor not in anchors(found)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_no_link_leads_out_of_the_project(page: Path) -> None:
    assert not [target for target in links(page) if ROOT not in (page.parent / target).resolve().parents]


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        targets = [(page.parent / target.partition("#")[0]).resolve() for target in links(page)]
        for target in targets:
            waiting += sorted(target.glob("*.md")) if target.is_dir() else [target] if target.suffix == ".md" else []
    assert not [shown(page) for page in PAGES if page not in seen]


# Exit codes


def exits_of_the_table() -> list[int]:
    return [int(code) for code in _EXIT.findall(cli.__doc__ or "")]


def errors_of_the_house() -> set[type[LongstopError]]:
    """Also those that commands bring: every module is imported, but for Alembic's own."""
    for module in pkgutil.walk_packages(longstop.__path__, "longstop."):
        if not module.name.startswith("longstop.store.migrations"):
            importlib.import_module(module.name)
    found, waiting = set[type[LongstopError]](), [LongstopError]
    while waiting:
        error = waiting.pop()
        found.add(error)
        waiting += error.__subclasses__()
    return {error for error in found if error.__module__.startswith("longstop.")}


def test_the_table_of_exits_is_that_of_the_errors() -> None:
    told = exits_of_the_table()
    assert told == sorted(set(told))
    assert set(told) - ANSWERS == {error.exit_code for error in errors_of_the_house()}
    assert set(told) >= ANSWERS


def test_an_exit_that_a_page_names_is_in_the_table() -> None:
    named = {(shown(page), int(code)) for page in WRITTEN for code in re.findall(r"\bexit (\d+)\b", text_of(page))}
    assert named
    assert not [each for each in named if each[1] not in exits_of_the_table()]


# Words


def glossary_terms() -> list[str]:
    return re.findall(r"^\| \*\*(.+?)\*\* \|", text_of(DOCS / "glossary.md"), re.MULTILINE)


def test_each_word_is_defined_once() -> None:
    terms = [term.lower() for term in glossary_terms()]
    assert len(terms) > 50
    assert not [term for term, count in Counter(terms).items() if count > 1]


def test_every_row_of_the_glossary_defines_something() -> None:
    rows = [line for line in text_of(DOCS / "glossary.md").splitlines() if line.startswith("| ")]
    rows = [row for row in rows if row != "| word | meaning |"]
    assert len(rows) == len(glossary_terms())
    assert all(re.fullmatch(r"\| \*\*[^*|]+\*\* \| [^|]+[.)`*] \|", row) for row in rows), rows


def test_a_name_of_the_code_in_the_glossary_is_one() -> None:
    source = "\n".join(text_of(path) for path in sorted((ROOT / "src").rglob("*.py")))
    words = {word for word in quoted(DOCS / "glossary.md") if re.fullmatch(r"[A-Z][a-z]+[A-Za-z]*", word)}
    assert words
    assert not [word for word in words if f"class {word}" not in source]


# Names of settings, files, commands and metrics


@pytest.mark.parametrize("page", WRITTEN, ids=shown)
def test_a_setting_that_a_page_names_exists(page: Path) -> None:
    catalog = catalog_of(Settings())
    known = {*catalog.keys, *catalog.groups}
    named = {
        words.split("=")[0] for words in quoted(page) if re.match(rf"({'|'.join(GROUPS)})\.[\w.<>]+(=.*)?$", words)
    }
    assert not [name for name in named if "<" not in name and name not in known and not name.endswith(".py")]


@pytest.mark.parametrize("page", WRITTEN, ids=shown)
def test_a_file_that_a_page_names_exists(page: Path) -> None:
    named = [words for words in quoted(page) if re.fullmatch(rf"({'|'.join(FIRST_FOLDERS)})/[\w./-]+", words)]
    assert not [name for name in named if not (ROOT / name).exists()]


def commands() -> dict[str, set[str]]:
    """Each command with what may follow it."""
    cli.add_foreign_commands()
    group = typer.main.get_command(cli.app)
    found = getattr(group, "commands", {})
    return {name: set(getattr(command, "commands", {})) for name, command in found.items()}


def test_a_command_that_a_page_names_exists() -> None:
    known = commands()
    assert {"doctor", "db", "origin"} <= set(known)
    named = {(shown(page), words) for page in WRITTEN for words in quoted(page) if re.match("longstop [a-z]", words)}
    assert named
    assert not [each for each in named if not is_command(each[1].split()[1:], known)]


def is_command(words: list[str], known: dict[str, set[str]]) -> bool:
    name, following = words[0], words[1:2]
    return name in known and (not known[name] or not following or following[0] in known[name])


def test_a_target_of_make_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", text_of(ROOT / "Makefile"), re.MULTILINE))
    named = {words.split()[1] for page in WRITTEN for words in quoted(page) if words.startswith("make ")}
    assert named
    assert named <= targets


def test_a_metric_that_the_runbook_names_exists() -> None:
    metrics, now = Metrics(), datetime(2026, 1, 1, tzinfo=UTC)
    metrics.watch(Board(now), AgeHistogram(), lambda: now)
    known = {metric.name for metric in metrics.registry.collect()}
    known |= {f"{name}_total" for name in known}
    pattern = r"((?:longstop|scraper|data|active)_[a-z_]+)(?:\{.*\})?"
    named = {found[1] for words in quoted(DOCS / "runbook.md") if (found := re.fullmatch(pattern, words))}
    assert named
    assert named <= known


# Sizes and shapes


def test_the_architecture_stays_one_sitting() -> None:
    """Words, that is: the drawings grow with the tables that they are drawn from."""
    words = re.sub(r"<!-- generated:.*?<!-- /generated -->", "", text_of(DOCS / "architecture.md"), flags=re.DOTALL)
    assert words.count("\n") <= ARCHITECTURE_LINES_MAX


@pytest.mark.parametrize("page", sorted((DOCS / "decisions").glob("*.md")), ids=shown)
def test_a_decision_has_its_three_parts_and_is_short(page: Path) -> None:
    text = text_of(page)
    assert re.match(rf"# {int(page.name[:4])}\. \S", text)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]
    assert text.count("\n") <= DECISION_LINES_MAX


def test_decisions_are_numbered_without_a_hole() -> None:
    numbers = [int(page.name[:4]) for page in sorted((DOCS / "decisions").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.req("A5", "A6")
def test_every_table_of_states_in_the_house_is_drawn() -> None:
    errors_of_the_house()  # imports every module
    modules = [module for name, module in sys.modules.items() if name.startswith("longstop.")]
    found = {each.name for module in modules for each in vars(module).values() if isinstance(each, Machine)}
    assert found == {machine.name for machine in diagrams.MACHINES}
