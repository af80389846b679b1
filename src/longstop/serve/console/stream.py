"""The board as server-sent events: a frame a second, from where the page stopped when its connection broke.

A page that reads slowly gets fewer frames, each with all that changed since its last: nothing piles up here. A stream
ends after some minutes and is taken up again by the page, so that whoever may no longer look does not look for ever.
"""

from collections.abc import AsyncGenerator, Callable
from typing import Final

import msgspec

from longstop.serve.console.board import Frame, OpsBoard
from longstop.serve.console.bookmarks import Bookmark, bookmark_of
from longstop.serve.problems import TOO_MANY_PAGES
from longstop.serve.reading import ReadModel
from longstop.serve.streaming.frames import opening
from longstop.serve.streaming.readers import SOMEBODY, Readers

FRAME_SECONDS: Final = 1.0
LIFE_SECONDS: Final = 600.0
STREAMS_MAX: Final = 32
STREAMS_MAX_EACH: Final = 8


class Streams:
    """As many as we can serve; the page of whoever finds no place asks once a second instead."""

    def __init__(
        self,
        ops: OpsBoard,
        model: ReadModel,
        streams_max: int = STREAMS_MAX,
        streams_max_each: int = STREAMS_MAX_EACH,
    ) -> None:
        self._ops = ops
        self._model = model
        self._readers = Readers(streams_max, streams_max_each, TOO_MANY_PAGES)

    @property
    def open(self) -> int:
        return self._readers.count

    def stream(
        self, after: Bookmark, is_let_in: Callable[[], bool] = lambda: True, reader: str = SOMEBODY
    ) -> AsyncGenerator[bytes, None]:
        """`is_let_in`: whether whoever reads it may still do so; asked before each frame."""
        self._readers.require_room(reader)
        return self._frames(after, is_let_in, reader)

    async def _frames(self, after: Bookmark, is_let_in: Callable[[], bool], reader: str) -> AsyncGenerator[bytes, None]:
        """Without a place it ends at once, and the page asks again: then there is an answer that says why."""
        clock, closing = self._model.clock, self._model.closing
        ends_at = clock.monotonic() + LIFE_SECONDS
        with self._readers.reading(reader) as has_place:
            yield opening()
            while has_place and clock.monotonic() < ends_at and is_let_in():
                frame = await self._ops.frame(after)
                yield event_of(frame)
                after = bookmark_of(frame.bookmark)
                if await closing.pause(clock, FRAME_SECONDS):
                    return


def event_of(frame: Frame) -> bytes:
    """JSON without a line break, so that one line of data holds it."""
    return b"id: %s\nevent: board\ndata: %s\n\n" % (frame.bookmark.encode(), msgspec.json.encode(frame))
