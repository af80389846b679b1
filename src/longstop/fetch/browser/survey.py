"""What the kernel says about one unit at one moment, and what was left at its end."""

import msgspec

from longstop.fetch.browser.processes import Identity, Process


class Survey(msgspec.Struct, frozen=True):
    """What the kernel says about a unit's processes. `pss` is empty when it was not asked for."""

    members: tuple[Process, ...] = ()
    is_driver_alive: bool = False
    is_browser_alive: bool = False
    driver_rss_bytes: int = 0
    renderers: frozenset[int] = frozenset()
    pss: dict[int, int] = {}

    @property
    def living(self) -> list[Process]:
        return [each for each in self.members if not each.is_zombie]

    @property
    def stopped(self) -> frozenset[Identity]:
        """Who was stopped by a signal and will answer nobody."""
        return frozenset(each.identity for each in self.members if each.is_stopped)

    @property
    def rss_bytes(self) -> int:
        return sum(each.rss_bytes for each in self.members)


class Ending(msgspec.Struct, frozen=True):
    pids_before: int
    pids_after: int
    seconds: float
