"""What of football before kickoff is too long for `make test`: `make proof-football`."""

from collections.abc import Sequence

from benchmarks.figures import Proof, prove
from benchmarks.proofs.football_bytes import prove_bytes
from benchmarks.proofs.football_exits import prove_exits
from benchmarks.proofs.football_seasons import prove_bans, prove_days, prove_down, prove_restarts, prove_rough

PROOFS = (
    Proof("days", "100 matches over three days: every line-up that came out is captured before kickoff", prove_days),
    Proof("rough", "the same at a rough time: timeouts, broken connections, bans, empty answers", prove_rough),
    Proof("restarts", "the same with processes that end in between: nothing is kept twice", prove_restarts),
    Proof("bans", "four of ten exits are banned at once, and no line-up is missed", prove_bans),
    Proof("down", "the site is down for two hours: the breaker opens, and only probes leave", prove_down),
    Proof("bytes", "a visit moves at most 15 % of what its page would load, in a real browser", prove_bytes),
    Proof("exits", "a wave of bans on 40 % of the exits, by real proxies", prove_exits),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("football", PROOFS, words)


if __name__ == "__main__":
    raise SystemExit(main())
