"""What people ask of rounds, and what they see of them: the same for the API, the command line and tests."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import InputError
from longstop.domain.rounds import JobState, RoundJob, RoundMatch, RoundRef, RoundTask, Summary
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.store.rounds.journal import RoundJournal

LETTERS_MAX: Final = 10_000
SEASONS: Final = range(1900, 2201)
ROUNDS: Final = range(1, 201)


class JobView(msgspec.Struct, frozen=True):
    job: RoundJob
    summary: Summary


def _nothing() -> None:
    """Nobody is to be told."""


class RoundsDesk:
    """`on_work` is called when there is something to do: whoever works it off need not wait for his next look."""

    def __init__(
        self, journal: RoundJournal, clock: Clock, bus: Signals, on_work: Callable[[], None] = _nothing
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._bus = bus
        self._on_work = on_work

    async def ask(
        self, ref: RoundRef, *, is_recheck: bool = False, request_key: str = "", requested_by: str = ""
    ) -> tuple[JobView, bool]:
        """The job of this round, and whether it is a new one."""
        now = self._clock.now()
        wanted = RoundJob(
            job_id=str(uuid4()),
            ref=require_round(ref),
            state=JobState.PENDING,
            created_at=now,
            updated_at=now,
            request_key=request_key,
            is_recheck=is_recheck,
            requested_by=requested_by,
        )
        job, is_new = await self._journal.ask(wanted)
        self._bus.emit(signals.RoundAsked(at=now, source=ref.source, job_id=job.job_id, round=str(ref), is_new=is_new))
        self._on_work()
        return await self._view(job), is_new

    async def view(self, job_id: str) -> JobView:
        return await self._view(await self._journal.job(job_id))

    async def views(self, *, limit: int = 100, **filters: Any) -> list[JobView]:
        return [await self._view(job) for job in await self._journal.jobs(limit=limit, **filters)]

    async def tasks(self, job_id: str) -> list[RoundTask]:
        return await self._journal.tasks(job_id)

    async def task(self, job_id: str, key: str) -> RoundTask:
        return await self._journal.task(job_id, key)

    async def matches(self, ref: RoundRef) -> list[RoundMatch]:
        return await self._journal.matches(require_round(ref))

    async def match(self, match_id: str, as_of: datetime | None = None) -> RoundMatch | None:
        return await self._journal.match(match_id, as_of=as_of)

    async def dead_letters(self, *, limit: int = 100, **filters: Any) -> list[RoundTask]:
        return await self._journal.dead_letters(limit=limit, **filters)

    async def cancel(self, job_id: str) -> JobView:
        job = await self._journal.cancel(job_id, self._clock.now())
        self._bus.emit(
            signals.RoundSettled(
                at=self._clock.now(),
                source=job.ref.source,
                job_id=job_id,
                round=str(job.ref),
                state=job.state.value,
            )
        )
        return await self._view(job)

    async def retry_failed(self, keys: Sequence[str] = (), **filters: Any) -> dict[str, int]:
        """Dead letters of a job, a round, or all; by `keys` only some of them. How many were revived, by job."""
        letters = await self._letters(keys, filters)
        if not keys:
            for job in await self._journal.jobs(limit=LETTERS_MAX, state=JobState.FAILED, **filters):
                letters.setdefault(job.job_id, [])
        revived = {}
        for job_id, found in letters.items():
            count = await self._journal.retry({job_id: found}, self._clock.now())
            if count:
                revived[job_id] = count
        self._on_work()
        return revived

    async def _letters(self, keys: Sequence[str], filters: Mapping[str, Any]) -> dict[str, list[str]]:
        found = await self._journal.dead_letters(limit=LETTERS_MAX, **filters)
        letters: dict[str, list[str]] = {}
        for task in found:
            if not keys or task.key in keys:
                letters.setdefault(task.job_id, []).append(task.key)
        return letters

    async def _view(self, job: RoundJob) -> JobView:
        return JobView(job, await self._journal.summary(job.job_id))


def require_round(ref: RoundRef) -> RoundRef:
    name = ref.competition
    if not (0 < len(name) <= 80 and all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in name)):
        raise InputError(
            f"{name[:40]!r} is no competition.", hint="Its name has letters, digits, '-' and '_', at most 80 of them."
        )
    if ref.season not in SEASONS or ref.round not in ROUNDS:
        raise InputError(
            f"There is no round {ref.round} of a season {ref.season}.",
            hint=f"Rounds are {ROUNDS.start} to {ROUNDS.stop - 1}, seasons years such as 2026.",
        )
    return ref
