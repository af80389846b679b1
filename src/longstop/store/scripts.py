"""A transaction told once for every database: a generator that yields what is asked or done and is sent the rows.

What it raises undoes all of it. It may be told from the beginning again, so it depends on nothing but its arguments.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from longstop.store.cells import Moments, Row

T = TypeVar("T")

Statement = tuple[Any, Mapping[str, Any]]
Script = Generator[Statement, Sequence[Row], T]


class Tongue(msgspec.Struct, frozen=True):
    """How this database writes and reads a time."""

    moment: Moments
    time_of: Moments


Scripted = Callable[[Tongue], Script[T]]


class Transacting(Protocol):
    async def transact(self, scripted: Scripted[T]) -> T:
        """Durable when it returns. When it raises a StoreError, it may have been done or not."""
        ...

    async def look(self, scripted: Scripted[T]) -> T:
        """The same for a script that only asks: beside whoever writes, and all from one moment."""
        ...


class StoreScripts(ABC):
    _write_moment: Moments
    _read_moment: Moments

    async def transact(self, scripted: Scripted[T]) -> T:
        tongue = Tongue(self._write_moment, self._read_moment)
        return await self._run(lambda: scripted(tongue))

    async def look(self, scripted: Scripted[T]) -> T:
        tongue = Tongue(self._write_moment, self._read_moment)
        return await self._run_reading(lambda: scripted(tongue))

    @abstractmethod
    async def _run(self, make: Callable[[], Script[T]]) -> T:
        """In one transaction, alone with the rows that it locks."""

    @abstractmethod
    async def _run_reading(self, make: Callable[[], Script[T]]) -> T:
        """From one snapshot; nothing is written."""
