"""Who is due when, and of those who are due, who goes first. A data structure; time is an argument.

    not yet due    one heap by moment
    due            one heap a source, by priority class, then by moment: LIVE before IMMINENT before COMPLETED

A source that may take no more holds up nobody else. Entries are never searched for: one that was moved or dropped
stays where it is, void, until it comes up; there are never more void entries than living ones for long.
"""

import heapq
import itertools
from collections.abc import Callable

from longstop.domain.match import MatchPriority

_VOID_MIN = 64


class Entry:
    """One place on the agenda."""

    __slots__ = ("due", "is_void", "key", "number", "priority", "source")

    def __init__(self, key: str, source: str, priority: MatchPriority, due: float, number: int) -> None:
        self.key = key
        self.source = source
        self.priority = priority
        self.due = due
        self.number = number
        self.is_void = False


class Agenda:
    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._later: list[tuple[float, int, Entry]] = []
        self._ready: dict[str, list[tuple[int, float, int, Entry]]] = {}
        self._numbers = itertools.count()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def put(self, key: str, source: str, priority: MatchPriority, due: float) -> None:
        """Who is there already is moved."""
        self.drop(key)
        entry = Entry(key, source, priority, due, next(self._numbers))
        self._entries[key] = entry
        heapq.heappush(self._later, (due, entry.number, entry))

    def drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            entry.is_void = True
            self._sweep()

    def next_due(self) -> float | None:
        """When the next one becomes due who is not due yet."""
        while self._later and self._later[0][2].is_void:
            heapq.heappop(self._later)
        return self._later[0][0] if self._later else None

    def take(self, now: float, may_start: Callable[[str], bool]) -> Entry | None:
        """The most urgent one who is due and whose source may take another."""
        self._ripen(now)
        heads = [heap[0] for source, heap in self._ready.items() if self._is_waiting(heap) and may_start(source)]
        if not heads:
            return None
        entry = min(heads)[3]
        heapq.heappop(self._ready[entry.source])
        del self._entries[entry.key]
        return entry

    def waiting(self, now: float) -> dict[MatchPriority, int]:
        """How many are due and not taken, by class."""
        counts = dict.fromkeys(MatchPriority, 0)
        for entry in self._entries.values():
            if entry.due <= now:
                counts[entry.priority] += 1
        return counts

    def oldest_wait_seconds(self, now: float) -> float:
        return max((now - entry.due for entry in self._entries.values() if entry.due <= now), default=0.0)

    def _ripen(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            entry = heapq.heappop(self._later)[2]
            if not entry.is_void:
                heap = self._ready.setdefault(entry.source, [])
                heapq.heappush(heap, (entry.priority.value, entry.due, entry.number, entry))

    @staticmethod
    def _is_waiting(heap: list[tuple[int, float, int, Entry]]) -> bool:
        while heap and heap[0][3].is_void:
            heapq.heappop(heap)
        return bool(heap)

    def _sweep(self) -> None:
        """Void entries are few as a rule; where many were moved, they are thrown out at once."""
        if len(self._later) > 2 * len(self._entries) + _VOID_MIN:
            self._later = [item for item in self._later if not item[2].is_void]
            heapq.heapify(self._later)
