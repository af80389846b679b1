"""One look at a match as a task: how urgent it is, how often it was tried, how it stands (S2's scrape request)."""

from datetime import datetime

import msgspec

from longstop.domain.lifecycle import TASK_RETRY, TaskState
from longstop.domain.match import MatchPriority


class ScrapeTask(msgspec.Struct, frozen=True):
    """`attempt` counts from 1; `resource` says what is looked at."""

    task_id: str
    match_id: str
    source: str
    priority: MatchPriority
    scheduled_at: datetime
    attempt: int = 1
    state: TaskState = TASK_RETRY.initial
    resource: str = "scorecard"

    def after(self, event: str) -> "ScrapeTask":
        """The same task one step further; a retry is one attempt more."""
        state = TASK_RETRY.advance(self.state, event)
        attempt = self.attempt + 1 if event == "retried" else self.attempt
        return msgspec.structs.replace(self, state=state, attempt=attempt)

    @property
    def is_done(self) -> bool:
        return self.state in (TaskState.SUCCESS, TaskState.ABANDONED)
