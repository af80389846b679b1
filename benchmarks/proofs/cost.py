"""The price of a poll beside that of a bare loop, as `make bench` tells it."""

from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, noted, write_json
from benchmarks.house import RESULT, measure

SECONDS = 30.0


def prove_cost(_: Wishes) -> Iterator[Figure]:
    found = measure(SECONDS)
    write_json(RESULT, found)
    for name in ("changed", "unchanged", "mix"):
        yield noted(f"CPU per poll, {name}", found[f"{name}_us"], "us")
    yield noted("CPU per poll, bare loop", found["bare_us"], "us")
    for name, ratio in found["ratio"].items():
        yield noted(f"times the bare loop, {name}", ratio)
