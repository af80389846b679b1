"""What of rounds is too long for `make test`: `make proof-rounds`."""

from collections.abc import Sequence

from benchmarks.figures import Defaults, Proof, prove
from benchmarks.proofs.rounds_cuts import prove_cuts, prove_statements
from benchmarks.proofs.rounds_season import prove_poison, prove_season
from benchmarks.proofs.rounds_workers import prove_workers

PROOFS = (
    Proof(
        "season", "a season with faults, killed twenty times on the way: 380 whole, none half, none twice", prove_season
    ),
    Proof("poison", "a poison match does not hold up the others", prove_poison),
    Proof("cuts", "a thousand connections cut after COMMIT: one row each", prove_cuts),
    Proof("statements", "killed at each write of the database: a match is all there or not at all", prove_statements),
    Proof("workers", "a season by two workers, killed twenty times: the same end", prove_workers),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("rounds", PROOFS, words, Defaults(kills=20))


if __name__ == "__main__":
    raise SystemExit(main())
