"""What is known already, while the database may be away: line-ups are captured and spooled all the same."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from longstop.domain.errors import StoreUnavailableError
from longstop.store.contract import Store

T = TypeVar("T")


async def known_or(otherwise: T, store: Store | None, ask: Callable[[Store], Awaitable[T]]) -> T:
    """Without an answer a capture may be kept twice; that is better than not at all."""
    if store is None:
        return otherwise
    try:
        return await ask(store)
    except StoreUnavailableError:
        return otherwise
