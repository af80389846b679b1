"""From a store to one that acknowledges although its database is away."""

from pathlib import Path

import msgspec

from longstop.clock import Clock
from longstop.store.buffer import Buffer, BufferLimits
from longstop.store.contract import Store
from longstop.store.disk import Disk, OsDisk
from longstop.store.durable import DurableOptions, DurableStore
from longstop.store.spool import Spool, SpoolLimits
from longstop.store.spool_desk import DeskOptions, SpoolDesk


class DurabilityLimits(msgspec.Struct, frozen=True):
    spool: SpoolLimits = SpoolLimits()
    buffer: BufferLimits = BufferLimits()
    desk: DeskOptions = DeskOptions()
    durable: DurableOptions = DurableOptions()


def durably(
    inner: Store, folder: Path, clock: Clock, limits: DurabilityLimits = DurabilityLimits(), disk: Disk | None = None
) -> DurableStore:
    """`folder` is the spool's own."""
    desk = SpoolDesk(Spool(folder, disk or OsDisk(), limits.spool), clock, limits.desk)
    return DurableStore(inner, desk, Buffer(limits.buffer), clock, options=limits.durable)
