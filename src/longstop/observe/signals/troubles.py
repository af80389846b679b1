"""The signals of the watchdogs: what they found, what was done about it, and what came of that.

| signal | when | fields worth a metric |
|---|---|---|
| HealthGraded | the grade of the instance made a step of its table | grade |
| StalenessFound, StalenessEnded | a live match is not fresh (overdue, unseen, frozen), is fresh again | kind |
| RecoveryBegun, RecoveryJudged | something was done to get well again, and what came of it | action, outcome |
| RecoveryWithheld | it did not help, and is not tried again for a while | wait |
| AlarmRaised, AlarmCleared | a watchdog cannot see, work does not move, a service does not come round | kind |
| LoopStalled | the event loop stood still and turns again | duration |
"""

from datetime import datetime

from longstop.observe.signals.bus import Signal


class HealthGraded(Signal, frozen=True, kw_only=True):
    """`event` is the step's name in the table of the health grade. Ages are those of live matches."""

    before: str
    after: str
    event: str
    median_seconds: float
    p95_seconds: float
    max_seconds: float
    stall_seconds: float


class StalenessFound(Signal, frozen=True, kw_only=True):
    """`action` is what is done about it: restarted, killed, refused, or waits (`wait_seconds`, since it was tried)."""

    match_id: str
    kind: str
    age_seconds: float
    action: str
    url: str = ""
    captured_at: datetime | None = None
    changed_at: datetime | None = None
    wait_seconds: float = 0.0


class StalenessEnded(Signal, frozen=True, kw_only=True):
    match_id: str
    kind: str
    duration_seconds: float


class RecoveryBegun(Signal, frozen=True, kw_only=True):
    entry_id: str
    action: str
    subject: str
    trigger: str


class RecoveryJudged(Signal, frozen=True, kw_only=True):
    """`duration_seconds` is from the action to the judgement."""

    entry_id: str
    action: str
    subject: str
    outcome: str
    duration_seconds: float


class RecoveryWithheld(Signal, frozen=True, kw_only=True):
    subject: str
    reason: str
    attempts: int
    wait_seconds: float


class AlarmRaised(Signal, frozen=True, kw_only=True):
    """`kind` is of a closed set; `subject` is whom it is about."""

    kind: str
    subject: str
    detail: str
    hint: str = ""


class AlarmCleared(Signal, frozen=True, kw_only=True):
    kind: str
    subject: str
    duration_seconds: float


class LoopStalled(Signal, frozen=True, kw_only=True):
    """Told when it turns again; while it stood, a thread has written its stack to the log."""

    duration_seconds: float


class ClockSet(Signal, frozen=True, kw_only=True):
    """The clock of the day went ahead, or back, by so much more than time did. `at` is by the new clock."""

    by_seconds: float
