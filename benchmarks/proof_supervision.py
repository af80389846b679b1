"""What of supervision, pace and recovery is too long for `make test`: `make proof-supervision`."""

from collections.abc import Sequence

from benchmarks.figures import Defaults, Proof, prove
from benchmarks.proofs.supervision_kills import prove_kills
from benchmarks.proofs.supervision_sick import prove_sick
from benchmarks.proofs.supervision_thousand import prove_thousand

KILLS = 10

PROOFS = (
    Proof("kills", "the engine is killed again and again: new data at once, nothing lost", prove_kills),
    Proof("sick", "four sick matches in their ways: the other sixteen keep their beat", prove_sick),
    Proof("thousand", "a thousand matches at 2.5 s on two cores, the origin beside them", prove_thousand),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("supervision", PROOFS, words, Defaults(minutes=10.0, kills=KILLS))


if __name__ == "__main__":
    raise SystemExit(main())
