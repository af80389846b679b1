"""Whose turn it is with a match: a scraper's, or that of somebody who was handed a payload of it. Never two at once."""

import asyncio
from weakref import WeakValueDictionary


class Turns:
    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, match_id: str) -> asyncio.Lock:
        """The same one for everybody who holds it; forgotten when nobody does."""
        lock = self._locks.get(match_id)
        if lock is None:
            lock = self._locks[match_id] = asyncio.Lock()
        return lock
