"""What the machine offers: memory, cores, open files, a clock, an encoding."""

import locale
import os
import resource
import sys
from datetime import datetime
from pathlib import Path

import psutil

from longstop.commands.checkup.finding import Finding, ok, problem, warning
from longstop.supervise.machine import CGROUP, LinuxMachine

MIB = 2**20
OPEN_FILES_MIN, OPEN_FILES_ENOUGH = 256, 1024
CORES_ENOUGH = 2.0
CLOCK_SLACK_DAYS = 2
CLOCK_YEAR_MAX = 2100


def memory(least_mb: int, available_mb: float | None = None) -> Finding:
    left = memory_available_mb() if available_mb is None else available_mb
    said = f"{left:.0f} MB available"
    if left < least_mb:
        hint = "End other programs, or give the machine or container more memory."
        return warning("memory", f"{said}, less than {least_mb} MB", hint)
    return ok("memory", said)


def memory_available_mb(cgroup: Path = CGROUP) -> float:
    """What the admission of scrapers goes by, too."""
    available = LinuxMachine(cgroup).available_bytes()
    return (psutil.virtual_memory().available if available is None else available) / MIB


def cores(found: float | None = None) -> Finding:
    count = cores_allowed() if found is None else found
    said = f"{count:g}"
    if count < CORES_ENOUGH:
        return warning("cores", said, "Two are what 200 matches are promised on; watch fewer, or give it another.")
    return ok("cores", said)


def cores_allowed(cgroup: Path = CGROUP) -> float:
    machine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = (cgroup / "cpu.max").read_text(encoding="ascii").split()
        return min(float(machine), float(quota) / float(period))
    except (OSError, ValueError, ZeroDivisionError):
        return float(machine)


def open_files(soft: int | None = None) -> Finding:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if soft is None else soft
    if limit == resource.RLIM_INFINITY:
        return ok("open files", "no limit")
    said, hint = f"at most {limit}", "Raise it before the start: `ulimit -n 4096`, or LimitNOFILE in systemd."
    if limit < OPEN_FILES_MIN:
        return problem("open files", said, hint)
    return warning("open files", said, hint) if limit < OPEN_FILES_ENOUGH else ok("open files", said)


def clock(now: datetime, installed_at: datetime) -> Finding:
    """Without asking anybody: it cannot be before we were installed, nor in another century."""
    said = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    hint = "Set the clock and keep it right with NTP (`timedatectl set-ntp true`); ages and tokens depend on it."
    if (installed_at - now).days >= CLOCK_SLACK_DAYS:
        return problem("clock", f"{said}, but Longstop was installed on {installed_at:%Y-%m-%d}", hint)
    if now.year > CLOCK_YEAR_MAX:
        return problem("clock", said, hint)
    return ok("clock", said)


def encoding(output: str | None = None, files: str | None = None) -> Finding:
    """Names of players have letters beyond ASCII."""
    used = {
        "output": output or getattr(sys.stdout, "encoding", None) or locale.getpreferredencoding(do_setlocale=False),
        "file names": files or sys.getfilesystemencoding(),
    }
    said = ", ".join(f"{name} {word}" for name, word in used.items())
    if all(word.lower().replace("-", "").replace("_", "") == "utf8" for word in used.values()):
        return ok("encoding", said)
    return warning("encoding", said, "Set LANG=C.UTF-8 or PYTHONUTF8=1, so that names can be shown.")
