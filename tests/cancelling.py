"""Cancels a coroutine at the await that is told, as the loop would."""

import asyncio
from collections.abc import Awaitable, Generator
from typing import Any


class CancelledAt:
    """Counts the awaits that really wait, and cancels the task at the nth."""

    def __init__(self, work: Awaitable[Any], nth: int) -> None:
        self._work = work
        self._nth = nth
        self.awaits = 0

    @property
    def is_reached(self) -> bool:
        return self.awaits >= self._nth

    def __await__(self) -> "_Steps":
        return _Steps(self, self._work.__await__())

    def count(self) -> None:
        self.awaits += 1
        task = asyncio.current_task()
        if self.awaits == self._nth and task is not None:
            task.cancel()


class _Steps(Generator[Any, Any, Any]):
    """Each step of the work, and word of each that ends in waiting."""

    def __init__(self, told: CancelledAt, inner: Any) -> None:
        self._told = told
        self._inner = inner

    def send(self, value: Any) -> Any:
        waited = self._inner.send(value)
        self._told.count()
        return waited

    def throw(self, *error: Any) -> Any:
        waited = self._inner.throw(*error)
        self._told.count()
        return waited


async def finished(work: CancelledAt) -> asyncio.Task[Any]:
    """The task that did it, ended one way or the other."""

    async def whole() -> Any:
        return await work

    task = asyncio.create_task(whole())
    await asyncio.wait([task])
    return task
