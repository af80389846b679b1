"""What of keeping, and of losing nothing, is too long for `make test`: `make proof-ledger`."""

from collections.abc import Sequence

from benchmarks.figures import Defaults, Proof, prove
from benchmarks.proofs.ledger_kills import prove_kills
from benchmarks.proofs.ledger_lock import prove_latency, prove_lock
from benchmarks.proofs.ledger_outage import prove_cuts, prove_outage
from benchmarks.proofs.ledger_stopped import prove_stopped
from benchmarks.proofs.ledger_storm import prove_planted, prove_replays, prove_storms

PROOFS = (
    Proof("kills", "kill -9 at every write and sync of spool and journal, and of the recoveries", prove_kills),
    Proof("cuts", "a thousand connections cut after COMMIT leave exactly one row each", prove_cuts),
    Proof("latency", "an update is stored within 50 ms while 400 come each second", prove_latency),
    Proof("lock", "SQLite locked for half a minute and its past read for ten: nothing lost, nobody late", prove_lock),
    Proof("outage", "PostgreSQL is away for ten minutes, and everything acknowledged comes to it", prove_outage),
    Proof("stopped", "a process that was stopped for 90 s goes on, and nothing stale passes for fresh", prove_stopped),
    Proof("replays", "every real match through a storm of faults, three seeds each", prove_replays),
    Proof("storms", "two thousand storms break no promise", prove_storms),
    Proof("planted", "every bug that is planted is found by a storm", prove_planted),
)


def main(words: Sequence[str] | None = None) -> int:
    return prove("ledger", PROOFS, words, Defaults(minutes=10.0))


if __name__ == "__main__":
    raise SystemExit(main())
