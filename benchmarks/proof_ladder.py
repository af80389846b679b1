"""What of the ladder and the browser pool is too long for `make test`: `make proof-ladder`."""

from collections.abc import Sequence

from benchmarks.figures import Defaults, Proof, prove
from benchmarks.proofs.ladder_chaos import KILLS, prove_chaos
from benchmarks.proofs.ladder_pages import prove_dom, prove_intercept
from benchmarks.proofs.ladder_recycling import prove_recycling
from benchmarks.proofs.ladder_rungs import prove_rungs
from benchmarks.proofs.ladder_tokens import prove_tokens

PROOFS = (
    Proof("tokens", "tokens of 30 s and a refusal every 40 calls: 20 matches stay on replay", prove_tokens),
    Proof("intercept", "replay is forbidden: 25 matches are listened to", prove_intercept),
    Proof("dom", "replay is forbidden and no call answers: 10 matches are read off the page", prove_dom),
    Proof("chaos", "browsers, renderers and drivers killed or stopped at random", prove_chaos),
    Proof("recycling", "every browser replaced each 20 s under load", prove_recycling),
    Proof("rungs", "what an update costs on each rung", prove_rungs),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("ladder", PROOFS, words, Defaults(minutes=10.0, kills=KILLS))


if __name__ == "__main__":
    raise SystemExit(main())
