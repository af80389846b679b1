"""The queue in memory for what may be lost at worst: bounded in items and bytes, the oldest go first."""

from collections import deque
from collections.abc import Sequence

import msgspec

from longstop.store.backlog import size_of
from longstop.store.contract import WriteBatch


class BufferLimits(msgspec.Struct, frozen=True):
    items: int = 1000
    bytes: int = 10 * 2**20


class Buffered(msgspec.Struct, frozen=True):
    batch: WriteBatch
    size: int


class Buffer:
    def __init__(self, limits: BufferLimits = BufferLimits()) -> None:
        self._limits = limits
        self._waiting: deque[Buffered] = deque()
        self.bytes = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, batch: WriteBatch) -> int:
        """How many had to go for it; one that is larger than the whole buffer goes itself."""
        added = Buffered(batch, size_of(batch))
        self._waiting.append(added)
        self.bytes += added.size
        return self._shrink()

    def take(self, items_max: int) -> list[Buffered]:
        taken = [self._waiting.popleft() for _ in range(min(items_max, len(self._waiting)))]
        self.bytes -= sum(each.size for each in taken)
        return taken

    def put_back(self, taken: Sequence[Buffered]) -> int:
        """They are the oldest still. How many did not fit any more."""
        self._waiting.extendleft(reversed(taken))
        self.bytes += sum(each.size for each in taken)
        return self._shrink()

    def _shrink(self) -> int:
        gone = 0
        while len(self._waiting) > self._limits.items or self.bytes > self._limits.bytes:
            self.bytes -= self._waiting.popleft().size
            gone += 1
        self.dropped += gone
        return gone
