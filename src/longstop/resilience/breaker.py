"""The breaker: one state machine, two rules for when it trips.

It decides, it does not call: a caller asks for a permit, does its work, and says how it went. A permit that is
given back without a verdict (the work was cancelled) counts for nothing and is free again, so none can leak.
Time is an argument.
"""

import heapq
from collections import deque
from collections.abc import Iterable
from enum import Enum
from typing import Protocol

import msgspec

from longstop.domain.machine import Machine, Transition

_MOMENTS_A_WINDOW = 1000


class BreakerState(Enum):
    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


BREAKER = Machine(
    name="breaker",
    title="Breaker",
    initial=BreakerState.CLOSED,
    transitions=(
        Transition(BreakerState.CLOSED, "tripped", BreakerState.OPEN, "refuse every call"),
        Transition(BreakerState.OPEN, "cooled", BreakerState.HALF_OPEN, "admit the configured probes, no more"),
        Transition(BreakerState.HALF_OPEN, "probe_failed", BreakerState.OPEN, "refuse every call again"),
        Transition(BreakerState.HALF_OPEN, "probes_succeeded", BreakerState.CLOSED, "forget the failures"),
        Transition(BreakerState.CLOSED, "forced", BreakerState.OPEN, "an operator or a watchdog opened it"),
        Transition(BreakerState.HALF_OPEN, "forced", BreakerState.OPEN, "an operator or a watchdog opened it"),
    ),
)


class TripRule(Protocol):
    """When do failures amount to a fault? Rules keep what they need and nothing else."""

    def record(self, is_success: bool, now: float) -> bool:
        """True when this verdict trips the breaker."""
        ...

    def forget(self) -> None: ...


class ConsecutiveRule:
    """So many failures in a row."""

    def __init__(self, threshold: int) -> None:
        self._threshold = threshold
        self.failures = 0

    def record(self, is_success: bool, now: float) -> bool:  # noqa: ARG002 - the window rule needs the time
        self.failures = 0 if is_success else self.failures + 1
        return self.failures >= self._threshold

    def forget(self) -> None:
        self.failures = 0


class _Moment:
    def __init__(self, at: float) -> None:
        self.at = at
        self.attempts = 0
        self.failures = 0


class WindowRule:
    """Such a share of failures among the attempts of a rolling window, once there are enough of them.

    Verdicts that come within a thousandth of the window count as one moment, so that no rate of calls fills the memory.
    """

    def __init__(self, window_seconds: float, attempts_min: int, failed_percent: float) -> None:
        self._window_seconds = window_seconds
        self._attempts_min = attempts_min
        self._failed_percent = failed_percent
        self._moments: deque[_Moment] = deque()
        self._attempts = 0
        self.failures = 0

    def record(self, is_success: bool, now: float) -> bool:
        while self._moments and self._moments[0].at <= now - self._window_seconds:
            old = self._moments.popleft()
            self._attempts -= old.attempts
            self.failures -= old.failures
        self._note(is_success, now)
        is_enough = self._attempts >= self._attempts_min
        return is_enough and 100 * self.failures >= self._failed_percent * self._attempts

    def _note(self, is_success: bool, now: float) -> None:
        if not self._moments or now - self._moments[-1].at > self._window_seconds / _MOMENTS_A_WINDOW:
            self._moments.append(_Moment(now))
        self._moments[-1].attempts += 1
        self._moments[-1].failures += not is_success
        self._attempts += 1
        self.failures += not is_success

    def forget(self) -> None:
        self._moments.clear()
        self._attempts = 0
        self.failures = 0


class BreakerPolicy(msgspec.Struct, frozen=True):
    """`probes` may be under way at once while half-open; so many successes close it. No probe is sent that could not
    count any more, unless so many may be under way."""

    open_seconds: float = 60.0
    probes: int = 1
    successes_to_close: int = 5


class Permit:
    """The right to make one call. Exactly one verdict counts; everything after it is ignored."""

    def __init__(self, breaker: "Breaker", generation: int, is_probe: bool) -> None:
        self._breaker = breaker
        self._generation = generation
        self.is_probe = is_probe
        self.is_sent = False
        self._is_used = False

    @property
    def is_good(self) -> bool:
        """False once the breaker has opened since it was given, however long the call was in a queue meanwhile."""
        return self._breaker._would_let_pass(self._generation)  # noqa: SLF001 - the two are one part

    def succeed(self, now: float) -> None:
        self._use(True, now)

    def fail(self, now: float) -> None:
        self._use(False, now)

    def give_back(self) -> None:
        """No verdict: the call was cancelled, or its failure says nothing about the other side."""
        if not self._is_used:
            self._is_used = True
            self._breaker._returned(self._generation)  # noqa: SLF001 - the two are one part

    def _use(self, is_success: bool, now: float) -> None:
        if not self._is_used:
            self._is_used = True
            self._breaker._judged(self._generation, is_success, now)  # noqa: SLF001 - the two are one part


