"""A call to the database that nobody waits for longer than agreed. A write that was given up may still hold."""

from collections.abc import Awaitable

from longstop.clock import Clock
from longstop.domain.errors import StoreUnavailableError


async def within(clock: Clock, seconds: float, call: Awaitable[object]) -> None:
    try:
        async with clock.timeout(seconds):
            await call
    except TimeoutError as error:
        raise StoreUnavailableError(f"The database did not answer within {seconds:g} s.") from error
