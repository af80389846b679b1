"""Every test, in two runs of pytest at a time: what computes, and what waits for servers, browsers and clocks.

The two share no server and no folder. The first says what it has to say when the second is done, so that each can be
read whole. With arguments there is one run, with these arguments.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
COMPUTING = ("tests/unit", "tests/style", "tests/contract")
WAITING = ("tests/acceptance", "tests/browser", "tests/simulation")
_SECONDS = 3600


def main(words: Sequence[str]) -> int:
    if words:
        return started(words).wait(_SECONDS)
    with tempfile.TemporaryFile() as said:
        aside, shown = started(COMPUTING, said), started(WAITING)
        try:
            codes = [shown.wait(_SECONDS), aside.wait(_SECONDS)]
        finally:
            for run in (aside, shown):
                run.terminate()  # nothing to one that has ended
        said.seek(0)
        sys.stdout.write(said.read().decode("utf-8", "replace"))
        sys.stdout.flush()
    return max(codes, key=abs)


def started(words: Sequence[str], output: IO[bytes] | None = None) -> "subprocess.Popen[bytes]":
    error = subprocess.STDOUT if output is not None else None
    return subprocess.Popen([sys.executable, "-m", "pytest", *words], cwd=ROOT, stdout=output, stderr=error)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
