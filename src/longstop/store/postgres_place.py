"""The place of an instance at a PostgreSQL database: one at a time, as with the lock of an SQLite file.

A lock that a session of its own holds keeps others out; the server drops it with the session, however that ends. A
process that is frozen keeps its session. Should the server end it all the same, another one may take the place, and
with it the next epoch: then the first finds its session gone and the epoch raised, and writes nothing more.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any, Final

from longstop.clock import Clock
from longstop.domain.errors import PlaceLostError, StoreError, StoreUnavailableError
from longstop.store.address import PostgresAddress

_LOCK: Final = 0x10_46_57_0D
_TRY: Final = f"SELECT pg_try_advisory_lock({_LOCK})"
# Not `nextval`: that is written down some numbers ahead, so a crash of the server would raise the epoch by itself.
_NEXT: Final = "SELECT setval('longstop_epoch', last_value + 1) FROM longstop_epoch"
_LAST: Final = "SELECT last_value FROM longstop_epoch"
_HOLDER: Final = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND objid = $1::bigint::oid
"""
# A machine that is gone without a word is noticed; one that is frozen still answers.
_KEEP_ALIVE: Final = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
# The server may need a moment to see that a process has been killed.
_PATIENCE_SECONDS: Final = 3.0
_STEP_SECONDS: Final = 0.1


class PostgresPlace:
    def __init__(self, connect: Callable[[], Awaitable[Any]], address: PostgresAddress, clock: Clock) -> None:
        self._connect = connect
        self._address = address
        self._clock = clock
        self._connection: Any = None
        self._epoch: int | None = None
        self._lost: PlaceLostError | None = None
        self._alone = asyncio.Lock()

    @property
    def is_held(self) -> bool:
        return self._connection is not None and not self._connection.is_closed()

    async def require(self) -> None:
        """Before a write, and once more before it is committed."""
        if self._lost is not None:
            raise self._lost
        if self.is_held:
            return
        async with self._alone:
            if not self.is_held:
                await self._take()

    async def _take(self) -> None:
        connection = await self._connect()
        with ExitStack() as undo:
            undo.callback(connection.terminate)
            await connection.execute(_KEEP_ALIVE)
            is_ours = await self._is_locked(connection)
            await self._require_epoch(connection)
            await self._require_lock(connection, is_ours)
            undo.pop_all()
        self._connection = connection

    async def _is_locked(self, connection: Any) -> bool:
        until = self._clock.monotonic() + _PATIENCE_SECONDS
        while not await connection.fetchval(_TRY):
            if self._clock.monotonic() >= until:
                return False
            await self._clock.sleep(_STEP_SECONDS)
        return True

    async def _require_epoch(self, connection: Any) -> None:
        now = None if self._epoch is None else await connection.fetchval(_LAST)
        if now != self._epoch:
            said = f"Another Longstop has taken over {self._address}: its epoch is {now}, ours was {self._epoch}."
            self._lost = PlaceLostError(said)
            raise self._lost

    async def _require_lock(self, connection: Any, is_ours: bool) -> None:
        """While the epoch is ours, it is our own session of before that the server still believes in."""
        if is_ours:
            self._epoch = self._epoch or await connection.fetchval(_NEXT)
        elif self._epoch is not None:
            raise StoreUnavailableError(f"{self._address} has not noticed yet that our session before is gone.")
        else:
            holder = await connection.fetchval(_HOLDER, _LOCK)
            raise StoreError(
                f"{self._address} is in use by another Longstop (session {holder or 'unknown'}).",
                hint="Stop that one first, or give this one its own database.",
            )

    async def leave(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()
