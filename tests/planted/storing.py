"""Bugs of the spool, the durable store, and the way from one to the database."""

import asyncio
from typing import Any, cast

import msgspec
import pytest

from longstop.domain.errors import RecordRefusedError, SpoolFullError, StoreError
from longstop.store import durable, spool, spool_frames
from longstop.store.catch_up import CatchUp
from longstop.store.contract import WriteBatch
from longstop.store.deadline import within
from longstop.store.durable import DurableStore
from longstop.store.spool import Spool
from longstop.store.spool_recovery import Recovery
from longstop.store.spool_segments import Segment
from tests.planted.planting import Bed

replace = msgspec.structs.replace
bug = Bed()


class _Unsynced:
    """A file whose sync does nothing."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def fsync(self) -> None: ...

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Obstinate(_Unsynced):
    """Syncs again when a sync has failed, and believes the second answer."""

    def fsync(self) -> None:
        try:
            self._file.fsync()
        except OSError:
            self._file.fsync()


def _with_files(patch: pytest.MonkeyPatch, kind: type[_Unsynced]) -> None:
    whole: Any = Segment.file
    patch.setattr(Segment, "file", property(lambda self: kind(whole.fget(self))))


@bug("acknowledge before sync")
def _(patch: pytest.MonkeyPatch) -> None:
    _with_files(patch, _Unsynced)


@bug("retry of a failed sync")
def _(patch: pytest.MonkeyPatch) -> None:
    _with_files(patch, _Obstinate)


@bug("no replay at start")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(spool, "recover", lambda *_: Recovery())


@bug("the name of a new segment is not synced")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = Spool.append

    def append(self: Spool, *given: Any) -> int:
        disk, self._disk = self._disk, cast(Any, _NoFolders(self._disk))
        try:
            return whole(self, *given)
        finally:
            self._disk = disk

    patch.setattr(Spool, "append", append)


class _NoFolders(_Unsynced):
    def fsync_folder(self, _: Any) -> None: ...


@bug("released before it was brought")
def _(patch: pytest.MonkeyPatch) -> None:
    async def bring(self: CatchUp, frames: Any) -> int:
        await self._desk.release(frames[-1])
        await self._write(frames)
        return len(frames)

    patch.setattr(CatchUp, "_bring", bring)


@bug("a record is brought without its checksum")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = spool_frames._frame_at

    def frame_at(data: bytes, start: int, after: int) -> Any:
        found = whole(data, start, after)
        if found is not None or len(data) - start < spool_frames.HEADER_BYTES:
            return found
        magic, _, _, _, length, sequence, millis = spool_frames._HEAD.unpack_from(data, start)
        begin = start + spool_frames.HEADER_BYTES
        if magic != spool_frames.MAGIC or begin + length > len(data) or sequence <= after:
            return None
        return spool_frames.Frame(sequence, millis, data[begin : begin + length], start, begin + length)

    patch.setattr(spool_frames, "_frame_at", frame_at)


@bug("what waits is overtaken")
def _(patch: pytest.MonkeyPatch) -> None:
    async def is_taken(self: DurableStore, write: Any) -> bool:
        try:
            await within(self._clock, self._options.save_seconds, write())
        except RecordRefusedError:
            raise
        except StoreError as error:
            self._note_lost(error)
            return False
        return True

    patch.setattr(DurableStore, "_is_taken", is_taken)


@bug("critical rows wait in memory only")
def _(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(durable, "divided", lambda batch: (WriteBatch(), batch))


@bug("a full spool acknowledges")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = DurableStore._spool

    async def put(self: DurableStore, payload: bytes) -> None:
        try:
            await whole(self, payload)
        except SpoolFullError:
            return

    patch.setattr(DurableStore, "_spool", put)


@bug("unknown commit taken as failed with new key")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = DurableStore._put_by

    async def put_by(self: DurableStore, batch: WriteBatch) -> None:
        again = tuple(replace(each, seq=each.seq + len(batch.events)) for each in batch.events)
        await whole(self, replace(batch, events=again))

    patch.setattr(DurableStore, "_put_by", put_by)


@bug("cursor apart from events")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = DurableStore.save

    async def save(self: DurableStore, batch: WriteBatch) -> None:
        await whole(self, replace(batch, events=()))
        await whole(self, WriteBatch(events=batch.events))

    patch.setattr(DurableStore, "save", save)


@bug("ledgers are read while older rows wait")
def _(patch: pytest.MonkeyPatch) -> None:
    async def catch_up(_: DurableStore) -> None: ...

    patch.setattr(DurableStore, "_catch_up", catch_up)


@bug("a write that was given up is acknowledged")
def _(patch: pytest.MonkeyPatch) -> None:
    async def waits(clock: Any, seconds: float, call: Any) -> None:
        try:
            await within(clock, seconds, call)
        except StoreError as error:
            if "did not answer" not in str(error):
                raise

    patch.setattr(durable, "within", waits)


@bug("swallowed cancellation")
def _(patch: pytest.MonkeyPatch) -> None:
    whole = DurableStore.save

    async def save(self: DurableStore, batch: WriteBatch) -> None:
        try:
            await whole(self, batch)
        except asyncio.CancelledError:
            return

    patch.setattr(DurableStore, "save", save)
