"""What the kernel says about processes: the only truth about a browser that does not answer.

Everything is read from /proc. A process is known by its number and its start time together, because numbers are used
again; signals go through a pidfd, so that they cannot hit a newcomer.
"""

import contextlib
import os
import signal
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

PROC = Path("/proc")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

# Fields of /proc/<pid>/stat after the name in brackets.
_STATE, _PARENT, _GROUP, _SESSION, _START, _RSS = 0, 1, 2, 3, 19, 21


class Identity(msgspec.Struct, frozen=True):
    """One process and no other, however often its number is given away again."""

    pid: int
    start_ticks: int


class Process(msgspec.Struct, frozen=True):
    pid: int
    name: str
    state: str
    parent: int
    group: int
    session: int
    start_ticks: int
    rss_bytes: int

    @property
    def identity(self) -> Identity:
        return Identity(self.pid, self.start_ticks)

    @property
    def is_zombie(self) -> bool:
        return self.state in "ZX"

    @property
    def is_stopped(self) -> bool:
        """Stopped by a signal; a process under a debugger is in state `t` and is left alone."""
        return self.state == "T"


Table = Mapping[int, Process]


def read_process(pid: int) -> Process | None:
    """None when there is no such process, or not any more."""
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return Process(
        pid=pid,
        name=name,
        state=fields[_STATE],
        parent=int(fields[_PARENT]),
        group=int(fields[_GROUP]),
        session=int(fields[_SESSION]),
        start_ticks=int(fields[_START]),
        rss_bytes=int(fields[_RSS]) * PAGE_BYTES,
    )


def all_processes() -> dict[int, Process]:
    numbers = [int(entry.name) for entry in os.scandir(PROC) if entry.name.isdigit()]
    return {found.pid: found for found in map(read_process, numbers) if found is not None}


def is_alive(who: Identity) -> bool:
    """A zombie is not alive: it only waits to be counted."""
    found = read_process(who.pid)
    return found is not None and found.identity == who and not found.is_zombie


def descendants(table: Table, roots: Iterable[int]) -> set[int]:
    """The roots that exist and everything below them."""
    direct: dict[int, list[int]] = {}
    for process in table.values():
        direct.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = [pid for pid in roots if pid in table]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting.extend(direct.get(pid, ()))
    return found


def below(pid: int) -> set[int]:
    """Everything below one process, without looking at the others; empty when it has gone."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        direct = children(waiting.pop())
        found.update(direct)
        waiting.extend(direct)
    return found


def children(pid: int) -> list[int]:
    """Who was started by any of its threads, or came to it as an orphan."""
    found: list[int] = []
    for path in (PROC / str(pid) / "task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(word) for word in path.read_text().split()]
    return found


def in_sessions(table: Table, sessions: Iterable[int]) -> set[int]:
    """A browser leads a session of its own; who belongs to it stays in it even when the parents are dead."""
    wanted = set(sessions)
    return {process.pid for process in table.values() if process.session in wanted}


def arguments(pid: int) -> list[str]:
    """The command line; empty for a zombie, a kernel thread, and a process of somebody else."""
    try:
        raw = (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return []
    return [part.decode(errors="replace") for part in raw.split(b"\0") if part]


def environment_value(pid: int, key: str) -> str | None:
    """One variable of the environment the process was started with."""
    try:
        raw = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return None
    wanted = key.encode() + b"="
    found = next((part for part in raw.split(b"\0") if part.startswith(wanted)), None)
    return None if found is None else found[len(wanted) :].decode(errors="replace")


def executable(pid: int) -> str:
    """The file it runs, empty for a zombie and for a process of somebody else."""
    try:
        return str((PROC / str(pid) / "exe").readlink()).removesuffix(" (deleted)")
    except OSError:
        return ""


def pss_bytes(pid: int) -> int:
    """Memory with shared pages counted by share; RSS where the kernel does not give it; 0 for who has gone."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        process = read_process(pid)
        return 0 if process is None else process.rss_bytes
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def send(who: Identity, signum: signal.Signals) -> bool:
    """True when the signal went to exactly this process."""
    try:
        handle = os.pidfd_open(who.pid)
    except OSError:
        return False
    try:
        if not is_alive(who):
            return False
        signal.pidfd_send_signal(handle, signum)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def kill_group(leader: Identity, signum: signal.Signals = signal.SIGKILL) -> None:
    """Signals a whole process group; safe while the leader or any of its group lives, for then its number is taken."""
    found = read_process(leader.pid)
    if found is not None and found.identity != leader:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, signum)


def pss_of(pids: Iterable[int]) -> dict[int, int]:
    return {pid: pss_bytes(pid) for pid in pids}


def living(known: Iterable[Identity]) -> list[Identity]:
    return [who for who in known if is_alive(who)]
