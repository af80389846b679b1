"""What of football before kickoff is too long for `make test`: `make proof-football`."""

from collections.abc import Sequence

from benchmarks.figures import Proof, prove
from benchmarks.proofs.football_bytes import prove_bytes

PROOFS = (Proof("bytes", "a visit moves at most 15 % of what its page would load, in a real browser", prove_bytes),)


def main(words: Sequence[str] | None = None) -> int:
    return prove("football", PROOFS, words)


if __name__ == "__main__":
    raise SystemExit(main())
