"""Adopts orphans and buries them, and nobody else's dead.

A subreaper is given the children of its children that die before them. Those become zombies until somebody waits for
them. Who waits for a child that asyncio waits for steals its exit status, so only three kinds are waited for: members
of a session that a browser of ours leads, processes once seen below another parent or under our mark, and members of a
session that neither we nor they lead, into which no child of ours can have been born.
"""

import contextlib
import ctypes
import os
from collections.abc import Iterable

from longstop.fetch.browser.processes import Identity, Table

PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> bool:
    """False where the kernel has no such thing; then pid 1 has to reap (`init: true` in a container)."""
    return _set_subreaper(1)


def resign_as_subreaper() -> bool:
    """With no browser left there is nothing to adopt for."""
    return _set_subreaper(0)


def _set_subreaper(value: int) -> bool:
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.prctl(PR_SET_CHILD_SUBREAPER, value, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


class Reaper:
    def __init__(self) -> None:
        self._sessions: set[int] = set()
        self._known: set[Identity] = set()

    def adopt_session(self, session: int) -> None:
        self._sessions.add(session)

    def adopt(self, members: Iterable[Identity]) -> None:
        self._known.update(members)

    def adopt_grandchildren(self, table: Table) -> None:
        """Whoever lives below a child of ours can only become ours as an orphan."""
        us = os.getpid()
        for process in table.values():
            parent = table.get(process.parent)
            if parent is not None and parent.parent == us:
                self._known.add(process.identity)

    def reap(self, table: Table) -> list[int]:
        """Waits for the dead among the adopted, without blocking; returns who was buried."""
        us, own_session = os.getpid(), os.getsid(0)
        ours = [each for each in table.values() if each.is_zombie and each.parent == us]
        buried = []
        for each in ours:
            is_adopted = each.session not in (own_session, each.pid)
            if is_adopted or each.session in self._sessions or each.identity in self._known:
                with contextlib.suppress(ChildProcessError):
                    buried += [each.pid] if os.waitpid(each.pid, os.WNOHANG)[0] else []
        self._forget(table)
        return buried

    def _forget(self, table: Table) -> None:
        """What has gone need not be known any more; a number is not kept beyond its process."""
        here = {process.identity for process in table.values()}
        self._known &= here
        self._sessions &= {process.session for process in table.values()}
