"""What an update costs on each rung."""

from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, at_least, noted, write_json
from benchmarks.rungs import RESULT, measure

SECONDS = 25.0
MATCHES = 8


def prove_rungs(_: Wishes) -> Iterator[Figure]:
    found = measure(MATCHES, SECONDS)
    write_json(RESULT, found)
    for name, each in found["rungs"].items():
        yield noted(f"{name}: CPU per update", each["cpu_ms_per_update"], "ms")
        # Nothing comes for nothing: none counted is a count that failed.
        yield at_least(f"{name}: bytes per update", each["bytes_per_update"], 1)
