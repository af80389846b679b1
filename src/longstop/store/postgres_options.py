"""How PostgreSQL is used. Apart from the store itself, so that settings need no driver."""

from dataclasses import dataclass

from longstop.domain.errors import StoreError
from longstop.domain.extras import installing


@dataclass(frozen=True)
class PostgresOptions:
    """The pool: so many kept, so many at most, how long one waits for a connection, and how old one may grow.

    `has_place`: an instance, of which there is one at a time; commands write beside it."""

    auto_upgrade: bool = False
    has_place: bool = False
    pool_idle: int = 5
    pool_max: int = 20
    pool_wait_seconds: float = 30.0
    idle_seconds: float = 600.0
    life_seconds: float = 1800.0
    connect_seconds: float = 10.0
    statement_seconds: float = 15.0
    save_seconds: float = 30.0
    read_seconds: float = 10.0
    close_seconds: float = 30.0


def driver_missing() -> StoreError:
    return StoreError(
        "PostgreSQL needs a driver that is not installed.",
        hint=f"Run {installing('postgres')}.",
    )
