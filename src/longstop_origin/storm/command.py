"""The command `longstop storm`."""

import re
from typing import Annotated, Any

import msgspec
import typer

from longstop.clock import SystemClock, machine_seconds
from longstop.domain.errors import InputError
from longstop_origin.storm.plan import FAMILIES

FAILED = 1
SEEDS_MAX = 1_000_000
_RANGE = re.compile(r"(\d{1,9})(?:\.\.(\d{1,9}))?")
CLOCK = SystemClock()


def storm(
    seeds: Annotated[str, typer.Option(help="One seed, or a range: 1..200.")] = "1..200",
    only: Annotated[str, typer.Option(help=f"Only these families of faults: {', '.join(FAMILIES)}.")] = "",
    processes: Annotated[int | None, typer.Option(min=1, max=64, help="Worker processes; one for each core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Run the whole engine through seeded storms on virtual time; exit 1 when a promise was broken."""
    from longstop_origin.storm.campaign import Summary, run_seeds

    wanted, families = read_seeds(seeds), read_families(only)
    summary, began = Summary(), machine_seconds()
    for outcome in run_seeds(wanted, families, processes):
        summary.add(outcome)
        if not outcome.report.is_clean and not as_json:
            typer.echo(f"{outcome.command}\n  " + "\n  ".join(map(str, outcome.report.findings)))
    told = summary.to_dict() | {"took_seconds": round(machine_seconds() - began, 1)}
    if len(wanted) == 1:
        told["digest"] = outcome.report.digest
    typer.echo(msgspec.json.encode(told) if as_json else _closing(told))
    return FAILED if summary.failed else 0


def read_seeds(words: str) -> range:
    found = _RANGE.fullmatch(words.strip())
    if found is None:
        raise InputError(f"{words[:20]!r} is no range of seeds.", hint="Say for example --seeds 7 or --seeds 1..200.")
    first = int(found[1])
    last = int(found[2]) if found[2] else first
    if not first <= last < first + SEEDS_MAX:
        raise InputError(f"There are no seeds in {words[:20]!r}.", hint="The last is not before the first.")
    return range(first, last + 1)


def read_families(words: str) -> tuple[str, ...]:
    wanted = tuple(word.strip() for word in words.split(",") if word.strip())
    for word in wanted:
        if word not in FAMILIES:
            raise InputError(f"There is no family {word[:20]!r}.", hint=f"Choose from {', '.join(FAMILIES)}.")
    return wanted


def _closing(told: dict[str, Any]) -> str:
    counts = ", ".join(f"{count} {word}" for word, count in told["counts"].items())
    times = told["recovered_seconds"]
    rate = 60 * told["seeds"] / max(0.001, told["took_seconds"])
    seen = f"{told['matches']:.0f} matches, {told['events']:.0f} events, {told['polls']:.0f} polls"
    lines = [
        f"{told['seeds']} seeds: {counts}.",
        f"{seen} in {told['seconds'] / 3600:.1f} virtual hours.",
        f"{told['faults']:.0f} faults, {told['lives']:.0f} lives of the process.",
        f"Well again after p50 {times['p50']:g} s, p99 {times['p99']:g} s, at most {times['max']:g} s.",
        f"Took {told['took_seconds']:g} s, {rate:.0f} seeds a minute.",
    ]
    if "digest" in told:
        lines.append(f"Digest {told['digest']}.")
    if told["failed"]:
        lines += ["Failed:", *(f"  {each['command']}" for each in told["failed"])]
    return "\n".join(lines)
