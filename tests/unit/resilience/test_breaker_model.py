"""Whatever is done in whatever order, the breaker agrees with a model that is too simple to be wrong."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from longstop.resilience.breaker import Breaker, BreakerPolicy, BreakerState, ConsecutiveRule, Permit, WindowRule

OPEN_SECONDS = 10
WINDOW_SECONDS = 20

times = st.sampled_from([0, 1, 3, OPEN_SECONDS - 1, OPEN_SECONDS, WINDOW_SECONDS, 10**6])
counts = st.integers(1, 4)


class BreakerMachine(RuleBasedStateMachine):
    """The model keeps every verdict and every permit there ever was, and looks at them anew each time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.state = "CLOSED"
        self.era = 0
        self.opened_at = 0
        self.successes = 0
        self.verdicts: list[tuple[int, bool]] = []
        self.out: list[tuple[Permit, int]] = []
        self.done: list[Permit] = []
        self.calls = 0
        self.opens = 0

    @initialize(
        threshold=counts, probes=counts, needed=counts, percent=st.sampled_from([35, 50, 100]), window=st.booleans()
    )
    def begin(self, threshold: int, probes: int, needed: int, percent: int, window: bool) -> None:
        self.threshold, self.probes, self.needed, self.percent, self.is_window = (
            threshold,
            probes,
            needed,
            percent,
            window,
        )
        trips = WindowRule(WINDOW_SECONDS, threshold, percent) if window else ConsecutiveRule(threshold)
        self.breaker = Breaker("b", trips, BreakerPolicy(OPEN_SECONDS, probes, needed))

    def enter(self, state: str) -> None:
        self.state, self.successes, self.verdicts = state, 0, []
        self.era += 1
        self.opens += state == "OPEN"
        if state == "OPEN":
            self.opened_at = self.now

    def has_tripped(self) -> bool:
        if not self.is_window:
            last = [is_success for _, is_success in self.verdicts[-self.threshold :]]
            return len(last) == self.threshold and not any(last)
        recent = [is_success for at, is_success in self.verdicts if at > self.now - WINDOW_SECONDS]
        return len(recent) >= self.threshold and 100 * recent.count(False) >= self.percent * len(recent)

    def probes_out(self) -> int:
        return sum(era == self.era for _, era in self.out)

    @rule(seconds=times)
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule()
    def ask(self) -> None:
        expected = self.breaker.would_admit(self.now)
        permit = self.breaker.admit(self.now)
        if self.state == "OPEN" and self.now - self.opened_at >= OPEN_SECONDS:
            self.enter("HALF_OPEN")
        if self.state == "HALF_OPEN":
            wanted = max(self.probes, self.needed) - self.successes
            is_admitted = self.probes_out() < min(self.probes, wanted)
        else:
            is_admitted = self.state == "CLOSED"
        assert (permit is not None) == is_admitted == expected
        if permit is not None:
            assert permit.is_probe == (self.state == "HALF_OPEN")
            self.out.append((permit, self.era))

    @precondition(lambda self: self.out)
    @rule(data=st.data(), is_success=st.booleans())
    def judge(self, data: st.DataObject, is_success: bool) -> None:
        permit, era = self.out.pop(data.draw(st.integers(0, len(self.out) - 1)))
        permit.succeed(self.now) if is_success else permit.fail(self.now)
        self.done.append(permit)
        self.calls += 1
        if era != self.era:
            return
        if self.state == "HALF_OPEN":
            self.successes += is_success
            if not is_success:
                self.enter("OPEN")
            elif self.successes >= self.needed:
                self.enter("CLOSED")
            return
        self.verdicts.append((self.now, is_success))
        if self.has_tripped():
            self.enter("OPEN")

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        permit, _ = self.out.pop(data.draw(st.integers(0, len(self.out) - 1)))
        permit.give_back()
        self.done.append(permit)

    @precondition(lambda self: self.done)
    @rule(data=st.data(), deed=st.sampled_from(["succeed", "fail", "give_back"]))
    def use_again(self, data: st.DataObject, deed: str) -> None:
        permit = self.done[data.draw(st.integers(0, len(self.done) - 1))]
        permit.give_back() if deed == "give_back" else getattr(permit, deed)(self.now)

    @rule()
    def order_open(self) -> None:
        self.breaker.open_now(self.now)
        if self.state == "OPEN":
            self.opened_at = self.now
        else:
            self.enter("OPEN")

    @invariant()
    def they_agree(self) -> None:
        if not hasattr(self, "breaker"):
            return
        view = self.breaker.view()
        assert self.breaker.state is BreakerState[self.state]
        assert (view.opens, view.total_calls) == (self.opens, self.calls)
        assert view.success_count == self.successes
        assert self.breaker._probes_out == (self.probes_out() if self.state == "HALF_OPEN" else 0)
        assert self.breaker._probes_out <= self.probes
        left = self.opened_at + OPEN_SECONDS - self.now if self.state == "OPEN" else 0
        assert self.breaker.retry_in_seconds(self.now) == max(0, left)


BreakerMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None, derandomize=True)


TestTheBreakerAgreesWithItsModel = BreakerMachine.TestCase
