"""The breaker of a source: it opens when too many captures of a rolling window fail, and then nothing is sent.

One permit is one attempt, and is asked again right before each thing that is sent: it may have waited in a queue while
the breaker opened. What says nothing about the source (a store that is away) gives its permit back.
"""

from collections.abc import Callable

from longstop.clock import Clock
from longstop.domain.capture_errors import SourceRestingError
from longstop.fetch.visits.gate import Gate
from longstop.observe.signals import Signals
from longstop.observe.signals import captures as facts
from longstop.resilience.breaker import Breaker, BreakerPolicy, BreakerState, BreakerView, Permit, WindowRule

WINDOW_SECONDS = 600.0
ATTEMPTS_MIN = 30
FAILED_PERCENT = 35.0
POLICY = BreakerPolicy(open_seconds=900.0, probes=3, successes_to_close=3)


class Circuit:
    def __init__(
        self,
        source: str,
        clock: Clock,
        bus: Signals,
        rule: WindowRule | None = None,
        policy: BreakerPolicy = POLICY,
    ) -> None:
        self.source = source
        self._clock = clock
        self._bus = bus
        self._policy = policy
        self._breaker = Breaker(source, rule or WindowRule(WINDOW_SECONDS, ATTEMPTS_MIN, FAILED_PERCENT), policy)

    @property
    def is_closed(self) -> bool:
        return self._breaker.state is BreakerState.CLOSED

    @property
    def would_admit(self) -> bool:
        return self._breaker.would_admit(self._clock.monotonic())

    @property
    def retry_in_seconds(self) -> float:
        return self._breaker.retry_in_seconds(self._clock.monotonic())

    def view(self) -> BreakerView:
        return self._breaker.view()

    def require_closed(self) -> None:
        if not self.is_closed:
            raise self._resting()

    def admit(self) -> Permit:
        """Raises SourceRestingError when nothing may be sent."""
        before = self._breaker.state
        permit = self._breaker.admit(self._clock.monotonic())
        self._tell(before)
        if permit is None:
            raise self._resting()
        return permit

    def _resting(self) -> SourceRestingError:
        return SourceRestingError(
            f"{self.source} rests after too many failures.", retry_in_seconds=self.retry_in_seconds
        )

    def gate(self, permit: Permit) -> Gate:
        return _PermitGate(permit, self._resting)

    def give_back(self, permit: Permit) -> None:
        """A probe that was sent is spent: given back, it would let one more leave. Unjudged, it is no success."""
        if permit.is_probe and permit.is_sent:
            self.judge(permit, is_success=False)
        else:
            permit.give_back()

    def answered(self, permit: Permit) -> None:
        """The source did its part, though nothing is kept of it: that a match has begun is no news of the source, but
        a probe has found out what it was sent for."""
        if permit.is_probe:
            self.judge(permit, is_success=True)
        else:
            permit.give_back()

    def judge(self, permit: Permit, is_success: bool) -> None:
        before, now = self._breaker.state, self._clock.monotonic()
        (permit.succeed if is_success else permit.fail)(now)
        self._tell(before)

    def _tell(self, before: BreakerState) -> None:
        after = self._breaker.state
        if after is before:
            return
        now = self._clock.now()
        if after is BreakerState.OPEN:
            why = "a probe failed" if before is BreakerState.HALF_OPEN else "too many attempts failed"
            opened = facts.CircuitOpened(at=now, source=self.source, open_seconds=self._policy.open_seconds, reason=why)
            self._bus.emit(opened)
        elif after is BreakerState.HALF_OPEN:
            self._bus.emit(facts.CircuitHalfOpened(at=now, source=self.source, probes=self._policy.probes))
        else:
            self._bus.emit(facts.CircuitClosed(at=now, source=self.source))


class _PermitGate:
    def __init__(self, permit: Permit, resting: Callable[[], SourceRestingError]) -> None:
        self._permit = permit
        self._resting = resting

    def require(self) -> None:
        if not self._permit.is_good:
            raise self._resting()

    def send(self) -> None:
        self.require()
        self._permit.is_sent = True
