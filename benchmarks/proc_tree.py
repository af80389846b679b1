"""An engine with everything it started: driver, browsers and their children. What they use, and who stays behind."""

import re
import time
from pathlib import Path
from typing import NamedTuple

import psutil

GONE_SECONDS = 5.0
_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)
_STEP_SECONDS = 0.1


class Member(NamedTuple):
    """A process number may be given anew; with the time it began it is one process."""

    pid: int
    began: float


class Footprint(NamedTuple):
    at: float
    processes: int
    pss_bytes: int
    cpu_seconds: float


class ProcessTree:
    """Look often: what nobody saw, nobody counts. The CPU time of who has ended stays counted."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._cpu: dict[Member, float] = {}

    def members(self) -> list[psutil.Process]:
        try:
            return [self._root, *self._root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def of_kind(self, kind: str) -> list[psutil.Process]:
        """`driver`, `browser` or `renderer`."""
        return [each for each in self.members() if kind_of(each) == kind]

    def look(self) -> Footprint:
        pss, alive = 0, 0
        for process in self.members():
            try:
                times = process.cpu_times()
                self._cpu[Member(process.pid, process.create_time())] = times.user + times.system
                pss += _pss_of(process.pid)
                alive += 1
            except (psutil.NoSuchProcess, OSError):
                continue
        return Footprint(time.monotonic(), alive, pss, sum(self._cpu.values()))

    def left(self) -> list[Member]:
        """Who was ever seen and still runs, a moment after the end."""
        deadline = time.monotonic() + GONE_SECONDS
        while (left := [member for member in self._cpu if _is_alive(member)]) and time.monotonic() < deadline:
            time.sleep(_STEP_SECONDS)
        return left


def processes_naming(folder: Path) -> list[int]:
    """Whoever works in this folder or has it on its command line, whoever its parent is by now."""
    found = []
    for process in psutil.process_iter():
        try:
            words = [process.cwd(), *process.cmdline()]
            if process.status() != psutil.STATUS_ZOMBIE and any(str(folder) in word for word in words):
                found.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def kind_of(process: psutil.Process) -> str:
    try:
        words = process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""
    if "--type=renderer" in words:
        return "renderer"
    if any(word.startswith("--type=") for word in words):
        return ""
    if any(word.startswith("--longstop-mark=") for word in words):
        return "browser"
    return "driver" if "run-driver" in words else ""


def _pss_of(pid: int) -> int:
    found = _PSS.search(Path(f"/proc/{pid}/smaps_rollup").read_bytes())
    return int(found[1]) * 1024 if found else 0


def _is_alive(member: Member) -> bool:
    try:
        process = psutil.Process(member.pid)
        return process.create_time() == member.began and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
