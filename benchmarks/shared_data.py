"""Where the real matches lie. They are no part of the project; a proof that misses them says so."""

import os
from pathlib import Path

from benchmarks.figures import ROOT, ProofError


def cricsheet_files() -> list[Path]:
    given = os.environ.get("LONGSTOP_SHARED_DATA")
    folder = (Path(given) if given else ROOT.parent / "shared" / "data") / "cricsheet"
    files = sorted(folder.glob("**/*.json"))
    if not files:
        raise ProofError(f"there is no Cricsheet file below {folder}; set LONGSTOP_SHARED_DATA to where the data lies")
    return files
