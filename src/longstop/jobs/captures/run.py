"""One call for one match, from its first attempt to its last: where it stands, and what it has cost."""

import uuid
from collections.abc import Callable
from datetime import datetime

import msgspec

from longstop.domain.capture import (
    CAPTURE_ATTEMPT,
    AttemptState,
    ExitView,
    Fixture,
    NetworkFigures,
)
from longstop.domain.errors import LongstopError
from longstop.fetch.visits.visit import Visit
from longstop.jobs.captures.pauses import times_in_a_row
from longstop.observe.signals import captures as facts


def _new_id() -> str:
    return str(uuid.uuid4())


class Run(msgspec.Struct):
    """`failures` are the reasons of the attempts so far, in their order; `lookups` counts those to find the match in
    the lists of its day."""

    fixture: Fixture
    run_id: str = msgspec.field(default_factory=_new_id)
    attempt: int = 0
    lookups: int = 0
    state: AttemptState = CAPTURE_ATTEMPT.initial
    began_at: float = 0.0
    bytes_in: int = 0
    failures: list[str] = []
    exit: ExitView = ExitView()
    network: NetworkFigures = NetworkFigures()
    rung: str = ""

    def begin(self, began_at: float) -> None:
        if self.attempt:
            self.step("retried")
        self.attempt += 1
        self.began_at = began_at
        self.exit, self.network, self.rung = ExitView(), NetworkFigures(), ""

    def step(self, event: str) -> None:
        self.state = CAPTURE_ATTEMPT.advance(self.state, event)

    def note(self, visit: Visit) -> None:
        self.exit, self.network, self.rung = visit.exit, visit.network, visit.rung
        self.bytes_in += visit.network.bytes_in

    def times_before(self, reason: str) -> int:
        return times_in_a_row(reason, self.failures)

    def told(
        self,
        source: str,
        at: datetime,
        seconds: float,
        status: str,
        reason: str = "",
        error: LongstopError | None = None,
    ) -> facts.CaptureAttempted:
        return facts.CaptureAttempted(
            at=at,
            source=source,
            run_id=self.run_id,
            match_id=str(self.fixture.match_id),
            source_event_id=self.fixture.event_key,
            attempt=self.attempt,
            state=self.state.value,
            status=status,
            reason=reason,
            error_type=error.kind if error else "",
            error_message=error.message if error else "",
            http_status=_HTTP.get(reason),
            rung=self.rung,
            duration_seconds=max(0.0, seconds - self.began_at),
            exit=self.exit,
            network=self.network,
        )


_HTTP = {"403": 403, "404": 404, "429": 429}
Tell = Callable[[facts.CaptureAttempted], None]
