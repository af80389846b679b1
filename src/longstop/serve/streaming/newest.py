"""The newest events in memory, for those who follow: one copy for all of them, and only while somebody does.

Whoever falls further behind than this holds is too slow; the ledger has everything for when he comes again.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from longstop.domain.events import MatchEvent
from longstop.observe import signals
from longstop.observe.signals import Signals

HELD_MAX: Final = 1_024


class Listener:
    """`news` is set when something happened that he follows."""

    def __init__(self) -> None:
        self.news = asyncio.Event()


class _Followed:
    """One match that somebody follows. The events held follow on each other without a hole."""

    def __init__(self, held_max: int) -> None:
        self.listeners: set[Listener] = set()
        self.held: deque[MatchEvent] = deque(maxlen=held_max)

    def hold(self, events: Sequence[MatchEvent]) -> None:
        for event in events:
            if self.held and event.seq <= self.held[-1].seq:
                continue
            if self.held and event.seq != self.held[-1].seq + 1:
                self.held.clear()
            self.held.append(event)

    def after(self, seq: int) -> list[MatchEvent] | None:
        """None when memory does not reach back that far."""
        if not self.held or self.held[0].seq > seq + 1:
            return None
        return [event for event in self.held if event.seq > seq]

    def is_past(self, seq: int) -> bool:
        """What comes next for this cursor was held and is not any more."""
        return bool(self.held) and self.held[0].seq > seq + 1


class Newest:
    def __init__(self, bus: Signals, held_max: int = HELD_MAX) -> None:
        self._held_max = held_max
        self._followed: dict[str, _Followed] = {}
        self._of_all: set[Listener] = set()
        bus.subscribe(signals.FactsStored, self._on_facts)

    @contextmanager
    def listening(self, match_id: str | None = None) -> Iterator[Listener]:
        """To one match, or to all of them."""
        listener = Listener()
        if match_id is None:
            self._of_all.add(listener)
        else:
            self._followed.setdefault(match_id, _Followed(self._held_max)).listeners.add(listener)
        try:
            yield listener
        finally:
            self._leave(listener, match_id)

    def _leave(self, listener: Listener, match_id: str | None) -> None:
        self._of_all.discard(listener)
        followed = self._followed.get(match_id or "")
        if followed is not None:
            followed.listeners.discard(listener)
            if not followed.listeners:
                self._followed.pop(match_id or "")

    def after(self, match_id: str, seq: int) -> list[MatchEvent] | None:
        followed = self._followed.get(match_id)
        return None if followed is None else followed.after(seq)

    def is_past(self, match_id: str, seq: int) -> bool:
        followed = self._followed.get(match_id)
        return followed is not None and followed.is_past(seq)

    def wake_all(self) -> None:
        for followed in self._followed.values():
            _wake(followed.listeners)
        _wake(self._of_all)

    def _on_facts(self, told: signals.FactsStored) -> None:
        if not told.events:
            return
        followed = self._followed.get(told.match_id)
        if followed is not None:
            followed.hold(told.events)
            _wake(followed.listeners)
        _wake(self._of_all)


def _wake(listeners: set[Listener]) -> None:
    for listener in listeners:
        listener.news.set()
