"""From a URL to a store."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from longstop.clock import Clock
from longstop.store.address import PostgresAddress, parse_address
from longstop.store.contract import Store
from longstop.store.postgres_options import PostgresOptions, driver_missing
from longstop.store.sqlite import SqliteOptions, SqliteStore

if TYPE_CHECKING:
    from longstop.store.postgres import PostgresStore


@dataclass(frozen=True)
class StoreOptions:
    sqlite: SqliteOptions = field(default_factory=SqliteOptions)
    postgres: PostgresOptions = field(default_factory=PostgresOptions)


def open_store(url: str, *, clock: Clock | None = None, options: StoreOptions | None = None) -> Store:
    """Recognises the address and makes the store for it; `await store.open()` then connects."""
    options = options or StoreOptions()
    address = parse_address(url)
    if isinstance(address, PostgresAddress):
        return _postgres(address, clock, options.postgres)
    return SqliteStore(address.path, clock=clock, options=options.sqlite)


def _postgres(address: PostgresAddress, clock: Clock | None, options: PostgresOptions) -> "PostgresStore":
    try:
        from longstop.store.postgres import PostgresStore
    except ImportError as error:
        raise driver_missing() from error
    return PostgresStore(address, clock=clock, options=options)
