"""The lives of a match, a task and the whole instance, exactly as the data model of the documents has them."""

from enum import Enum
from typing import Any

from longstop.domain.machine import Machine, Transition


class MatchState(Enum):
    DISCOVERED = "discovered"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    ARCHIVED = "archived"


class TaskState(Enum):
    PENDING = "pending"
    EXECUTING = "executing"
    SUCCESS = "success"
    FAILED = "failed"
    ABANDONED = "abandoned"


class HealthGrade(Enum):
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    FAILING = "failing"
    RECOVERING = "recovering"


MATCH_LIFECYCLE = Machine(
    name="match-lifecycle",
    title="Match lifecycle",
    initial=MatchState.DISCOVERED,
    transitions=(
        Transition(
            MatchState.DISCOVERED,
            "scraped",
            MatchState.ACTIVE,
            "create the monitoring record, add to the freshness index",
        ),
        Transition(
            MatchState.ACTIVE, "failed_too_often", MatchState.PAUSED, "add to the paused matches, log a warning"
        ),
        Transition(
            MatchState.PAUSED,
            "recovered",
            MatchState.ACTIVE,
            "remove from the paused matches, reset the failure count",
        ),
        Transition(MatchState.ACTIVE, "finished", MatchState.COMPLETED, "priority COMPLETED, scrape every 5 min"),
        Transition(MatchState.PAUSED, "finished", MatchState.COMPLETED, "priority COMPLETED, scrape every 5 min"),
        Transition(
            MatchState.COMPLETED,
            "aged",
            MatchState.ARCHIVED,
            "delete from the freshness index, keep the snapshot for 24 h",
        ),
    ),
)

TASK_RETRY = Machine(
    name="task-retry",
    title="Task retry",
    initial=TaskState.PENDING,
    transitions=(
        Transition(TaskState.PENDING, "taken", TaskState.EXECUTING),
        Transition(TaskState.EXECUTING, "succeeded", TaskState.SUCCESS, "reset the consecutive failures"),
        Transition(TaskState.EXECUTING, "failed", TaskState.FAILED, "count the failure, log the error"),
        Transition(TaskState.FAILED, "retried", TaskState.PENDING, "back in the queue after a delay, one attempt more"),
        Transition(TaskState.FAILED, "exhausted", TaskState.ABANDONED, "log critical, check whether to pause"),
    ),
)

HEALTH_GRADE = Machine(
    name="health-grade",
    title="Health grade",
    initial=HealthGrade.HEALTHY,
    transitions=(
        Transition(HealthGrade.HEALTHY, "aged", HealthGrade.DEGRADED, "log a warning, raise an alert"),
        Transition(HealthGrade.DEGRADED, "stalled", HealthGrade.FAILING, "log critical, ask the watchdog"),
        Transition(
            HealthGrade.FAILING, "recycled", HealthGrade.RECOVERING, "recycle the browsers, write an audit entry"
        ),
        Transition(HealthGrade.RECOVERING, "scraped", HealthGrade.HEALTHY, "log, clear the alerts"),
        Transition(HealthGrade.DEGRADED, "freshened", HealthGrade.HEALTHY, "after two intervals in a row under 60 s"),
        Transition(HealthGrade.FAILING, "eased", HealthGrade.DEGRADED, "no match over 120 s, the median still high"),
    ),
)

MACHINES: tuple[Machine[Any], ...] = (MATCH_LIFECYCLE, TASK_RETRY, HEALTH_GRADE)
