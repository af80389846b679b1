"""What an update costs on each rung."""

from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, noted, write_json
from benchmarks.rungs import RESULT, measure

SECONDS = 25.0
MATCHES = 8


def prove_rungs(_: Wishes) -> Iterator[Figure]:
    found = measure(MATCHES, SECONDS)
    write_json(RESULT, found)
    for name, each in found["rungs"].items():
        yield noted(f"{name}: CPU per update", each["cpu_ms_per_update"], "ms")
        yield noted(f"{name}: bytes per update", each["bytes_per_update"])
