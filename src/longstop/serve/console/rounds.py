"""The newest rounds, for the operations page: how far each is, the newest first."""

from typing import Final

from msgspec import Struct

from longstop.clock import to_millis
from longstop.domain.rounds import JobState
from longstop.jobs.rounds.desk import JobView, RoundsDesk

SHOWN: Final = 8


class RoundLine(Struct, frozen=True):
    """`since`: when it was asked for, or, once settled, when that was; in milliseconds."""

    id: str
    title: str
    state: str
    since: int
    all: int
    done: int
    failed: int
    running: int
    pending: int
    error: str = ""


async def newest_rounds(desk: RoundsDesk) -> list[RoundLine]:
    return [round_line(view) for view in await desk.views(limit=SHOWN)]


def round_line(view: JobView) -> RoundLine:
    job, summary = view.job, view.summary
    since = job.finished_at if job.state.is_settled and job.finished_at else job.created_at
    is_unlisted = job.state is JobState.FAILED and job.listed_at is None
    return RoundLine(
        id=job.job_id,
        title=str(job.ref),
        state=job.state.value,
        since=to_millis(since),
        all=summary.all,
        done=summary.done,
        failed=summary.failed,
        running=summary.running,
        pending=summary.pending,
        error=job.error.message if job.error and (is_unlisted or not job.state.is_settled) else "",
    )
