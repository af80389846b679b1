"""What of the reading of payloads is too long for `make test`: `make proof-payloads`."""

from collections.abc import Sequence

from benchmarks.figures import Proof, prove
from benchmarks.proofs.mutants import prove_crex, prove_sofascore

PROOFS = (
    Proof("crex", "no broken payload of the cricket source breaks the house or its truth", prove_crex),
    Proof("sofascore", "no broken payload of the football source breaks the house or its truth", prove_sofascore),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("payloads", PROOFS, words)


if __name__ == "__main__":
    raise SystemExit(main())
