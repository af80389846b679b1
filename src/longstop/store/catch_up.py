"""Brings what has waited to the database, the oldest first and many records in one transaction.

A crash at any moment only means that some of it is brought again, which changes nothing. What the database refuses for
ever is set aside, so that it does not hold up what lies behind it; but a database that refuses everything is not fit,
and then all of it stays where it is.
"""

from collections.abc import Callable, Sequence

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import RecordRefusedError, StoreClosedError, StoreError, WritingOverError
from longstop.store.backlog import is_empty, merged, unpacked
from longstop.store.buffer import Buffer
from longstop.store.contract import Store, WriteBatch
from longstop.store.deadline import within
from longstop.store.spool_desk import SpoolDesk
from longstop.store.spool_frames import Frame

SetAside = Callable[[int, StoreError], None]
Dropped = Callable[[int, str], None]


class CatchUpLimits(msgspec.Struct, frozen=True):
    """So little at once that the loop, on which rows are made of it, is busy for some milliseconds only; and so much
    that one sync is worth it."""

    records: int = 64
    bytes: int = 2**18
    save_seconds: float = 30.0


class CatchUp:
    """`set_aside` and `dropped` are told what was not brought."""

    def __init__(
        self, inner: Store, desk: SpoolDesk, buffer: Buffer, clock: Clock, set_aside: SetAside, dropped: Dropped
    ) -> None:
        self._inner = inner
        self._desk = desk
        self._buffer = buffer
        self._clock = clock
        self._set_aside = set_aside
        self._dropped = dropped
        self._limits = CatchUpLimits()

    async def bring(self) -> int:
        """Until nothing waits. How many records were brought; raises what the database raised when it would not."""
        brought = 0
        while self._desk.waiting:
            frames = await self._desk.read(self._limits.records, self._limits.bytes)
            brought += await self._bring(frames) if frames else 0
        while self._buffer:
            await self._bring_buffered()
        return brought

    async def _bring(self, frames: Sequence[Frame]) -> int:
        try:
            await self._write(frames)
        except (WritingOverError, StoreClosedError):
            raise
        except StoreError as error:
            if error.heals:
                raise
            return await self._bring_singly(frames)
        await self._desk.release(frames[-1])
        return len(frames)

    async def _bring_singly(self, frames: Sequence[Frame]) -> int:
        """One of them is refused, so each goes alone. Whether the record or the database is at fault is told by
        whether any other of them is taken."""
        errors: list[StoreError | None] = []
        trouble: StoreError | None = None
        for frame in frames:
            try:
                await self._write((frame,))
                errors.append(None)
            except StoreError as error:
                if error.heals or isinstance(error, StoreClosedError):
                    trouble = error
                    break
                errors.append(error)
        brought = await self._settle(frames, errors)
        doubt = trouble or next((error for error in errors[brought:] if error is not None), None)
        if doubt is not None:
            raise doubt
        return brought

    async def _settle(self, frames: Sequence[Frame], errors: Sequence[StoreError | None]) -> int:
        """Releases in order, as far as the fate of each is known."""
        is_fit = any(error is None for error in errors)
        for number, (frame, error) in enumerate(zip(frames, errors, strict=False)):
            if error is None:
                await self._desk.release(frame)
            elif is_fit or isinstance(error, RecordRefusedError):
                await self._desk.set_aside(frame)
                self._set_aside(frame.sequence, error)
            else:
                return number
        return len(errors)

    async def _bring_buffered(self) -> None:
        taken = self._buffer.take(self._limits.records)
        is_brought = False
        try:
            await self._save(merged([each.batch for each in taken]))
            is_brought = True
        except RecordRefusedError:
            is_brought = True
            await self._bring_each([each.batch for each in taken])
        finally:
            if not is_brought:
                self._tell_dropped(self._buffer.put_back(taken), "no room")

    async def _bring_each(self, batches: Sequence[WriteBatch]) -> None:
        """Nothing of this is critical, so what is refused goes."""
        for batch in batches:
            try:
                await self._save(batch)
            except RecordRefusedError as error:
                self._tell_dropped(1, error.message)

    def _tell_dropped(self, items: int, reason: str) -> None:
        if items:
            self._dropped(items, reason)

    async def _write(self, frames: Sequence[Frame]) -> None:
        """Raw payloads first, as when they came: what was derived from them must not be there without them."""
        size = sum(len(frame.payload) for frame in frames)
        records = await self._desk.aside(size, lambda: [unpacked(frame.payload) for frame in frames])
        captures = [capture for _, several in records for capture in several]
        if captures:
            await within(self._clock, self._limits.save_seconds, self._inner.keep(captures))
        await self._save(merged([batch for batch, _ in records]))

    async def _save(self, batch: WriteBatch) -> None:
        if not is_empty(batch):
            await within(self._clock, self._limits.save_seconds, self._inner.save(batch))
