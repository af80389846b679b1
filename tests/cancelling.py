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

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._work.__await__()
        error: BaseException | None = None
        while True:
            try:
                waited = inner.send(None) if error is None else inner.throw(error)
            except StopIteration as ended:
                return ended.value
            self.awaits += 1
            if self.awaits == self._nth:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            try:
                yield waited
                error = None
            except BaseException as thrown:  # noqa: BLE001 - handed on to whom it is meant for
                error = thrown


async def finished(work: CancelledAt) -> asyncio.Task[Any]:
    """The task that did it, ended one way or the other."""

    async def whole() -> Any:
        return await work

    task = asyncio.create_task(whole())
    await asyncio.wait([task])
    return task
