"""What of serving is too long for `make test`: `make proof-serving`."""

from collections.abc import Sequence

from benchmarks.figures import Proof, prove
from benchmarks.proofs.serving_cost import prove_cost
from benchmarks.proofs.serving_document import prove_document
from benchmarks.proofs.serving_health import prove_health
from benchmarks.proofs.serving_load import prove_load

PROOFS = (
    Proof("cost", "an authenticated read of a match beside a bare handler", prove_cost),
    Proof("health", "/health with a thousand matches, and without a database", prove_health),
    Proof("document", "schemathesis over the whole OpenAPI document", prove_document),
    Proof("load", "100 requests a second for a minute beside 200 live matches", prove_load),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("serving", PROOFS, words)


if __name__ == "__main__":
    raise SystemExit(main())
