"""What an earlier run of ours left behind: found by our mark and a dead owner, never by name, and removed.

A browser carries the mark on its command line; its driver and its crash handler carry it in their environment; its
renderers carry neither, but belong to the session that the browser leads.
"""

import asyncio
import shutil
import signal
from pathlib import Path

import msgspec

from longstop.clock import Clock
from longstop.fetch.browser import processes
from longstop.fetch.browser.command_line import MARK_VARIABLE, mark_of
from longstop.fetch.browser.instance import Owner, UnitRecord, is_dead, unit_records
from longstop.fetch.browser.processes import Identity, Process, Table
from longstop.fetch.browser.short_path import forget_links

GONE_SECONDS = 3.0
_STEP_SECONDS = 0.05


class Orphan(msgspec.Struct, frozen=True):
    who: Identity
    name: str
    mark: str
    memory_bytes: int


class OrphanReport(msgspec.Struct, frozen=True):
    killed: tuple[Orphan, ...] = ()
    folders: tuple[Path, ...] = ()
    surviving: tuple[Identity, ...] = ()


def dead_instances(root: Path) -> list[Path]:
    ourselves = Owner.ourselves()
    folders = sorted(path for path in root.glob("*") if path.is_dir() and not path.is_symlink())
    return [path for path in folders if is_dead(path, ourselves)]


def find_orphans(folders: list[Path]) -> list[Orphan]:
    """Processes of these dead instances; all others are somebody's."""
    if not folders:
        return []
    table = processes.all_processes()
    found = _by_mark({path.name for path in folders}, table)
    for record in (each for folder in folders for each in unit_records(folder)):
        found |= {pid: record.mark for pid in _by_record(record, table) if pid not in found}
    return [_orphan(table[pid], mark) for pid, mark in sorted(found.items()) if not table[pid].is_zombie]


async def remove_orphans(root: Path, clock: Clock) -> OrphanReport:
    """Kills them, waits until they are gone, and only then removes what they wrote."""
    folders = dead_instances(root)
    orphans = await asyncio.to_thread(find_orphans, folders)
    for orphan in orphans:
        processes.send(orphan.who, signal.SIGKILL)
    surviving = await gone([orphan.who for orphan in orphans], clock, GONE_SECONDS)
    if folders and not surviving:
        await asyncio.to_thread(forget_links, folders)
        for folder in folders:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return OrphanReport(tuple(orphans), tuple(folders), tuple(surviving))


async def gone(known: list[Identity], clock: Clock, seconds: float) -> list[Identity]:
    """Who is still alive after waiting so long."""
    deadline = clock.monotonic() + seconds
    while (left := processes.living(known)) and clock.monotonic() < deadline:
        await clock.sleep(_STEP_SECONDS)
    return left


def _by_mark(instances: set[str], table: Table) -> dict[int, str]:
    """The marked, the sessions they lead, and everything below them."""
    marks = {pid: mark for pid in table if (mark := marked(pid)) and mark.partition(":")[0] in instances}
    found = dict(marks)
    for pid, mark in marks.items():
        leads = table[pid].session == pid
        members = processes.in_sessions(table, [pid] if leads else []) | processes.descendants(table, [pid])
        found |= {member: mark for member in members if member not in found}
    return found


def _by_record(record: UnitRecord, table: Table) -> set[int]:
    """The session's number stays taken while a member lives, so a leader that is another means another session."""
    leader = table.get(record.browser.pid)
    if leader is not None and leader.identity != record.browser:
        return set()
    members = processes.in_sessions(table, [record.browser.pid])
    return {pid for pid in members if processes.executable(pid) == record.executable}


def marked(pid: int) -> str | None:
    return mark_of(processes.arguments(pid)) or _mark_of_companion(pid)


def _mark_of_companion(pid: int) -> str | None:
    """The driver and the crash handler inherit the mark; whoever else inherited it, by accident, is no browser."""
    mark = processes.environment_value(pid, MARK_VARIABLE)
    return mark if mark and is_companion(processes.arguments(pid)) else None


def is_companion(arguments: list[str]) -> bool:
    return bool(arguments) and (arguments[-1] == "run-driver" or "crashpad" in Path(arguments[0]).name)


def _orphan(process: Process, mark: str) -> Orphan:
    return Orphan(process.identity, process.name, mark, processes.pss_bytes(process.pid))
