"""What of football before kickoff is too long for `make test`: `make proof-football`."""

from collections.abc import Sequence

from benchmarks.figures import Proof, prove
from benchmarks.proofs.football_bytes import prove_bytes
from benchmarks.proofs.football_exits import prove_exits

PROOFS = (
    Proof("bytes", "a visit moves at most 15 % of what its page would load, in a real browser", prove_bytes),
    Proof("exits", "a wave of bans on 40 % of the exits, by real proxies", prove_exits),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("football", PROOFS, words)


if __name__ == "__main__":
    raise SystemExit(main())
