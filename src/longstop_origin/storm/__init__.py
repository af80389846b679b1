"""The storm: the engine's real code on virtual time, in a seeded world that fails in every way we know.

    plan ──▶ scene (site, database, disk, time) ──▶ life after life of the process ──▶ recovery ──▶ judge
                          ▲                                    │
                          └──────────── witness ◀── signals, acknowledgements, commits

docs/storm.md says what may be broken at once so that the promises are still owed.
"""

from longstop_origin.storm.findings import Finding, Report
from longstop_origin.storm.story import run_seed

__all__ = ["Finding", "Report", "run_seed"]
