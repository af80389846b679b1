"""`longstop doctor`: what is installed, reachable and missing, and what to do about it."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import orjson
import typer

from longstop import __version__
from longstop.commands.checkup.finding import Finding, State
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings

UNWELL = 1

Deep = Annotated[bool, typer.Option("--deep", help="Also start the browser and see whether it draws a page.")]


def doctor(config: ConfigFile = None, overrides: Overrides = None, deep: Deep = False, as_json: AsJson = False) -> None:
    """Say what is installed, reachable and missing, and what to do. Exits with 1 when something is a problem."""
    # The checks know every part of the house; no other command should wait for them to be imported.
    from longstop.commands.checkup.rounds import look_round

    findings = tuple(look_round(partial(load_settings, config, overrides), is_deep=deep))
    shown = as_document(findings) if as_json else as_text(findings)
    typer.echo(_printable(shown, sys.stdout.encoding))
    if any(finding.state is State.PROBLEM for finding in findings):
        raise typer.Exit(UNWELL)


def as_document(findings: Sequence[Finding]) -> str:
    counts = {state.value: sum(finding.state is state for finding in findings) for state in State}
    document: dict[str, Any] = {
        "version": __version__,
        "is_well": not counts[State.PROBLEM.value],
        "counts": counts,
        "findings": [
            {"name": each.name, "state": each.state.value, "said": _clean(each.said), "hint": _clean(each.hint)}
            for each in findings
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def as_text(findings: Sequence[Finding]) -> str:
    wide_state = max(len(state.value) for state in State)
    wide_name = max((len(finding.name) for finding in findings), default=0)
    margin = " " * (wide_state + wide_name + 4)
    lines = []
    for each in findings:
        said = each.said.replace("\n", f"\n{margin}")
        lines.append(f"{each.state.value:<{wide_state}}  {each.name:<{wide_name}}  {said}")
        if each.hint:
            lines.append(f"{margin}{each.hint}")
    return "\n".join([*lines, "", _summed_up(findings)])


def _summed_up(findings: Sequence[Finding]) -> str:
    counts = {state: sum(finding.state is state for finding in findings) for state in State}
    words = [
        _counted(counts[State.PROBLEM], "problem"),
        _counted(counts[State.WARNING], "warning"),
        f"{counts[State.ABSENT]} absent",
        f"{counts[State.OK]} ok",
    ]
    return f"{', '.join(words)}."


def _counted(number: int, word: str) -> str:
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def _printable(shown: str, encoding: str | None) -> str:
    """A terminal that knows fewer letters gets the others escaped, not an error."""
    used = encoding or "utf-8"
    return shown.encode(used, "backslashreplace").decode(used)


def _clean(said: str) -> str:
    """File names may hold bytes that are no text."""
    return said.encode("utf-8", "backslashreplace").decode()
