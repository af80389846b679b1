"""The spool on a file system that is really full."""

from pathlib import Path

import pytest

from longstop.domain.errors import SpoolFullError
from longstop.store.spool import Spool, SpoolLimits
from tests.contract.store.full_disk import OptimisticDisk, can_mount, small_disk

LIMITS = SpoolLimits(segment_bytes=64_000, reserve_bytes=0)
RECORD = 3_000


def payload(number: int) -> bytes:
    return f"{number}:".encode().ljust(RECORD, b"x")


def filled(spool: Spool, first: int) -> int:
    """The first number that was refused."""
    for number in range(first, first + 1000):
        try:
            spool.append([payload(number)], 1000)
        except SpoolFullError:
            return number
    raise AssertionError("the disk was never full")


@pytest.mark.req("B7", "B9")
def test_a_disk_that_is_really_full_loses_nothing_and_serves_again_when_there_is_room(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("only root may mount a small disk")
    with small_disk(tmp_path, "512k") as disk:
        spool = Spool(disk / "spool", OptimisticDisk(), LIMITS)
        spool.open()
        last = filled(spool, 0)
        assert last > 100
        assert filled(spool, last) == last, "and it stays refused, without harm"
        spool.close()

        again = Spool(disk / "spool", OptimisticDisk(), LIMITS)
        recovery = again.open()
        assert (recovery.records, recovery.damaged, recovery.torn_bytes) == (last, 0, 0)
        found = 0
        while found < last - 20:
            frames = again.read(7, 10**6)
            assert [frame.payload for frame in frames] == [payload(found + ahead) for ahead in range(len(frames))]
            again.release(frames[-1])
            found += len(frames)
        assert filled(again, last) > last + 20
        again.close()
