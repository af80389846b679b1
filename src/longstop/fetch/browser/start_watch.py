"""Looks after a browser while it starts: nobody else can, for it is not yet known who belongs to it.

Who is stopped at its start answers nobody, and would be waited for until the start's own deadline. Who is killed at its
start leaves helpers behind that carry no mark; they are known by then, or by the session that their browser led.
"""

import os
from typing import Final, NoReturn

from longstop.clock import Clock
from longstop.domain.errors import BrowserLostError
from longstop.fetch.browser import processes
from longstop.fetch.browser.orphans import marked
from longstop.fetch.browser.processes import Identity, Process, Table

LOOK_SECONDS: Final = 0.25
# A process may be stopped for a moment for good reasons.
STOPPED_LOOKS: Final = 4


class StartWatch:
    def __init__(self, mark: str, clock: Clock) -> None:
        self._mark = mark
        self._clock = clock
        self._stopped: dict[Identity, int] = {}
        self._leaders: set[Identity] = set()
        self.seen: dict[int, Identity] = {}

    async def until_stopped(self) -> NoReturn:
        """Ends only by raising, when one of them has been stopped for a while."""
        while True:
            self.look()
            if any(looks >= STOPPED_LOOKS for looks in self._stopped.values()):
                raise BrowserLostError("A process of the browser was stopped while it started.")
            await self._clock.sleep(LOOK_SECONDS)

    def look(self) -> None:
        """Only at our own children and what is below them: it is done often."""
        roots = [pid for pid in processes.children(os.getpid()) if marked(pid) == self._mark]
        numbers = {*roots, *(pid for root in roots for pid in processes.below(root))}
        found = [process for process in map(processes.read_process, numbers) if process is not None]
        self.seen.update({process.pid: process.identity for process in found})
        self._leaders |= {each.identity for each in found if each.session == each.pid}
        self._stopped = {each.identity: self._stopped.get(each.identity, 0) + 1 for each in found if _is_held(each)}

    def members(self, table: Table) -> set[int]:
        """Who was seen, and who is in a session that one of them led: its number is theirs until all are gone."""
        alive = {pid for pid, who in self.seen.items() if pid in table and table[pid].identity == who}
        led = [who.pid for who in self._leaders if who.pid not in table or table[who.pid].identity == who]
        return alive | processes.in_sessions(table, led)


def _is_held(process: Process) -> bool:
    return process.is_stopped and not process.is_zombie
