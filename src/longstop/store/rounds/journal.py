"""The journal of rounds: what is asked for, what is under way, what has come of it. It is the queue as well.

Whatever it acknowledges is durable. Every verdict may be told twice: who comes again after an answer was lost finds his
own, and who comes with a lost lease is refused (`LeaseLostError`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from longstop.domain.rounds import (
    Lease,
    RoundJob,
    RoundListing,
    RoundMatch,
    RoundRef,
    RoundTask,
    Summary,
    TaskError,
    TaskOutcome,
)
from longstop.store.reads import valid_count, valid_text
from longstop.store.rounds import dueness, leases, requests, retention, verdicts, views
from longstop.store.rounds.dueness import Due
from longstop.store.rounds.leases import Taker
from longstop.store.scripts import Transacting


class RoundJournal:
    def __init__(self, store: Transacting) -> None:
        self._store = store

    # ---- asked for ----

    async def ask(self, job: RoundJob) -> tuple[RoundJob, bool]:
        """The job of this round, and whether it is a new one."""
        return await self._store.transact(lambda tongue: requests.asked(tongue, job))

    async def cancel(self, job_id: str, now: datetime) -> RoundJob:
        valid_text(job_id)
        return await self._store.transact(lambda tongue: requests.cancelled(tongue, job_id, now))

    async def retry(self, letters: Mapping[str, Sequence[str]], now: datetime) -> int:
        """Dead letters by job; how many there were."""
        return await self._store.transact(lambda tongue: requests.retried(tongue, letters, now))

    # ---- worked on ----

    async def take_jobs(self, source: str, taker: Taker) -> list[Lease]:
        return await self._store.transact(lambda tongue: leases.jobs_taken(tongue, source, taker))

    async def take(self, source: str, taker: Taker) -> list[Lease]:
        return await self._store.transact(lambda tongue: leases.tasks_taken(tongue, source, taker))

    async def take_one(self, job_id: str, key: str, taker: Taker) -> Lease | None:
        taken = await self._store.transact(lambda tongue: leases.task_taken(tongue, job_id, key, taker))
        return taken[0] if taken else None

    async def take_job(self, source: str, job_id: str, taker: Taker) -> Lease | None:
        taken = await self._store.transact(lambda tongue: leases.job_taken(tongue, source, job_id, taker))
        return taken[0] if taken else None

    async def prolong(self, held: Sequence[Lease], now: datetime, until: datetime) -> list[Lease]:
        """Those that still hold."""
        return await self._store.transact(lambda tongue: leases.prolonged(tongue, held, now, until))

    async def give_back(
        self, lease: Lease, now: datetime, again_at: datetime | None = None, *, is_loss: bool = False
    ) -> bool:
        """Nothing was learnt about the match: the attempt does not count."""
        at = again_at or now
        return await self._store.transact(lambda tongue: leases.given_back(tongue, lease, now, at, is_loss=is_loss))

    async def end_leases(self, source: str, now: datetime) -> None:
        """For who knows that nobody but himself can hold one: after a start on a database of his own."""
        await self._store.transact(lambda tongue: leases.ended(tongue, source, now))

    async def list_round(self, lease: Lease, listings: Sequence[RoundListing], now: datetime) -> RoundJob:
        return await self._store.transact(lambda tongue: verdicts.listed(tongue, lease, listings, now))

    async def finish(self, lease: Lease, match: RoundMatch, now: datetime) -> tuple[TaskOutcome, RoundJob]:
        """What the task has come to, and its job as it stands then."""
        return await self._store.transact(lambda tongue: verdicts.finished(tongue, lease, match, now))

    async def fail(
        self, lease: Lease, error: TaskError, evidence: Sequence[str], now: datetime, again_at: datetime | None
    ) -> RoundJob | None:
        """Its job as it stands then; None when somebody else has the lease."""
        return await self._store.transact(lambda tongue: verdicts.failed(tongue, lease, error, evidence, now, again_at))

    async def reread(self, letter: RoundTask, match: RoundMatch, now: datetime) -> TaskOutcome:
        return await self._store.transact(lambda tongue: verdicts.reread(tongue, letter, match, now))

    async def prune(self, before: datetime, limit: int) -> int:
        """Settled jobs that ended before, with their tasks; how many there were. The matches stay."""
        return await self._store.transact(lambda tongue: retention.pruned(tongue, before, valid_count(limit)))

    # ---- looked at ----

    async def due(self, source: str, now: datetime, limit: int) -> Due:
        """What could be taken now, at most so many of each kind. Nothing is taken."""
        return await self._store.look(lambda tongue: dueness.due(tongue, source, now, valid_count(limit)))

    async def job(self, job_id: str) -> RoundJob:
        valid_text(job_id)
        return await self._store.look(lambda tongue: views.job(tongue, job_id))

    async def jobs(self, *, limit: int = 100, **filters: Any) -> list[RoundJob]:
        """Newest first; by source, competition, season, round or state."""
        return await self._store.look(lambda tongue: views.jobs(tongue, valid_count(limit), filters))

    async def tasks(self, job_id: str) -> list[RoundTask]:
        valid_text(job_id)
        return await self._store.look(lambda tongue: views.tasks(tongue, job_id))

    async def task(self, job_id: str, key: str) -> RoundTask:
        valid_text(job_id + key)
        return await self._store.look(lambda tongue: views.task(tongue, job_id, key))

    async def dead_letters(self, *, limit: int = 100, **filters: Any) -> list[RoundTask]:
        """Newest first; by job_id, source, competition, season or round."""
        return await self._store.look(lambda tongue: views.dead_letters(tongue, valid_count(limit), filters))

    async def summary(self, job_id: str) -> Summary:
        valid_text(job_id)
        return await self._store.look(lambda tongue: views.summary(tongue, job_id))

    async def match(self, match_id: str, *, as_of: datetime | None = None) -> RoundMatch | None:
        valid_text(match_id)
        return await self._store.look(lambda tongue: views.match(tongue, match_id, as_of))

    async def matches(self, ref: RoundRef) -> list[RoundMatch]:
        """The matches that stand in this round now."""
        return await self._store.look(lambda tongue: views.matches(tongue, ref))
