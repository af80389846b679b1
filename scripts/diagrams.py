"""Draws into the docs what the code decides by, so that the two cannot disagree.

Each drawing stands between `<!-- generated:NAME -->` and `<!-- /generated -->`. With `--check` nothing is written and
the exit code is 1 when a drawing is stale.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longstop.domain.capture import CAPTURE_ATTEMPT
from longstop.domain.lifecycle import MACHINES as MACHINES_OF_THE_DOMAIN
from longstop.domain.machine import Machine
from longstop.domain.rounds import ROUND_JOB, ROUND_TASK
from longstop.fetch.browser.lifecycle import UNIT_LIFECYCLE
from longstop.resilience.breaker import BREAKER
from longstop.supervise.tree import BEYOND, BUDGETS, ENGINE, SOURCE, TREE, Level

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
# Collected here: the domain may not know the rooms above it.
MACHINES: tuple[Machine[Any], ...] = (
    *MACHINES_OF_THE_DOMAIN,
    BREAKER,
    UNIT_LIFECYCLE,
    CAPTURE_ATTEMPT,
    ROUND_JOB,
    ROUND_TASK,
)
_BLOCK = re.compile(r"<!-- generated:(?P<name>[\w.-]+) -->\n.*?<!-- /generated -->", re.DOTALL)
_MERMAID_SPECIAL = str.maketrans({":": "#58;", ";": "#59;", '"': "'"})


@dataclass(frozen=True)
class Drawing:
    name: str
    title: str
    text: str


def state_machines() -> Iterable[Drawing]:
    """One state diagram for each transition table."""
    return [Drawing(machine.name, machine.title, state_diagram(machine)) for machine in MACHINES]


def supervision() -> Iterable[Drawing]:
    """The tree and its levels, from the list that the engine starts."""
    return [Drawing("supervision-tree", "The tree of supervision", tree_diagram())]


GENERATORS: tuple[Callable[[], Iterable[Drawing]], ...] = (supervision, state_machines)


def tree_diagram() -> str:
    names = dict.fromkeys(post.under for post in TREE)
    nodes = {name: f"n{number}" for number, name in enumerate((*names, *(post.name for post in TREE)))}
    lines = ["flowchart LR", f'    {nodes[ENGINE]}["{ENGINE}"] --> {nodes[SOURCE]}["{SOURCE}, each"]']
    for post in TREE:
        shape = f'(["{post.name}: {post.does}"])' if post.level is Level.SCRAPER else f'["{post.name}: {post.does}"]'
        lines.append(f"    {nodes[post.under]} --> {nodes[post.name]}{shape}")
    for level, budget in BUDGETS.items():
        beyond = f"beyond {budget.restarts} restarts in {budget.within_seconds:g} s: {BEYOND[level]}"
        lines.append(f'    {level.value}{{{{"{beyond}"}}}}')
        # All that stands at the top at once, or there would be nothing but lines.
        held = (post.under if level is Level.TOP else post.name for post in TREE if post.level is level)
        lines += [f"    {nodes[name]} -.-> {level.value}" for name in dict.fromkeys(held)]
    return "\n".join(lines)


def state_diagram(machine: Machine[Any]) -> str:
    lines = ["stateDiagram-v2", f"    [*] --> {machine.initial.name}"]
    for step in machine.transitions:
        label = f"{step.event} / {step.action}" if step.action else step.event
        lines.append(f"    {step.source.name} --> {step.target.name}: {label.translate(_MERMAID_SPECIAL)}")
    left = {step.source for step in machine.transitions}
    ends = dict.fromkeys(step.target for step in machine.transitions if step.target not in left)
    lines += [f"    {end.name} --> [*]" for end in ends]
    return "\n".join(lines)


def redrawn(page: str, drawings: Sequence[Drawing]) -> str:
    """The page with every drawing renewed; one that has no place yet is added at the end."""
    known = {drawing.name: drawing for drawing in drawings}
    placed = {match["name"] for match in _BLOCK.finditer(page)}
    unknown = sorted(placed - known.keys())
    if unknown:
        raise ValueError(f"no table draws {', '.join(unknown)}. Remove the block from the page, or give it a table.")
    page = _BLOCK.sub(lambda match: _block(known[match["name"]]), page)
    missing = [f"\n### {drawing.title}\n\n{_block(drawing)}\n" for drawing in drawings if drawing.name not in placed]
    return page + "".join(missing)


def stale_pages(pages: Mapping[Path, str]) -> list[Path]:
    return [path for path, wanted in pages.items() if _read(path) != wanted]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts.diagrams", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a drawing is stale")
    only_checks = parser.parse_args(arguments).check
    drawings = [drawing for generator in GENERATORS for drawing in generator()]
    try:
        wanted = {PAGE: redrawn(_read(PAGE), drawings)}
    except ValueError as error:
        print(f"docs/{PAGE.name}: {error}", file=sys.stderr)
        return 1
    stale = stale_pages(wanted)
    if only_checks:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale. Run `make docs`.", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


def _block(drawing: Drawing) -> str:
    return f"<!-- generated:{drawing.name} -->\n```mermaid\n{drawing.text}\n```\n<!-- /generated -->"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
