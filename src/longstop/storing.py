"""Which store the settings ask for, and the spool before it."""

import os

from longstop.clock import Clock
from longstop.settings import Settings
from longstop.store.buffer import BufferLimits
from longstop.store.contract import Store
from longstop.store.durable import LEVELS_PERCENT, DurableOptions
from longstop.store.durably import DurabilityLimits, durably
from longstop.store.open import StoreOptions, open_store
from longstop.store.postgres_options import PostgresOptions
from longstop.store.spool import SpoolLimits
from longstop.store.sqlite import SqliteStore
from longstop.store.sqlite_file import remove_unused

MIB = 2**20


def store_for(settings: Settings, clock: Clock) -> Store:
    options = StoreOptions(postgres=PostgresOptions(has_place=True))
    inner = open_store(settings.database.url.get_secret_value(), clock=clock, options=options)
    return durably(inner, settings.storage.root / "spool", clock, durability_limits(settings))


def durability_limits(settings: Settings) -> DurabilityLimits:
    spool, queue = settings.storage.spool, settings.scraper.resources.queue
    levels = sorted({spool.alarm_percent, *LEVELS_PERCENT[1:]})
    return DurabilityLimits(
        spool=SpoolLimits(max_bytes=spool.max_size_mb * MIB, segment_bytes=spool.segment_size_mb * MIB),
        buffer=BufferLimits(items=queue.max_size, bytes=queue.max_size_mb * MIB),
        durable=DurableOptions(levels_percent=tuple(levels)),
    )


def simulated_store(settings: Settings, clock: Clock) -> Store:
    """A simulated world is new at each start, so its record is too, unless somebody chose a database for it."""
    usual = f"sqlite:///{settings.storage.root / 'longstop.db'}"
    if settings.database.url.get_secret_value() != usual:
        return store_for(settings, clock)
    folder = settings.storage.root / "simulated"
    remove_unused(folder)
    name = f"{clock.now():%Y%m%d-%H%M%S}-{os.getpid()}"
    inner = SqliteStore(folder / f"{name}.db", clock=clock)
    return durably(inner, folder / f"{name}.spool", clock, durability_limits(settings))
