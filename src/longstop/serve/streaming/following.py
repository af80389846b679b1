"""Follows a line from its cursor: everything that was, a mark when that has been told, and then what happens.

Nothing is queued for a reader. He is given what follows his cursor as fast as he takes it, from memory or from the
ledger, so a slow one costs nothing; one who takes too long is cut all the same, with the reason and the cursor from
which he may go on.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from enum import StrEnum

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import StoreError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.problems import TOO_MANY_STREAMS, ApiError
from longstop.serve.streaming import frames
from longstop.serve.streaming.lines import Item, Line
from longstop.serve.streaming.newest import Listener, Newest
from longstop.serve.streaming.readers import SOMEBODY, Readers


class Cut(StrEnum):
    """Why a stream ended, when it was us who ended it."""

    TOO_SLOW = "too slow"
    STOPPING = "stopping"
    SHUT_OUT = "the token is not good any more"
    NO_ROOM = "too many streams are open"


class StreamLimits(msgspec.Struct, frozen=True):
    """`patience_seconds` is how long a reader may take for one piece of what he is given."""

    streams_max: int = 500
    max_per_consumer: int = 50
    heartbeat_seconds: float = 10.0
    patience_seconds: float = 15.0


class Streams:
    """Every stream that is open. `close` ends them all, each with a word."""

    def __init__(self, clock: Clock, bus: Signals, limits: StreamLimits = StreamLimits()) -> None:
        self.newest = Newest(bus)
        self.limits = limits
        self.readers = Readers(limits.streams_max, limits.max_per_consumer)
        self._clock = clock
        self._bus = bus
        self._is_closed = False

    @property
    def count(self) -> int:
        return self.readers.count

    def require_room(self, reader: str = SOMEBODY) -> None:
        if self._is_closed:
            raise ApiError(TOO_MANY_STREAMS, "No more streams are served: we are stopping.")
        self.readers.require_room(reader)

    def close(self) -> None:
        self._is_closed = True
        self.newest.wake_all()

    async def follow(
        self, line: Line, is_let_in: Callable[[], bool] = lambda: True, reader: str = SOMEBODY
    ) -> AsyncIterator[bytes]:
        """Ends when the reader would not be let in again."""
        ending = Ending(self._clock.monotonic())
        try:
            with self.readers.reading(reader) as has_place, self.newest.listening(line.match_id) as listener:
                if not has_place:
                    ending.reason = Cut.NO_ROOM
                    yield frames.note("closing", {"reason": ending.reason, "after": line.cursor})
                    return
                async for piece in self._pieces(line, listener, is_let_in):
                    handed_at = self._clock.monotonic()
                    yield piece
                    if self._clock.monotonic() - handed_at > self.limits.patience_seconds:
                        ending.reason = Cut.TOO_SLOW
                        break
                ending.reason = self._cut(line, is_let_in) or ending.reason
                yield frames.note("closing", {"reason": ending.reason, "after": line.cursor})
        finally:
            self._tell(line, ending)

    def _cut(self, line: Line, is_let_in: Callable[[], bool]) -> Cut | None:
        if self._is_closed:
            return Cut.STOPPING
        if not is_let_in():
            return Cut.SHUT_OUT
        return Cut.TOO_SLOW if line.has_lost_touch else None

    async def _pieces(self, line: Line, listener: Listener, is_let_in: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Ends when we stop, or the reader is shut out, or when the reader has fallen too far behind."""
        yield frames.opening()
        has_caught_up, said_at = False, self._clock.monotonic()
        while not self._is_closed and is_let_in():
            listener.news.clear()
            items, is_delayed = await _read(line)
            if items:
                yield b"".join(frames.fact(item.cursor, item.told) for item in items)
                if has_caught_up and line.has_lost_touch:
                    return
            elif not has_caught_up and not is_delayed:
                has_caught_up = True
                yield frames.note("caught_up", await line.pulse() | {"after": line.cursor}, line.cursor)
            elif self._clock.monotonic() - said_at >= self.limits.heartbeat_seconds:
                name = "delayed" if is_delayed else "heartbeat"
                yield frames.note(name, await line.pulse() | {"after": line.cursor})
            else:
                await self._wait(listener, min(line.look_again_seconds, self.limits.heartbeat_seconds))
                continue
            said_at = self._clock.monotonic()

    async def _wait(self, listener: Listener, seconds: float) -> None:
        try:
            async with self._clock.timeout(seconds):
                await listener.news.wait()
        except TimeoutError:
            return

    def _tell(self, line: Line, ending: "Ending") -> None:
        self._bus.emit(
            signals.StreamEnded(
                at=self._clock.now(),
                subject=line.subject,
                reason=ending.reason,
                duration_seconds=self._clock.monotonic() - ending.began_at,
            )
        )


class Ending(msgspec.Struct):
    began_at: float
    reason: str = "the reader left"


async def _read(line: Line) -> tuple[Sequence[Item], bool]:
    """And whether the ledger cannot be read just now."""
    try:
        return await line.read(), False
    except (StoreError, TimeoutError):
        return (), True
