"""What every proof is made of: figures beside their bars, one table, one file, one verdict.

A proof is a function that yields figures. `prove` runs the proofs of one part of the house, prints each figure as soon
as it is known, writes `var/proof/<part>.json`, and returns 1 when a figure falls short or a proof could not be held.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "var" / "proof"
INTERRUPTED = 130

Value = float | int | str


class ProofError(Exception):
    """A proof could not be held at all: something it needs did not start, or is not there."""


class Figure(msgspec.Struct, frozen=True):
    """One thing that was seen. Without a bar it is only told."""

    name: str
    seen: Value
    bar: str = ""
    ok: bool = True


def noted(name: str, seen: Value, unit: str = "") -> Figure:
    return Figure(name, _with_unit(seen, unit))


def below(name: str, seen: float, bar: float, unit: str = "") -> Figure:
    return Figure(name, _with_unit(seen, unit), f"< {_with_unit(bar, unit)}", seen < bar)


def at_least(name: str, seen: float, bar: float, unit: str = "") -> Figure:
    return Figure(name, _with_unit(seen, unit), f">= {_with_unit(bar, unit)}", seen >= bar)


def exactly(name: str, seen: Value, bar: Value) -> Figure:
    return Figure(name, seen, str(bar), seen == bar)


def holds(name: str, ok: bool, seen: Value, bar: str) -> Figure:
    """For what is no number; `bar` says in words what is wanted."""
    return Figure(name, seen, bar, ok)


def _with_unit(value: Value, unit: str) -> Value:
    if isinstance(value, float):
        value = float(f"{value:.4g}")
    return f"{value:g} {unit}" if unit and not isinstance(value, str) else value


@dataclass(frozen=True)
class Wishes:
    """What the person at the command line asked for."""

    minutes: float
    speed: float
    kills: int = 0


@dataclass(frozen=True)
class Defaults:
    """What a part does when nothing is asked for. Without `kills` nobody is asked about them."""

    minutes: float = 5.0
    speed: float = 5.0
    kills: int = 0


@dataclass(frozen=True)
class Proof:
    """`name` is what --only takes; `title` says in a sentence what is proven."""

    name: str
    title: str
    run: Callable[[Wishes], Iterator[Figure]]


def tell(text: str) -> None:
    """Progress, for whoever waits."""
    print(f"  ... {text}", flush=True)


def prove(
    part: str, proofs: Sequence[Proof], words: Sequence[str] | None = None, defaults: Defaults = Defaults()
) -> int:
    given = _read(part, proofs, words, defaults)
    wishes = Wishes(given.minutes, given.speed, given.kills)
    chosen = [proof for proof in proofs if not given.only or proof.name in given.only]
    began = datetime.now(UTC)
    try:
        figures = {proof.name: _hold(proof, wishes) for proof in chosen}
    except KeyboardInterrupt:
        print(f"{part}: interrupted; nothing is proven.", flush=True)
        return INTERRUPTED
    short = [figure for found in figures.values() for figure in found if not figure.ok]
    path = _write(part, began, figures, not short)
    print(_verdict(part, figures, short), f"Written to {shown(path)}.", flush=True)
    return 1 if short else 0


def _read(part: str, proofs: Sequence[Proof], words: Sequence[str] | None, defaults: Defaults) -> argparse.Namespace:
    listed = "\n".join(f"  {proof.name:<12} {proof.title}" for proof in proofs)
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.proof_{part}",
        description=f"The proofs:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [proof.name for proof in proofs]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help="this proof; again for more")
    parser.add_argument(
        "--minutes", type=_positive, default=defaults.minutes, help="how long the long one runs (%(default)g)"
    )
    parser.add_argument(
        "--speed", type=_positive, default=defaults.speed, help="speed of its simulated site (%(default)g)"
    )
    parser.set_defaults(kills=defaults.kills)
    if defaults.kills:
        parser.add_argument("--kills", type=_count, help="how many processes are killed or stopped (%(default)d)")
    return parser.parse_args(words)


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1000:
        raise ValueError(text)
    return value


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1000:
        raise ValueError(text)
    return value


def _hold(proof: Proof, wishes: Wishes) -> list[Figure]:
    print(f"{proof.name}: {proof.title}", flush=True)
    figures: list[Figure] = []
    began = time.monotonic()
    try:
        for figure in proof.run(wishes):
            figures.append(figure)
            print(_line(figure), flush=True)
    except ProofError as error:
        figures.append(Figure("could be held", str(error), "yes", ok=False))
        print(_line(figures[-1]), flush=True)
    print(f"  ({time.monotonic() - began:.0f} s)", flush=True)
    return figures


def _line(figure: Figure) -> str:
    mark = "ok   " if figure.ok else "SHORT"
    if not figure.bar:
        return f"        {figure.name:<44} {figure.seen}"
    return f"  {mark} {figure.name:<44} {figure.seen!s:<16} bar {figure.bar}"


def _verdict(part: str, figures: dict[str, list[Figure]], short: list[Figure]) -> str:
    held = sum(bool(figure.bar) for found in figures.values() for figure in found)
    if short:
        return f"{part}: {len(short)} of {held} figures fall short: {', '.join(figure.name for figure in short)}."
    return f"{part}: all {held} figures hold."


def _write(part: str, began: datetime, figures: dict[str, list[Figure]], is_proven: bool) -> Path:
    document: dict[str, Any] = {
        "part": part,
        "is_proven": is_proven,
        "began": began.isoformat(timespec="seconds"),
        "machine": machine(),
        "proofs": figures,
    }
    return write_json(RESULTS / f"{part}.json", document)


def write_json(path: Path, document: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    return path


def shown(path: Path) -> str:
    """As seen from the project, when it lies in it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def machine() -> dict[str, Any]:
    """On what the figures were taken; a figure without this says little."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
