"""Lives of a spool on a simulated disk, and what must hold of what the next one finds."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longstop.domain.errors import LongstopError
from longstop.store.spool import Spool, SpoolLimits
from longstop.store.spool_frames import Frame, scan
from longstop.store.spool_recovery import Recovery
from longstop_origin.storm.disk import DiedError, Faults, SimulatedDisk

FOLDER = Path("spool")
LIMITS = SpoolLimits(max_bytes=10**6, segment_bytes=2_000, reserve_bytes=0)


@dataclass
class Account:
    """What was handed in, what was acknowledged, and what was released again."""

    given: list[bytes] = field(default_factory=list)
    acknowledged: list[bytes] = field(default_factory=list)
    released: list[bytes] = field(default_factory=list)

    @property
    def owed(self) -> list[bytes]:
        return self.acknowledged[len(self.released) :]


def payloads(start: int, count: int, size: int) -> list[bytes]:
    return [f"{number}:".encode().ljust(size, b"x") for number in range(start, start + count)]


def live(disk: SimulatedDisk, account: Account, steps: Sequence[tuple[str, int]]) -> None:
    """Steps are ("append", bytes each) in groups of three, and ("drain", records). Ends at a fault."""
    spool = Spool(FOLDER, disk, LIMITS)
    spool.open()
    for word, number in steps:
        if word == "append":
            group = payloads(len(account.given), 3, number)
            account.given += group
            spool.append(group, 1000)
            account.acknowledged += group
        else:
            frames = spool.read(number, 10**6)
            if frames:
                # Durable elsewhere from here on, whatever becomes of the release.
                account.released += [frame.payload for frame in frames]
                spool.release(frames[-1])
    spool.close()


def lived(disk: SimulatedDisk, account: Account, steps: Sequence[tuple[str, int]]) -> bool:
    try:
        live(disk, account, steps)
    except (DiedError, LongstopError):
        return False
    return True


def everything_in(disk: SimulatedDisk) -> tuple[Recovery, list[bytes]]:
    spool = Spool(FOLDER, disk, LIMITS)
    recovery = spool.open()
    found = []
    while frames := spool.read(2, 10**6):
        found += [frame.payload for frame in frames]
        spool.release(frames[-1])
    assert spool.usage.records == 0
    assert spool.usage.segments == 0
    spool.close()
    return recovery, found


def opened(disk: SimulatedDisk) -> Recovery:
    spool = Spool(FOLDER, disk, LIMITS)
    recovery = spool.open()
    spool.close()
    return recovery


def recovered(disk: SimulatedDisk) -> list[bytes]:
    """Shown, and left where it is."""
    recovery = opened(disk)
    return [
        found.payload
        for segment in recovery.segments
        for found in scan(disk.read(segment.path))
        if isinstance(found, Frame)
    ]


def operations_of(steps: Sequence[tuple[str, int]]) -> int:
    disk = SimulatedDisk(random.Random(0))
    assert lived(disk, Account(), steps)
    return disk.operations


def faults_dying_at(number: int) -> Faults:
    return Faults(die_at=number)
