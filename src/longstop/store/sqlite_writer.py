"""The thread that writes. Whatever batches wait are written in one transaction, and then all who wait are told.

Nothing here is asyncio: the loop hands batches in and is called back through `call_soon_threadsafe`.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from longstop.domain.errors import LongstopError, StoreClosedError, StoreUnavailableError
from longstop.store.sqlite_session import WriteSession
from longstop.store.writes import Part

Verdict = LongstopError | None
Tell = Callable[[Sequence[tuple["Job", Verdict]]], None]


@dataclass(frozen=True, eq=False)
class Job:
    """A batch on its way. `done` is called in the loop, once, with what became of it."""

    parts: Sequence[Part]
    done: Callable[[Verdict], None]


class WriterThread:
    """Give it jobs until `stop`; it writes what it was given, closes the file and calls `on_end`."""

    def __init__(self, session: WriteSession, tell: Tell, on_end: Callable[[], None], group_max: int) -> None:
        self._session = session
        self._tell = tell
        self._on_end = on_end
        self._group_max = group_max
        self._jobs: deque[Job] = deque()
        self._wake = threading.Condition()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="longstop-sqlite-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def submit(self, job: Job) -> None:
        with self._wake:
            if self._is_stopping:
                raise StoreClosedError("The store is closing.")
            self._jobs.append(job)
            self._wake.notify()

    def stop(self) -> None:
        with self._wake:
            self._is_stopping = True
            self._wake.notify()

    def join(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            while group := self._next_group():
                self._tell(self._write(group))
                self._tidy()
        finally:
            self._end()

    def _next_group(self) -> list[Job]:
        """Waits for work. Nothing means that the end has come and all is written."""
        with self._wake:
            while not self._jobs and not self._is_stopping:
                self._wake.wait()
            return [self._jobs.popleft() for _ in range(min(len(self._jobs), self._group_max))]

    def _write(self, group: Sequence[Job]) -> list[tuple[Job, Verdict]]:
        """One transaction for all. If one batch is refused, each goes alone, so that none suffers for another."""
        verdict = self._try([job.parts for job in group])
        is_shared = verdict is None or len(group) == 1 or isinstance(verdict, StoreUnavailableError)
        if is_shared:
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

    def _end(self) -> None:
        """Also on the way out of a crash: whoever still waits is told."""
        with self._wake:
            self._is_stopping = True
            left, self._jobs = list(self._jobs), deque()
        if left:
            self._tell([(job, StoreUnavailableError("The writer of the database ended.")) for job in left])
        try:
            self._session.close()
        except LongstopError:
            self._session.drop()
        self._on_end()
