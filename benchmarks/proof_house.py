"""What of the first part of the house is too long for `make test`: `make proof-house`."""

from collections.abc import Sequence

from benchmarks.figures import Proof, prove
from benchmarks.proofs.cost import prove_cost
from benchmarks.proofs.crowd import prove_crowd
from benchmarks.proofs.fresh import prove_fresh
from benchmarks.proofs.hours import prove_hours
from benchmarks.proofs.matches import prove_matches
from benchmarks.proofs.refusals import prove_refusals

PROOFS = (
    Proof("refusals", "bad input ends with one sentence and an exit code of its own", prove_refusals),
    Proof("hours", "an hour on virtual time passes in well under a second", prove_hours),
    Proof("fresh", "longstop up --origin keeps ten matches fresh and whole for a minute", prove_fresh),
    Proof("matches", "every real match is kept whole, with and without faults", prove_matches),
    Proof("cost", "what a poll costs beside a bare loop", prove_cost),
    Proof("crowd", "two hundred matches stay fresh on two cores, the origin beside them", prove_crowd),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("house", PROOFS, words)


if __name__ == "__main__":
    raise SystemExit(main())
