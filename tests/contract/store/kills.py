"""Ends a process with SIGKILL at exactly the Nth of its writes and syncs, by strace, and looks at what it leaves."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from longstop.store.disk import OsDisk
from longstop.store.spool import Spool
from longstop.store.spool_frames import Frame
from longstop.store.spool_recovery import Recovery
from tests.contract.store import spool_child

ROOT = Path(__file__).resolve().parents[3]
CALLS = ("write", "pwrite64", "fsync", "ftruncate", "unlink", "rename")
POINTS_MAX = 500
_RUN_SECONDS = 60


def is_possible() -> bool:
    """There is strace, and it may look at our own processes."""
    if shutil.which("strace") is None:
        return False
    tried = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, timeout=_RUN_SECONDS, check=False)
    return tried.returncode == 0


def run_killed(arguments: Sequence[str], call: str, number: int) -> list[str]:
    """The lines that a module of Python said before it was killed at the so-manieth call of this name."""
    strace = [
        "strace",
        "-f",
        "-o",
        os.devnull,
        "-e",
        f"trace={call}",
        "-e",
        f"inject={call}:signal=SIGKILL:when={number}",
    ]
    done = subprocess.run(
        [*strace, sys.executable, "-B", "-m", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        timeout=_RUN_SECONDS,
        text=True,
        check=False,
    )
    return done.stdout.splitlines()


@dataclass
class Life:
    """What a spool's process said."""

    lines: list[str]
    acknowledged: int = field(init=False)
    elsewhere: int = field(init=False)

    def __post_init__(self) -> None:
        self.acknowledged = self._last("acknowledged")
        self.elsewhere = self._last("elsewhere")

    @property
    def is_whole(self) -> bool:
        return "whole 0" in self.lines

    def _last(self, word: str) -> int:
        return max((int(line.split()[1]) for line in self.lines if line.startswith(word)), default=-1)


@contextmanager
def killed_life(call: str, number: int) -> Iterator[tuple[Path, Life]]:
    with tempfile.TemporaryDirectory(prefix="longstop-spool-") as folder:
        spool = Path(folder) / "spool"
        yield spool, Life(run_killed(["tests.contract.store.spool_child", str(spool), "write"], call, number))


def killed_recoveries(spool: Path) -> int:
    """Each is killed one call later than the one before, until one comes through; how many there were."""
    arguments = ["tests.contract.store.spool_child", str(spool), "recover"]
    kills = 0
    for call in CALLS:
        lives = (run_killed(arguments, call, number) for number in range(1, POINTS_MAX))
        kills += next(number for number, lines in enumerate(lives) if "closed 0" in lines)
    return kills


def require_nothing_lost(folder: Path, life: Life) -> Recovery:
    spool = Spool(folder, OsDisk(), spool_child.LIMITS)
    recovery = spool.open()
    found = [int(frame.payload.partition(b":")[0]) for frame in _everything(spool)]
    spool.close()
    aside = {int(path.read_bytes().partition(b":")[0]) for path in (folder / "quarantine").glob("*.refused")}
    missing = set(range(life.elsewhere + 1, life.acknowledged + 1)) - set(found) - aside
    assert not missing, f"acknowledged and lost: {missing}"
    assert found == sorted(set(found)), "twice, or out of order"
    assert recovery.damaged == 0
    return recovery


def _everything(spool: Spool) -> Iterator[Frame]:
    while frames := spool.read(5, 10**6):
        yield from frames
        spool.release(frames[-1])
