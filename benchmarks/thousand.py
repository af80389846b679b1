"""A thousand matches on the replay rung, the site beside them: `make bench`. `make proof-supervision` holds it too."""

from collections.abc import Sequence

from benchmarks.figures import Defaults, Proof, prove
from benchmarks.proofs.supervision_thousand import prove_thousand

PROOFS = (Proof("thousand", "a thousand matches at 2.5 s on two cores, the origin beside them", prove_thousand),)


def main(words: Sequence[str] | None = None) -> int:
    return prove("thousand", PROOFS, words, Defaults(minutes=10.0))


if __name__ == "__main__":
    raise SystemExit(main())
