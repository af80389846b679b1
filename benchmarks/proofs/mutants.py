"""R17: a hundred thousand broken payloads of every kind, of each source; two cores share the work."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, noted, tell
from tests import mutated_crex, mutated_sofascore
from tests.endurance import SECONDS_MAX, Case, Tally, endured
from tests.mutations import mutants

EACH = 100_000
SHARE = 5_000
SEED = 1
SOURCES = {"crex": mutated_crex.CASES, "sofascore": mutated_sofascore.CASES}


def prove_crex(wishes: Wishes) -> Iterator[Figure]:
    yield from _prove("crex", wishes)


def prove_sofascore(wishes: Wishes) -> Iterator[Figure]:
    yield from _prove("sofascore", wishes)


def _prove(source: str, _: Wishes) -> Iterator[Figure]:
    for name in SOURCES[source]:
        tally = _shared(source, name)
        for fault in tally.faults:
            tell(fault)
        yield at_least(f"{name}: mutants", tally.tried, EACH)
        yield noted(f"{name}: refused, held, published", f"{tally.refused}, {tally.held}, {tally.published}")
        yield exactly(f"{name}: crashes", len(tally.crashes), 0)
        yield below(f"{name}: slowest", tally.slowest_seconds, SECONDS_MAX, "s")
        yield exactly(f"{name}: wrong and published", len(tally.lies), 0)


def _shared(source: str, name: str) -> Tally:
    """Seeds follow each other, so that one that fails can be tried alone."""
    whole = Tally()
    with ProcessPoolExecutor() as pool:
        for part in pool.map(partial(_part, source, name), range(SEED, SEED + EACH // SHARE)):
            whole.tried += part.tried
            whole.published += part.published
            whole.held += part.held
            whole.refused += part.refused
            whole.slowest_seconds = max(whole.slowest_seconds, part.slowest_seconds)
            whole.crashes += part.crashes
            whole.hangs += part.hangs
            whole.lies += part.lies
    return whole


def _part(source: str, name: str, seed: int) -> Tally:
    case: Case = SOURCES[source][name]
    return endured(case, mutants(seed, SHARE, case.payload))
