"""Rounds as values: a job for each round that is asked for, a task for each of its matches, and what becomes of them.

A job's summary always adds up: done + failed + pending + running are all of its tasks. Tasks of a cancelled job that
were not begun stay pending, and nobody takes them.
"""

from datetime import datetime, timedelta
from enum import Enum
from typing import Any

import msgspec

from longstop.domain.football import FootballEvent, MatchReport, Phase, Stage
from longstop.domain.machine import Machine, Transition


class JobState(Enum):
    PENDING = "PENDING"
    LISTING = "LISTING"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def is_settled(self) -> bool:
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


_J = JobState
ROUND_JOB = Machine(
    name="round-job",
    title="Round job",
    initial=_J.PENDING,
    transitions=(
        Transition(_J.PENDING, "taken", _J.LISTING, "lease the job, ask the source for the round"),
        Transition(_J.LISTING, "listed", _J.RUNNING, "write all its tasks in one transaction, before any is fetched"),
        Transition(_J.LISTING, "failed_for_now", _J.PENDING, "ask again after a delay"),
        Transition(_J.LISTING, "failed_for_good", _J.FAILED, "keep the error with the job"),
        Transition(_J.RUNNING, "all_done", _J.DONE, "every task is done"),
        Transition(_J.RUNNING, "some_failed", _J.FAILED, "no task is left to do, and there are dead letters"),
        Transition(_J.FAILED, "retried", _J.RUNNING, "dead letters are pending again"),
        Transition(_J.FAILED, "asked_again", _J.PENDING, "it was never listed: ask the source for the round again"),
        Transition(_J.FAILED, "reread", _J.DONE, "the last dead letter was read from its stored payload"),
        Transition(_J.PENDING, "cancelled", _J.CANCELLED, "nothing more is begun"),
        Transition(_J.LISTING, "cancelled", _J.CANCELLED, "what comes of the listing is not taken"),
        Transition(_J.RUNNING, "cancelled", _J.CANCELLED, "what is under way is fenced off, nothing more is begun"),
    ),
)


class RoundTaskState(Enum):
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"


_T = RoundTaskState
ROUND_TASK = Machine(
    name="round-task",
    title="Round task",
    initial=_T.PENDING,
    transitions=(
        Transition(_T.PENDING, "taken", _T.RUNNING, "lease it, count the attempt, raise its epoch"),
        Transition(_T.PENDING, "skipped", _T.DONE, "the match is in the record already, finished"),
        Transition(_T.RUNNING, "stored", _T.DONE, "the match and the task, in one transaction"),
        Transition(_T.RUNNING, "failed_for_now", _T.PENDING, "one attempt more after a delay"),
        Transition(_T.RUNNING, "failed_for_good", _T.FAILED, "a dead letter, with its error and its evidence"),
        Transition(_T.RUNNING, "lease_lost", _T.PENDING, "its holder is gone, or its job was cancelled"),
        Transition(_T.RUNNING, "given_back", _T.PENDING, "an orderly stop: the attempt does not count"),
        Transition(_T.FAILED, "retried", _T.PENDING, "an operator asks for it again, its attempts begin anew"),
        Transition(_T.FAILED, "reread", _T.DONE, "read from its stored payload, after a fix"),
    ),
)


class TaskOutcome(Enum):
    """What a task that is done has come to."""

    STORED = "stored"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    NOT_PLAYED = "not_played"


class RoundRef(msgspec.Struct, frozen=True):
    """Which round of which season, on which source."""

    source: str
    competition: str
    season: int
    round: int

    def __str__(self) -> str:
        return f"{self.competition} {self.season}, round {self.round}"


class RoundListing(msgspec.Struct, frozen=True):
    """What a source's list of a round says of one match. `kickoff_at` None: it has no date yet."""

    key: str
    title: str
    url: str = ""
    kickoff_at: datetime | None = None


class TaskError(msgspec.Struct, frozen=True):
    """Why an attempt failed, as it is kept as JSON with its task."""

    kind: str
    message: str
    hint: str
    is_permanent: bool
    attempt: int
    at: datetime
    verdict: str = ""
    details: dict[str, Any] = {}


class RoundJob(msgspec.Struct, frozen=True):
    job_id: str
    ref: RoundRef
    state: JobState
    created_at: datetime
    updated_at: datetime
    request_key: str = ""
    is_recheck: bool = False
    requested_by: str = ""
    attempt: int = 0
    epoch: int = 0
    next_at: datetime | None = None
    listed_at: datetime | None = None
    finished_at: datetime | None = None
    error: TaskError | None = None


class RoundTask(msgspec.Struct, frozen=True):
    """`epoch` is the fence: it rises with each lease, and only the newest may write. `losses` are the times that ended
    without a word about the match: its worker was lost, or the source asked everybody to wait."""

    job_id: str
    key: str
    match_id: str
    position: int
    title: str
    url: str
    state: RoundTaskState
    attempt: int
    epoch: int
    next_at: datetime
    updated_at: datetime
    kickoff_at: datetime | None = None
    owner: str = ""
    lease_until: datetime | None = None
    outcome: TaskOutcome | None = None
    error: TaskError | None = None
    evidence: tuple[str, ...] = ()
    started_at: datetime | None = None
    finished_at: datetime | None = None
    losses: int = 0


class Lease(msgspec.Struct, frozen=True):
    """The right to work on one task, or to list one job (then `task` is None), until it is lost."""

    job: RoundJob
    task: RoundTask | None = None

    @property
    def epoch(self) -> int:
        return self.job.epoch if self.task is None else self.task.epoch

    @property
    def attempt(self) -> int:
        return self.job.attempt if self.task is None else self.task.attempt


class Summary(msgspec.Struct, frozen=True):
    """How a job stands. `all` is the sum of the four; `outcomes` tells what the done ones have come to."""

    all: int = 0
    done: int = 0
    failed: int = 0
    pending: int = 0
    running: int = 0
    outcomes: dict[str, int] = {}

    @property
    def is_settled(self) -> bool:
        return not self.pending and not self.running


class RoundMatch(msgspec.Struct, frozen=True):
    """One match of a round as it is stored: all of it in one transaction, or nothing."""

    match_id: str
    ref: RoundRef
    key: str
    report: MatchReport
    captured_at: datetime
    payload_sha256: str
    venue: str = ""
    revision: int = 0

    @property
    def event(self) -> FootballEvent:
        assert self.report.event is not None  # a round match is never without it; the source's parser sees to that
        return self.report.event

    @property
    def is_finished(self) -> bool:
        """Nothing of it is expected to change: played out, or decided on paper."""
        return self.event.phase.is_played_out or self.event.phase is Phase.AWARDED

    @property
    def is_played(self) -> bool:
        return self.event.phase.stage not in (Stage.UPCOMING, Stage.OFF) or self.is_finished


# The same request again within this time is the same job, whatever has become of it.
SAME_REQUEST = timedelta(seconds=60)