class BreakerView(msgspec.Struct, frozen=True):
    """What /health shows of a breaker."""

    name: str
    state: str
    failure_count: int
    success_count: int
    total_calls: int
    total_successes: int
    total_failures: int
    total_rejections: int
    opens: int


_BADNESS = {BreakerState.OPEN.value: 0, BreakerState.HALF_OPEN.value: 1, BreakerState.CLOSED.value: 2}


def worst_first(views: Iterable[BreakerView], most: int) -> list[BreakerView]:
    """Of those that were ever asked: shut ones, then tried ones, then those with most failures."""
    asked = (view for view in views if view.total_calls or view.total_rejections)
    return heapq.nsmallest(most, asked, key=lambda view: (_BADNESS[view.state], -view.total_failures))


class Breaker:
    """A generation begins with each change of state; verdicts of older generations come too late to count."""

    def __init__(self, name: str, rule: TripRule, policy: BreakerPolicy = BreakerPolicy()) -> None:
        self.name = name
        self.state = BREAKER.initial
        self._rule = rule
        self._policy = policy
        self._generation = 0
        self._cools_at = 0.0
        self._probes_out = 0
        self._successes = 0
        self._counts = dict.fromkeys(("successes", "failures", "rejections", "opens"), 0)

    def admit(self, now: float) -> Permit | None:
        """None when the call must not be made."""
        if not self.would_admit(now):
            self._counts["rejections"] += 1
            return None
        if self.state is BreakerState.OPEN:
            self._step("cooled")
        is_probe = self.state is BreakerState.HALF_OPEN
        self._probes_out += is_probe
        return Permit(self, self._generation, is_probe)

    def would_admit(self, now: float) -> bool:
        """The same question without taking a permit."""
        if self.state is BreakerState.HALF_OPEN:
            return self._is_probe_free()
        return self.state is BreakerState.CLOSED or now >= self._cools_at

    def _is_probe_free(self) -> bool:
        limits = self._policy
        wanted = max(limits.probes, limits.successes_to_close) - self._successes
        return self._probes_out < min(limits.probes, wanted)

    def open_now(self, now: float) -> None:
        """For a fault that needs no counting, such as a challenge page."""
        if self.state is not BreakerState.OPEN:
            self._step("forced")
        self._cools_at = now + self._policy.open_seconds

    def retry_in_seconds(self, now: float) -> float:
        if self.state is not BreakerState.OPEN:
            return 0.0
        return max(0.0, self._cools_at - now)

    def view(self) -> BreakerView:
        counts = self._counts
        return BreakerView(
            name=self.name,
            state=self.state.value,
            failure_count=getattr(self._rule, "failures", 0),
            success_count=self._successes,
            total_calls=counts["successes"] + counts["failures"],
            total_successes=counts["successes"],
            total_failures=counts["failures"],
            total_rejections=counts["rejections"],
            opens=counts["opens"],
        )

    def _judged(self, generation: int, is_success: bool, now: float) -> None:
        self._counts["successes" if is_success else "failures"] += 1
        if generation != self._generation:
            return
        if self.state is BreakerState.HALF_OPEN:
            self._judge_probe(is_success, now)
        elif self._rule.record(is_success, now):
            self._cools_at = now + self._policy.open_seconds
            self._step("tripped")

    def _judge_probe(self, is_success: bool, now: float) -> None:
        self._probes_out -= 1
        if not is_success:
            self._cools_at = now + self._policy.open_seconds
            self._step("probe_failed")
            return
        self._successes += 1
        if self._successes >= self._policy.successes_to_close:
            self._step("probes_succeeded")

    def _would_let_pass(self, generation: int) -> bool:
        return generation == self._generation or self.state is BreakerState.CLOSED

    def _returned(self, generation: int) -> None:
        if generation == self._generation and self.state is BreakerState.HALF_OPEN:
            self._probes_out -= 1

    def _step(self, event: str) -> None:
        self.state = BREAKER.advance(self.state, event)
        self._counts["opens"] += self.state is BreakerState.OPEN
        self._generation += 1
        self._probes_out = 0
        self._successes = 0
        self._rule.forget()
