"""Command lines, many and quick: each a process of its own, forked from one that has the imports behind it.

A command costs a second of imports and a moment of work. What is run here is what the installed command runs, with its
own words, folder, streams and exit code; only the imports were done before.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bad_input import Ended
from benchmarks.figures import ROOT
from benchmarks.processes import own_environment

SECONDS_MAX = 60


class Commands:
    """Talks to the process that forks: a line of JSON for a command, a line of JSON for its exit code."""

    def __init__(self, popen: "subprocess.Popen[bytes]", streams: Path) -> None:
        self._popen = popen
        self._streams = streams

    def run(self, words: Sequence[str], folder: Path, *, stdin: bytes = b"") -> Ended:
        (self._streams / "in").write_bytes(stdin)
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._popen.stdin.write(json.dumps({"words": [*words], "folder": str(folder)}).encode() + b"\n")
        self._popen.stdin.flush()
        code = int(self._popen.stdout.readline())
        return Ended(code, *((self._streams / name).read_text(encoding="utf-8") for name in ("out", "err")))


@contextmanager
def commands() -> Iterator[Commands]:
    with TemporaryDirectory(prefix="longstop-commands-") as streams:
        popen = subprocess.Popen(
            [sys.executable, "-m", __name__, streams],
            cwd=ROOT,
            env=own_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            yield Commands(popen, Path(streams))
        finally:
            popen.communicate(timeout=SECONDS_MAX)


def _serve(streams: Path) -> None:
    """In the process that forks. It ends with its input."""
    import longstop_origin.commands  # noqa: F401 - so that no child has to
    from longstop.cli import main

    gc.freeze()
    for line in sys.stdin.buffer:
        wanted = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(wanted, streams)
            main()
            sys.exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()


def _become(wanted: dict[str, str], streams: Path) -> None:
    """A command's own words, folder and streams."""
    os.chdir(wanted["folder"])
    modes = ((0, "in", os.O_RDONLY), (1, "out", os.O_WRONLY), (2, "err", os.O_WRONLY))
    for number, name, mode in modes:
        opened = os.open(streams / name, mode | (os.O_CREAT | os.O_TRUNC if number else 0), 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.argv = ["longstop", *wanted["words"]]


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
