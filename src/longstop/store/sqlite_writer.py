"""The thread that writes. Whatever batches wait are written in one transaction, and then all who wait are told.

Everything that touches the writing connection runs here, one after the other: opening, batches, closing. The loop hands
batches in and is called back through `call_soon_threadsafe`.
"""

import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from longstop.domain.errors import LongstopError, StoreClosedError, StoreError, StoreUnavailableError
from longstop.store.scripts import Script
from longstop.store.sqlite_session import WriteSession
from longstop.store.writes import Part

T = TypeVar("T")

Verdict = LongstopError | None


@dataclass(frozen=True, eq=False)
class Job:
    """A batch on its way. `done` is called in the loop, once, with what became of it."""

    parts: Sequence[Part]
    done: Callable[[Verdict], None]


Verdicts = Sequence[tuple[Job, Verdict]]


class Writer:
    """`tell` is called in the thread, with the verdicts on a whole group."""

    def __init__(self, session: WriteSession, tell: Callable[[Verdicts], None], group_max: int) -> None:
        self._session = session
        self._tell = tell
        self._group_max = group_max
        self._jobs: deque[Job] = deque()
        self._guard = threading.Lock()
        self._is_awake = False
        self._is_closing = False
        self._thread = ThreadPoolExecutor(1, "longstop-sqlite-writer")

    def run(self, work: Callable[[], T]) -> "Future[T]":
        """Something else that must be done by this thread, between two groups."""
        with self._guard:
            if self._is_closing:
                raise StoreClosedError("The store is closing.")
            return self._thread.submit(work)

    def submit(self, job: Job) -> None:
        with self._guard:
            if self._is_closing:
                raise StoreClosedError("The store is closing.")
            self._jobs.append(job)
            if not self._is_awake:
                self._is_awake = True
                self._thread.submit(self._write_next)

    def walk(self, steps: Script[T]) -> T:
        """For `run`: called in the thread."""
        try:
            return self._session.walk(steps)
        finally:
            self._tidy()

    def end(self, work: Callable[[], None]) -> "Future[None]":
        """Writes what is left, then does `work`; after that there is no thread."""
        with self._guard:
            self._is_closing = True
            ended = self._thread.submit(self._write_rest, work)
        self._thread.shutdown(wait=False)
        return ended

    def _write_next(self) -> None:
        try:
            self._write(self._next_group())
        finally:
            self._go_on()

    def _go_on(self) -> None:
        with self._guard:
            self._is_awake = bool(self._jobs) and not self._is_closing
            if self._is_awake:
                self._thread.submit(self._write_next)

    def _write_rest(self, work: Callable[[], None]) -> None:
        try:
            while group := self._next_group():
                self._write(group)
        finally:
            work()

    def _next_group(self) -> list[Job]:
        with self._guard:
            return [self._jobs.popleft() for _ in range(min(len(self._jobs), self._group_max))]

    def _write(self, group: Sequence[Job]) -> None:
        """Whatever happens, each of the group is told."""
        verdicts: Verdicts = ()
        try:
            verdicts = self._verdicts(group)
        finally:
            self._tell(verdicts or [(job, _unknown_failure()) for job in group])
        self._tidy()

    def _verdicts(self, group: Sequence[Job]) -> Verdicts:
        """One transaction for all. If one batch is refused, each goes alone, so that none suffers for another."""
        verdict = self._try([job.parts for job in group])
        if verdict is None or len(group) == 1 or isinstance(verdict, StoreUnavailableError):
            return [(job, verdict) for job in group]
        return [(job, self._try([job.parts])) for job in group]

    def _try(self, group: Sequence[Sequence[Part]]) -> Verdict:
        try:
            self._session.write(group)
        except LongstopError as error:
            return error
        return None

    def _tidy(self) -> None:
        try:
            self._session.checkpoint_if_due()
        except LongstopError:
            self._session.drop()  # the next batch meets the fault itself, and its owner is told


def _unknown_failure() -> StoreError:
    """A fault of ours, on its way through: it is handed to those who wait, since nobody else would see it."""
    error = StoreError("The writer failed in a way it does not know.", hint="Please report this with the log.")
    error.__cause__ = sys.exception()
    return error
