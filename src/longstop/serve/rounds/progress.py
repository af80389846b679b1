"""A job followed by server-sent events: every task at first, then what changes, and a word at the end."""

from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import StoreError
from longstop.jobs.rounds.desk import RoundsDesk
from longstop.serve.problems import TOO_MANY_STREAMS, ApiError
from longstop.serve.rounds.wire import TaskOut, job_out, task_out
from longstop.serve.streaming import frames
from longstop.serve.streaming.readers import SOMEBODY, Readers

FOLLOWERS_MAX: Final = 50
FOLLOWERS_MAX_EACH: Final = 10
LOOK_SECONDS: Final = 0.5
HEARTBEAT_SECONDS: Final = 10.0


class Progress:
    """Every follower there is. Workers may be other processes, so the journal is looked at, and nobody is told."""

    def __init__(self, desk: RoundsDesk, clock: Clock) -> None:
        self._desk = desk
        self._clock = clock
        self._is_closed = False
        self._readers = Readers(FOLLOWERS_MAX, FOLLOWERS_MAX_EACH)

    def require_room(self, reader: str) -> None:
        if self._is_closed:
            raise ApiError(TOO_MANY_STREAMS, "No more streams are served: we are stopping.")
        self._readers.require_room(reader)

    def close(self) -> None:
        self._is_closed = True

    async def follow(self, job_id: str, is_let_in: Callable[[], bool], reader: str = SOMEBODY) -> AsyncIterator[bytes]:
        with self._readers.reading(reader) as has_place:
            yield frames.opening()
            seen: dict[str, TaskOut] = {}
            said_at = self._clock.monotonic()
            while has_place and not self._is_closed and is_let_in():
                pieces, is_over = await self._look(job_id, seen)
                if pieces or self._clock.monotonic() - said_at >= HEARTBEAT_SECONDS:
                    said_at = self._clock.monotonic()
                    yield pieces or frames.note("heartbeat", {"job_id": job_id})
                if is_over:
                    return
                await self._clock.sleep(LOOK_SECONDS)
            yield frames.note("closing", {"reason": "stopping" if has_place else "too many streams", "job_id": job_id})

    async def _look(self, job_id: str, seen: dict[str, TaskOut]) -> tuple[bytes, bool]:
        """What has changed since, as one piece; while the journal cannot be read nothing has."""
        try:
            view = await self._desk.view(job_id)
            tasks = [task_out(task) for task in await self._desk.tasks(job_id)]
        except StoreError:
            return b"", False
        news = [task for task in tasks if seen.get(task.key) != task]
        seen.update({task.key: task for task in news})
        is_over = view.job.state.is_settled
        pieces = [frames.fact(f"{task.key}@{task.updated_at}", msgspec.to_builtins(task)) for task in news]
        if news or is_over:
            pieces.append(frames.note("settled" if is_over else "summary", msgspec.to_builtins(job_out(view))))
        return b"".join(pieces), is_over
